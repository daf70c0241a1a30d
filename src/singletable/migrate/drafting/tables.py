"""The old tables as a draft sees them: names, keys, types, what refers to what, and a few values.

A SQL database tells all of this but the values. Elsewhere, some items are looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any
from uuid import UUID

from singletable.migrate.sources.dynamodb import DynamoSource
from singletable.migrate.sources.files import FileSource
from singletable.migrate.sources.source import Kind, Row, Source

from .names import words

if TYPE_CHECKING:
    from sqlalchemy import Table
    from sqlalchemy.types import TypeEngine

SAMPLE = 200
LENGTH_MAX = 40
"""Longer texts are no names of states."""

# Types of PostgreSQL by how their names begin; what is not here is taken as it comes.
_NATIVE: Mapping[str, type] = {
    "text": str, "character": str, "citext": str, "integer": int, "bigint": int, "smallint": int,
    "numeric": float, "real": float, "double": float, "boolean": bool, "timestamp": datetime,
    "date": date, "uuid": UUID, "json": dict, "bytea": bytes,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Column:
    """A column, or an attribute that some items have."""

    name: str
    type: type | None = None
    """What its values are in Python, roughly: all documents are ``dict``; None is unknown."""
    nullable: bool = True
    values: frozenset[Any] = frozenset()
    """Short ones of the sample."""
    sparse: bool = False
    """Whether some items of the sample do not have it."""


@dataclass(frozen=True, slots=True)
class OldTable:
    """A table that is left."""

    name: str
    key: tuple[str, ...]
    columns: Mapping[str, Column]
    refers: Mapping[str, str] = field(default_factory=dict)
    """Columns that hold the key of a row of another table, and that table's name."""


def look(source: Source) -> dict[str, OldTable]:
    """Look at all tables of a source; writes nothing."""
    sampled = isinstance(source, DynamoSource | FileSource)
    found = dict(_sampled(source) if sampled else _reflected(source))
    return {name: _referring(table, found.values()) for name, table in found.items()}


def _sampled(source: Source) -> Iterator[tuple[str, OldTable]]:
    for name, kind in source.kinds().items():
        rows = _rows(source, name)
        names = dict.fromkeys([*kind.columns, *(column for row in rows for column in row)])
        columns = {column: _seen(column, rows) for column in names}
        yield name, OldTable(name, kind.key, columns)


def _rows(source: Source, kind: str) -> list[Row]:
    spans = source.split(kind, 1)
    rows, _ = source.read(kind, spans[0], SAMPLE) if spans else ((), None)
    return [row for row in rows if isinstance(row, Row)]


def _seen(name: str, rows: Sequence[Row]) -> Column:
    given = [row.get(name) for row in rows]
    types = {_type_of(value) for value in given if value is not None}
    [type_] = types if len(types) == 1 else [None]
    sparse = any(name not in row for row in rows)
    return Column(name, type_, None in given, _short(given), sparse)


def _type_of(value: Any) -> type:
    if isinstance(value, Decimal):
        return float
    return list if isinstance(value, set | frozenset) else type(value)


def _short(values: Iterable[Any]) -> frozenset[Any]:
    return frozenset(one for one in values if isinstance(one, str) and len(one) <= LENGTH_MAX)


def _reflected(source: Any) -> Iterator[tuple[str, OldTable]]:
    kinds: Mapping[str, Kind] = source.kinds()
    tables: Mapping[str, Table] = source.tables.by_kind
    keys = {
        f"{tables[name].fullname}.{kind.key[0]}": name
        for name, kind in kinds.items()
        if len(kind.key) == 1
    }
    for name, kind in kinds.items():
        rows = _rows(source, name)
        columns = {
            one.name: Column(
                one.name,
                _python(one.type),
                bool(one.nullable) and one.name not in kind.key,
                _short(row.get(one.name) for row in rows),
            )
            for one in tables[name].c
        }
        yield name, OldTable(name, kind.key, columns, _foreign(tables[name], keys))


def _foreign(table: Table, keys: Mapping[str, str]) -> dict[str, str]:
    """Give the columns that refer to the key of another table on their own."""
    constraints = table.foreign_key_constraints  # in no order
    alone = [one.elements[0] for one in constraints if len(one.elements) == 1]
    targets = {one.parent.name: one.target_fullname for one in alone}
    known = (one.name for one in table.c if targets.get(one.name) in keys)
    return {name: keys[targets[name]] for name in known}


def _python(type_: TypeEngine[Any]) -> type | None:
    """Say what the values of a SQL type are in Python."""
    name = str(getattr(type_, "base", "")).lower()
    if name.endswith("[]"):
        return list
    for begin, python in _NATIVE.items():
        if name.startswith(begin):
            return python
    try:
        usual = getattr(type_, "usual", type_).python_type
    except NotImplementedError:
        return None
    return float if usual is Decimal else usual if isinstance(usual, type) else None


def _referring(table: OldTable, others: Iterable[OldTable]) -> OldTable:
    """Add references that are not declared, but named: ``campaign_id`` is the id of a campaign."""
    named = {
        (*words(other.name), *words(other.key[0])): other.name
        for other in others
        if len(other.key) == 1 and other.name != table.name
    }
    told = {one: named[words(one)] for one in table.columns if words(one) in named}
    return replace(table, refers={**told, **table.refers})
