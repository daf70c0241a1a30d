"""Where in the source a finding is: the file and line of the pattern, the entity or the store."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from linecache import getlines
from pathlib import Path
from typing import Any, NamedTuple

from singletable.store.store import Store

from .finding import Finding


class Place(NamedTuple):
    """A line of a file."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


def place_of(store: type[Store], finding: Finding) -> Place | None:
    """Find the line that a finding is about; None for what has no source, such as a prompt."""
    subject: type | Callable[..., Any] = store
    if finding.pattern and finding.pattern in store.patterns:
        subject = store.patterns[finding.pattern].method
    elif finding.entity:
        subject = _entity(store, finding.entity.partition(".")[0]) or store
    return _source(subject)


def _entity(store: type[Store], name: str) -> type | None:
    """Find an entity, or a base of entities, by its name."""
    classes = (base for one in store.table.entities.values() for base in one.entity.__mro__)
    return next((one for one in classes if one.__name__ == name), None)


@cache
def _source(subject: type | Callable[..., Any]) -> Place | None:
    try:
        file = inspect.getsourcefile(subject)
    except TypeError:  # of a class that is in no module's file
        return None
    line = _line(subject, file) if file else None
    return Place(_relative(Path(file)), line) if file and line else None


def _line(subject: type | Callable[..., Any], file: str) -> int | None:
    if isinstance(subject, type):
        return _classes(file).get(subject.__qualname__)
    code = getattr(inspect.unwrap(subject), "__code__", None)
    return code.co_firstlineno if code else None


@cache
def _classes(file: str) -> Mapping[str, int]:
    """Give the lines of a file at which its classes begin; inspect parses it for each class."""
    try:
        tree = ast.parse("".join(getlines(file)))
    except SyntaxError:  # it was changed since it was imported
        return {}
    return dict(_lines(tree, ""))


def _lines(node: ast.AST, outer: str) -> Iterator[tuple[str, int]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            name = f"{outer}{child.name}"
            yield name, min([child.lineno, *(one.lineno for one in child.decorator_list)])
            yield from _lines(child, f"{name}.")
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _lines(child, f"{outer}{child.name}.<locals>.")
        elif isinstance(child, ast.stmt | ast.excepthandler):
            yield from _lines(child, outer)


def _relative(path: Path) -> str:
    """Give a path from the current directory, as other tools do, if it lies there."""
    here = Path.cwd()
    return (path.relative_to(here) if path.is_relative_to(here) else path).as_posix()
