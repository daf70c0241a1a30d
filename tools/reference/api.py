"""The public names of each part, from their docstrings."""

import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from singletable.errors import SingletableError
from singletable.model.running import Read

from . import declarations

HOMES = {
    "model.table": "Tables",
    "model.entity": "Entities",
    "model.fields": "Fields",
    "model.large": "Large content",
    "model.indexes": "Indexes",
    "model.upgrades": "Older schemas",
    "model.patterns": "Access patterns",
    "model.reads": "Reads",
    "model.views": "Views",
    "model.pages": "Pages",
    "model.conditions": "Conditions",
    "model.changes": "Changes",
    "store.store": "Stores",
    "store.writing.transactions": "Transactions",
    "store.retries": "Retries",
    "store.observing.events": "Events of requests",
    "store.observing.emf": "Metrics for CloudWatch",
    "store.observing.telemetry": "Traces",
    "engine.engine": "The engine",
    "engine.hardships": "Hardships of the engine",
    "engine.metering": "The engine's meter",
}
"""The groups of ``singletable``'s names, in the order of the page: module → heading."""

OF_READS = {"but", "by", "of", "most", "page_max"}
"""What the store uses of a description, and nobody else."""


@dataclass(frozen=True, slots=True)
class Part:
    """A module whose public names have a page."""

    module: str
    guide: str
    """The page that tells how they are used."""

    def page(self) -> str:
        """Write the page."""
        module = import_module(self.module)
        doc = declarations.doc_of(module)
        head = [f"# `{self.module}`", declarations.first_paragraph(doc), self.guide]
        return "\n\n".join([*head, *_named(module)]) + "\n"


MODULES = {
    "singletable": Part(
        "singletable",
        "The [tutorial](../tutorial.md) begins with them, the [cookbook](../patterns/README.md) "
        "has them at work.",
    ),
    "check": Part("singletable.check", "[The rules](../check/README.md) have a page each."),
    "describe": Part("singletable.describe", "[Describe](../describe.md) tells how."),
    "streams": Part("singletable.streams", "[After a write](../streams.md) tells how."),
    "aggregates": Part(
        "singletable.streams.aggregates", "[Aggregates](../aggregates.md) tells how."
    ),
    "search": Part("singletable.streams.search", "[Search](../search.md) tells how."),
    "events": Part("singletable.streams.events", "[Events](../events.md) tells how."),
    "sync": Part("singletable.sync", "[Sync](../sync.md) tells how."),
    "migrate": Part("singletable.migrate", "[Into one table](../migrate.md) tells how."),
    "backends": Part(
        "singletable.backends", "[Put it on AWS](../guides/aws.md) has the addresses."
    ),
    "server": Part("singletable.server", "[Operations](../operations.md#over-http) tells how."),
}


def _named(module: Any) -> Iterator[str]:
    """Write every public name: in groups, where there are homes for them."""
    things = {name: getattr(module, name) for name in module.__all__}
    errors = [name for name, thing in things.items() if _is_error(thing)]
    rest = {name: thing for name, thing in things.items() if name not in errors}
    if module.__name__ != "singletable":
        for name, thing in rest.items():
            yield from _entry(name, thing, module)
    else:
        yield from _grouped(rest, module)
    if errors:
        yield "## Errors"
        yield "\n".join(f"- [`{name}`](errors.md#{name.lower()})" for name in sorted(errors))


def _grouped(things: dict[str, Any], module: Any) -> Iterator[str]:
    homes = {name: module._HOMES[name].removeprefix("singletable.") for name in things}  # noqa: SLF001 - who else knows where a name is from
    homes = {name: {"engine": "engine.engine"}.get(home, home) for name, home in homes.items()}
    unknown = sorted(set(homes.values()) - set(HOMES))
    if unknown:
        raise LookupError(f"tools/reference/api.py has no heading for the names of {unknown}")
    for home, heading in HOMES.items():
        yield f"## {heading}"
        for name in sorted((n for n, h in homes.items() if h == home), key=str.lower):
            yield from _entry(name, things[name], module)


def _is_error(thing: Any) -> bool:
    return isinstance(thing, type) and issubclass(thing, SingletableError)


def _entry(name: str, thing: Any, module: Any) -> Iterator[str]:
    yield f"### `{name}`"
    if isinstance(thing, type) and thing.__module__.startswith(declarations.OURS):
        made = declarations.construction(thing)
        if made != name:
            yield _code(made)
        yield declarations.doc_of(thing)
        yield from _members(thing)
    elif inspect.isroutine(thing):
        yield _code(declarations.function(name, thing))
        yield declarations.doc_of(thing)
    else:
        yield _constant(name, module)


def _constant(name: str, module: Any) -> str:
    home = declarations.home(module, name)
    doc = declarations.constant(import_module(home), name)
    if not doc:
        raise LookupError(f"{home}.{name} has no text below it that says what it is")
    return declarations.markdown(doc)


def _members(cls: type) -> Iterator[str]:
    operations = _operations(cls)
    shown = [each for each in declarations.members(cls) if each.name not in operations]
    if issubclass(cls, Read):  # made by calls: its fields are nobody's business
        shown = [each for each in shown if each.doc and each.name not in OF_READS]
    lines = _lines(shown)
    if lines:
        yield "\n".join(lines)
    if operations:
        yield "It has a method for every operation, with the arguments and answers of boto3's:"
        yield "\n".join(f"- `{name}(**request)`" for name in operations)


def _lines(members: list[declarations.Member]) -> list[str]:
    """Write a line for each member; async twins stand beside what they are twins of."""
    docs = {each.name: each.doc for each in members}
    twins = {
        name
        for name in docs
        if docs.get(f"a{name}", "") and docs[name].startswith(docs[f"a{name}"])
    }
    lines = []
    for each in members:
        if each.name[:1] == "a" and each.name[1:] in twins:
            continue
        twin = f", async `a{each.name}`" if each.name in twins else ""
        lines.append(f"- `{each.shown}`{twin}" + (f"<br>{each.doc}" if each.doc else ""))
    return lines


def _operations(cls: type) -> list[str]:
    """List what an engine has of boto3's client."""
    if cls.__name__ != "Engine":
        return []
    from singletable.engine.methods import Methods

    return sorted(name for name in vars(Methods) if not name.startswith("_"))


def _code(text: str) -> str:
    return f"```py\n{text}\n```"
