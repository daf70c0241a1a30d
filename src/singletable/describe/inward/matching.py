"""Which field a part of a key is, and how it is written there.

Every way in which a template can write a field is tried on the values of the sample items, by the
templates themselves; the plain one first, and the hash of a shard last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date
from typing import Any

from singletable.errors import DesignError, KeyValueError
from singletable.model.templates import Template
from singletable.model.templates.specs import SHARDS_MAX

from .columns import Column
from .names import snake

BUCKETS = ("%Y", "%Y-%m", "%Y-%m-%d", "%Y-%m-%dT%H", "%Y%m", "%Y%m%d")
SHARD_VALUES_MIN = 3
"""How many different values it takes to believe that a number is a shard."""

Specs = Callable[[Any, Sequence[Any], Sequence[str]], Iterator[str]]
"""Gives the specifications to try, for a type, its values and their texts."""


def matching(
    columns: Sequence[Column], texts: Sequence[str], rows: Sequence[int], before: str
) -> str | None:
    """Give the slot that writes these texts in these rows; None where no field does.

    Of several fields, the one is taken that is named as the constant in front of it.
    """
    filled = [
        one
        for one in columns
        if all(one.values[row] is not None for row in rows) and not _is_chance(one, rows, before)
    ]
    filled.sort(key=lambda one: not before or not one.name.startswith(snake(before)))
    ways: tuple[Specs, ...] = (lambda *_: iter([""]), _formatted, _sharded)
    for specs in ways:
        for column in filled:
            values = [column.values[row] for row in rows]
            for spec in specs(column.type, values, texts):
                if _writes(column.type, spec, values, texts):
                    return f"{{{column.name}:{spec}}}" if spec else f"{{{column.name}}}"
    return None


def _is_chance(column: Column, rows: Sequence[int], before: str) -> bool:
    """Tell whether a field of other keys may have the same value here by chance: it has but one."""
    return column.word not in {"", before} and len({column.values[row] for row in rows}) == 1


def _formatted(type_: Any, _: Sequence[Any], texts: Sequence[str]) -> Iterator[str]:
    if type_ is int:
        yield from (f"0{len(texts[0])}d", f"0{len(texts[0])}d desc")
    elif isinstance(type_, type) and issubclass(type_, date):
        yield from (*BUCKETS, "desc")
    elif type_ is str:
        yield from ("lower", "escaped")


def _sharded(type_: Any, values: Sequence[Any], texts: Sequence[str]) -> Iterator[str]:
    """Give the numbers of shards that texts of this width can be of, the largest first."""
    width = len(texts[0])
    fits = all(text.isdigit() and len(text) == width for text in texts)
    if type_ is str and fits and len(set(values)) >= SHARD_VALUES_MIN:
        for count in range(min(10**width, SHARDS_MAX), max(10 ** (width - 1), 1), -1):
            yield f"shard {count}"


def _writes(type_: Any, spec: str, values: Sequence[Any], texts: Sequence[str]) -> bool:
    try:
        template = Template.compile(f"{{value:{spec}}}", {"value": type_})
        pairs = zip(values, texts, strict=True)
        return all(template.build({"value": value}) == text for value, text in pairs)
    except (DesignError, KeyValueError):
        return False
