"""Every setting: options of objects that are made by hand, files, environment variables.

Names, types and defaults are the code's; what an option means is said in settings.toml where the
code has no text beside it.
"""

import ast
import inspect
import re
import tomllib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from . import declarations

MEANINGS = Path(__file__).with_name("settings.toml")

INTRO = """\
# Settings

Every setting, with its default: options, files and environment variables.

The options of commands are in [Commands](commands.md)."""


class Option(NamedTuple):
    """One setting of an object."""

    name: str
    type: str
    default: str
    doc: str


SECTIONS = (
    ("Store", "singletable.store.store:Store", "`Shop.connect(address, …)`, beside `create`:"),
    ("Retries", "singletable.store.retries:Retries", "`connect(…, retries=Retries(…))`:"),
    ("Engine", "singletable.engine.engine:Engine", "`Engine(path, …)`; a store is given one:"),
    ("AWS", "singletable.backends.aws:AwsBackend", "`connect(AwsBackend(region, …))`:"),
    ("Table", "singletable.model.table:Table", "`Table(name, …)`, in a design:"),
    ("Pattern", "singletable.model.patterns:pattern", "`@pattern(…)`, in a design:"),
    ("Worker", "singletable.streams.worker:Worker", "`Worker(store, *consumers, …)`:"),
    (
        "Server",
        "singletable.server.run:Settings",
        "`singletable.server.serve(engine, Settings(…))`:",
    ),
    (
        "Deployment",
        "singletable.deploy.deployment:Deployment",
        "`singletable deploy --config FILE`, in TOML ([deploy](../deploy.md) has an example):",
    ),
    ("Role", "singletable.deploy.deployment:Role", "`[roles.NAME]` of a deployment:"),
    ("Alarms", "singletable.deploy.deployment:Alarms", "`[alarms]` of a deployment:"),
    ("Range", "singletable.deploy.deployment:Range", "`read` and `write` of `[capacity]`:"),
    (
        "PatternTraffic",
        "singletable.cost.traffic:PatternTraffic",
        "`--traffic FILE`, in TOML ([cost](../cost.md#traffic) has an example): `[patterns.NAME]`",
    ),
    ("EntityTraffic", "singletable.cost.traffic:EntityTraffic", "`[entities.NAME]` of the same:"),
    ("StreamTraffic", "singletable.cost.traffic:StreamTraffic", "`[stream]` of the same:"),
)
"""Heading, where the options stand, and how they are given."""


def page() -> str:
    """Write the page."""
    told = tomllib.loads(MEANINGS.read_text("utf-8"))
    parts = [INTRO]
    for heading, place, how in SECTIONS:
        parts += [f"## {heading}", how, _table(options(place), told.pop(heading, {}), heading)]
    variables = told.pop("Environment")
    if told:
        raise LookupError(f"{MEANINGS.name} has {sorted(told)}, which are no sections")
    return "\n\n".join([*parts, *_environment(variables)]) + "\n"


def options(place: str) -> list[Option]:
    """List the options that a class or function takes."""
    module, _, name = place.partition(":")
    thing = getattr(import_module(module), name)
    tree = ast.parse(inspect.getsource(thing)).body[0]
    if isinstance(tree, ast.FunctionDef):
        return list(_arguments(tree))
    assert isinstance(tree, ast.ClassDef), place
    made = [each for each in tree.body if isinstance(each, ast.FunctionDef)]
    init = next((each for each in made if each.name == "__init__"), None)
    return list(_arguments(init)) if init else list(_fields(thing))


def environment() -> set[str]:
    """Name the variables that the library and the services read, as their sources have them."""
    root = Path(__file__).resolve().parents[2]
    texts = [
        path.read_text("utf-8") for top in ("src", "apps") for path in (root / top).rglob("*.py")
    ]
    # In source, a variable's name is an argument, a key of the environment or one of a tuple.
    name = re.compile(r'"((?:SINGLETABLE|SERVICE|COGNITO|AWS_REGION|AWS_LAMBDA)[A-Z_]*)"')
    return {found for text in texts for found in name.findall(text)}


def _arguments(node: ast.FunctionDef) -> Iterator[Option]:
    given = node.args
    last = given.args[-len(given.defaults) :] if given.defaults and given.args else []
    pairs = list(zip(last, given.defaults, strict=False))
    pairs += [(a, d) for a, d in zip(given.kwonlyargs, given.kw_defaults, strict=True) if d]
    for argument, default in pairs:
        kind = ast.unparse(argument.annotation) if argument.annotation else ""
        yield Option(argument.arg, kind, ast.unparse(default), "")


def _fields(cls: Any) -> Iterator[Option]:
    for member in declarations.members(cls):
        name, colon, rest = member.shown.partition(": ")
        if colon and "(" not in name:
            kind, _, default = rest.partition(" = ")
            yield Option(name, kind, default, member.doc)


def _table(found: list[Option], told: dict[str, str], heading: str) -> str:
    lacking = [each.name for each in found if not each.doc and each.name not in told]
    over = sorted(set(told) - {each.name for each in found})
    if lacking or over:
        raise LookupError(f"{MEANINGS.name}: [{heading}] lacks {lacking} and has {over} too many")
    rows = [
        f"| `{each.name}` | `{_cell(each.type)}` | `{_cell(each.default)}` "
        f"| {told.get(each.name) or each.doc} |"
        for each in found
    ]
    return "\n".join(["| setting | type | default | meaning |", "|---|---|---|---|", *rows])


def _environment(told: dict[str, str]) -> Iterator[str]:
    if set(told) != environment():
        lacking, over = environment() - set(told), set(told) - environment()
        raise LookupError(f"{MEANINGS.name}: [Environment] lacks {lacking} and has {over} too many")
    yield "## Environment"
    yield "The library reads these; boto3 reads its own, such as `AWS_PROFILE`, where it is used:"
    library = {name for name in told if not name.startswith(("SERVICE_", "COGNITO_"))}
    yield _variables({name: told[name] for name in told if name in library})
    yield "The three services of the demo are configured by these:"
    yield _variables({name: told[name] for name in told if name not in library})


def _variables(told: dict[str, str]) -> str:
    rows = [f"| `{name}` | {meaning} |" for name, meaning in told.items()]
    return "\n".join(["| variable | meaning |", "|---|---|", *rows])


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
