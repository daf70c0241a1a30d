"""Every error: when it is raised, and what to do about it (remedies.toml)."""

import inspect
import pkgutil
import re
import tomllib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import singletable
from singletable.errors import ServiceError, SingletableError
from singletable.store.retries import KINDS

from . import declarations

REMEDIES = Path(__file__).with_name("remedies.toml")
INTERNAL = {"TableGone", "KeyMismatch", "_Conflict", "Interrupted"}
"""What never leaves the library."""

INTRO = """\
# Errors

Every error that the library raises, when, and what to do about it.

All of them are `singletable.SingletableError`. They can be pickled, and those that stand in
`singletable.errors` are imported from there or, the usual ones, from `singletable`.

```
{tree}
```"""
OF_THE_SERVICE = """\
## What DynamoDB answers

Each is a `ServiceError`, named as on the wire, with `code`, `status`, `message`, `fields` and
boto3's `response`; where botocore is loaded it is a `ClientError`, too. A store makes errors of its
own of those that it can explain, and sends again what is marked *sent again* below, as often as
[`Retries`](singletable.md#retries) says. The embedded engine says what the service says."""


def page() -> str:
    """Write the page."""
    remedies = tomllib.loads(REMEDIES.read_text("utf-8"))
    ours, theirs = _all()
    _compare({cls.__name__ for cls in [*ours, *theirs]}, set(remedies))
    tree = _tree()
    parts = [INTRO.format(tree=tree)]
    parts += [part for cls in ours for part in _entry(cls, remedies[cls.__name__])]
    parts.append(OF_THE_SERVICE)
    parts += [part for cls in theirs for part in _entry(cls, remedies[cls.__name__])]
    return "\n\n".join(parts) + "\n"


def names() -> list[str]:
    """Name every error that a user may meet."""
    return [cls.__name__ for group in _all() for cls in group]


def _all() -> tuple[list[type[Any]], list[type[Any]]]:
    """List the library's errors and the service's, in the order of the tree."""
    _load()
    found: list[type[Any]] = list(dict.fromkeys(_below(SingletableError)))
    theirs = [cls for cls in found if issubclass(cls, ServiceError)]
    ours = [cls for cls in found if not issubclass(cls, ServiceError)]
    return [SingletableError, *ours], theirs


def _load() -> None:
    for module in pkgutil.walk_packages(singletable.__path__, "singletable."):
        if not module.name.startswith("singletable.cli."):
            import_module(module.name)


def _below(cls: type[Any]) -> Iterator[type[Any]]:
    # By where they stand, since the order in which modules were imported is no order.
    for each in sorted(cls.__subclasses__(), key=_place):
        if not each.__module__.startswith("singletable"):
            continue
        if each.__name__ not in INTERNAL and _is_declared(each):
            yield each
        yield from _below(each)


def _is_declared(cls: type[Any]) -> bool:
    """Tell a class of the source from one that was made while a program ran."""
    return vars(import_module(cls.__module__)).get(cls.__name__) is cls


def _place(cls: type[Any]) -> tuple[bool, str, int]:
    first = cls.__module__ != "singletable.errors"
    declared = _is_declared(cls)
    return first, cls.__module__, inspect.getsourcelines(cls)[1] if declared else 0


def _tree() -> str:
    text = inspect.getdoc(import_module("singletable.errors")) or ""
    drawn = re.search(r"^ {4}SingletableError\n(?:^ {4}.*\n)+", text, re.MULTILINE)
    assert drawn, "the docstring of errors.py draws no tree"
    return "\n".join(line[4:] for line in drawn[0].rstrip().splitlines())


def _entry(cls: type[Any], remedy: str) -> Iterator[str]:
    yield f"### `{cls.__name__}`"
    facts = f"{declarations.doc_of(cls)}{_again(cls)}"
    where = "" if cls.__module__ == "singletable.errors" else f" It is from `{_home(cls)}`."
    yield facts + where
    yield f"**What to do.** {remedy}"


def _home(cls: type[Any]) -> str:
    """Name the nearest package that gives an error out, or its own module."""
    parts = cls.__module__.split(".")
    packages = (".".join(parts[:end]) for end in range(2, len(parts)))
    named = (p for p in packages if cls.__name__ in getattr(import_module(p), "__all__", ()))
    return next(named, cls.__module__)


def _again(cls: type[Any]) -> str:
    kind = KINDS.get(getattr(cls, "wire_name", None) or cls.__name__)
    told = {"throttled": "*Sent again.*", "conflict": "*Sent again.*"}
    unknown = "*Sent again where running it twice comes to the same as once.*"
    return f" {told.get(kind, unknown)}" if kind else ""


def _compare(errors: set[str], told: set[str]) -> None:
    if errors != told:
        raise LookupError(
            f"{REMEDIES.name} lacks {sorted(errors - told)} and has {sorted(told - errors)}, "
            "which are no errors of the library"
        )
