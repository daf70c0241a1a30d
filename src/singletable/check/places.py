"""Where in the source a finding is: the file and line of the pattern, the entity or the store."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from singletable.store.store import Store

from .finding import Finding


class Place(NamedTuple):
    """Is a line of a file."""

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
        line = inspect.getsourcelines(subject)[1]
    except (OSError, TypeError):
        return None
    return Place(_relative(Path(file)), line) if file else None


def _relative(path: Path) -> str:
    """Give a path from the current directory, as other tools do, if it lies there."""
    here = Path.cwd()
    return (path.relative_to(here) if path.is_relative_to(here) else path).as_posix()
