"""Which entities a migration makes, from the code of its rules: by their names there.

It is a guess that misses what code finds otherwise than by its name, so it never decides alone: a
row that makes an entity says it too.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any

from singletable.model.entity import Entity

from .migration import Migration, Rule


def named_by(migration: type[Migration[Any]], rule: Rule) -> list[str]:
    """Name the entities that a rule mentions, itself or in functions that it calls."""
    seen: dict[Any, None] = {}
    waiting: list[Any] = [rule.method]
    while waiting:
        for found in _mentioned(migration, waiting.pop()):
            if found not in seen:
                seen[found] = None
                if isinstance(found, FunctionType):
                    waiting.append(found)
    return [one.__name__ for one in seen if isinstance(one, type)]


def _mentioned(migration: type, function: Any) -> Iterator[Any]:
    cells = (cell.cell_contents for cell in function.__closure__ or ())
    named = (
        found
        for name in _names(function.__code__)
        for found in (function.__globals__.get(name), getattr(migration, name, None))
    )
    for found in (*named, *cells):
        if isinstance(found, FunctionType) or _is_entity(found):
            yield found


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _is_entity(found: Any) -> bool:
    return isinstance(found, type) and issubclass(found, Entity)
