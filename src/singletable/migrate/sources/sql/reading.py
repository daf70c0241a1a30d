"""Rows out of a database: in spans, by their keys, with those of other tables that belong to them.

A page is one query that begins after the last key of the page before, so that it costs the same
wherever it is, and memory holds no more than a page.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

from sqlalchemy import Column, ColumnElement, Connection, Select, Table, func, or_, select

from singletable.migrate.sources.errors import SourceUnusable
from singletable.migrate.sources.source import Id, Parents, Related, Row, Span

from . import ids
from .keys import Key, among, equal, values_of, within
from .reflecting import Tables, key_of

IDS_MAX = 500
"""In one query: a database takes a limited number of parameters."""


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads rows over one connection."""

    connection: Connection
    tables: Tables

    def count(self, kind: str) -> int:
        """Count all rows."""
        query = select(func.count()).select_from(self.tables.get(kind))
        return self.connection.scalars(query).one()

    def split(self, kind: str, parts: int) -> list[Span]:
        """Divide all rows into spans of about the same length, by one pass over the keys."""
        self._refuse_nulls(kind)
        rows = ceil(self.count(kind) / max(parts, 1))
        bounds = self._bounds(kind, rows) if parts > 1 and rows else []
        return [Span(*ends) for ends in zip([None, *bounds], [*bounds, None], strict=True)]

    def page(
        self, kind: str, span: Span, limit: int, related: Related
    ) -> tuple[list[Row], Span | None]:
        """Read the first rows of a span, in order; give what is left of it, or None."""
        table = self.tables.get(kind)
        key = key_of(table)
        chosen = within(key, span, self._dialect)
        rows = self._rows(kind, select(table).where(chosen).order_by(*key).limit(limit))
        return self._with_related(kind, rows, related), _rest(span, rows, limit)

    def fetch(self, kind: str, wanted: Sequence[Id], related: Related) -> list[Row | None]:
        """Read rows by their keys; None for one that is not there."""
        key = key_of(self.tables.get(kind))
        asked = [values_of(key, one) for one in wanted]
        found = {
            values: row
            for some in _chunks([*dict.fromkeys(asked)])
            for values, row in self._found(kind, some)
        }
        rows = {row.id: row for row in found.values()}
        whole = {row.id: row for row in self._with_related(kind, [*rows.values()], related)}
        return [whole[found[values].id] if values in found else None for values in asked]

    def orphans(
        self, kind: str, parents: Parents, span: Span, limit: int
    ) -> tuple[list[Row], Span | None]:
        """Read the first rows of a span that no parent has; give what is left of it, or None."""
        table = self.tables.get(kind)
        key = key_of(table)
        chosen = within(key, span, self._dialect), *self._parentless(kind, parents)
        rows = self._rows(kind, select(table).where(*chosen).order_by(*key).limit(limit))
        return rows, _rest(span, rows, limit)

    def fetch_orphans(self, kind: str, parents: Parents, wanted: Sequence[Id]) -> list[Row | None]:
        """Read rows by their keys; None for one that is not there, or that a parent has."""
        table, rows = self.tables.get(kind), self.fetch(kind, wanted, {})
        key, found = key_of(table), list(filter(None, rows))
        query = select(table).where(*self._parentless(kind, parents))
        orphans = {
            row.id
            for some in _chunks([_values(row, key) for row in found])
            for row in self._rows(kind, query.where(among(key, some, self._dialect)))
        }
        return [row if row and row.id in orphans else None for row in rows]

    @property
    def _dialect(self) -> str:
        return self.connection.dialect.name

    def _bounds(self, kind: str, rows: int) -> list[Id]:
        """Give the key of every so manieth row, but not of the last."""
        key = key_of(self.tables.get(kind))
        number = func.row_number().over(order_by=key).label("row_number_")
        total = func.count().over().label("row_count_")
        numbered = select(*key, number, total).subquery()
        at = numbered.c.row_number_
        chosen = select(*(numbered.c[column.name] for column in key)).order_by(at)
        query = chosen.where(at % rows == 0, at < numbered.c.row_count_)
        return [ids.written(values) for values in self.connection.execute(query)]

    def _refuse_nulls(self, kind: str) -> None:
        """Refuse keys without a value, which SQLite allows: no comparison would find their rows."""
        table = self.tables.get(kind)
        if self._dialect != "sqlite":
            return
        without = or_(*(column.is_(None) for column in key_of(table)))
        query = select(func.count()).select_from(table).where(without)
        if count := self.connection.scalars(query).one():
            names = ", ".join(column.name for column in key_of(table))
            raise SourceUnusable(
                f"{count} rows of the table {kind!r} have NULL in their key ({names}): "
                "give them values, or delete them"
            )

    def _rows(self, kind: str, query: Select[Any]) -> list[Row]:
        shape = _Shape.of(kind, self.tables.get(kind))
        return [shape.row(values) for values in self.connection.execute(query).all()]

    def _found(self, kind: str, asked: Sequence[Id]) -> Iterator[tuple[Id, Row]]:
        """Find rows by the values of their keys."""
        table = self.tables.get(kind)
        key = key_of(table)
        query = select(table).where(among(key, asked, self._dialect))
        rows = {_values(row, key): row for row in self._rows(kind, query)}
        yield from ((values, rows[values]) for values in asked if values in rows)
        if not rows.keys() <= set(asked):
            # The database found some by other values than its own, as without regard to case.
            for values in asked:
                if values not in rows:
                    one = self._rows(kind, select(table).where(equal(key, values)))
                    yield from ((values, row) for row in one)

    def _with_related(self, kind: str, rows: list[Row], related: Related) -> list[Row]:
        if not related or not rows:
            return rows
        groups = {other: self._belonging(kind, rows, other, related[other]) for other in related}
        return [
            replace(row, related={other: found.get(row.id, []) for other, found in groups.items()})
            for row in rows
        ]

    def _belonging(
        self, kind: str, rows: list[Row], other: str, column: str
    ) -> dict[Id, list[Row]]:
        """Read the rows of another table that belong to some, each in the order of its own key.

        The database finds which belong to which: it alone knows when two values are the same.
        """
        table, key = self.tables.get(other), self._root_key(kind, other, column)
        joined = table.join(key.table, self.tables.column(other, column) == key)
        query = select(key, table).select_from(joined).order_by(*key_of(table))
        groups: dict[Id, list[Row]] = {}
        shape = _Shape.of(other, table)
        for some in _chunks([_values(row, [key]) for row in rows]):
            chosen = query.where(among([key], some, self._dialect))
            for owner, *values in self.connection.execute(chosen).all():
                groups.setdefault(ids.written([owner]), []).append(shape.row(values))
        return groups

    def _parentless(self, kind: str, parents: Parents) -> Iterator[ColumnElement[bool]]:
        """Say that a row belongs to none of its parents."""
        for parent, column in parents.items():
            key = self._root_key(parent, kind, column)
            yield ~select(key).where(self.tables.column(kind, column) == key).exists()

    def _root_key(self, kind: str, other: str, column: str) -> Column[Any]:
        """Give the key by which rows of another table belong to those of one."""
        table = self.tables.get(kind)
        first, *others = key_of(table)
        if others:
            names = ", ".join(part.name for part in (first, *others))
            raise SourceUnusable(
                f"Rows of {other!r} cannot come along with those of {kind!r} by the column "
                f"{column!r}: the key of {kind!r} has several ({names})"
            )
        return table.alias("root_").c[first.name]


@dataclass(frozen=True, slots=True)
class _Shape:
    """Makes rows of the values that a query gives for all columns of a table."""

    kind: str
    names: Sequence[str]
    key: Sequence[int]

    @classmethod
    def of(cls, kind: str, table: Table) -> _Shape:
        names = table.c.keys()
        return cls(kind, names, [names.index(column.name) for column in key_of(table)])

    def row(self, values: Sequence[Any]) -> Row:
        id_ = ids.written([values[place] for place in self.key])
        return Row(self.kind, id_, dict(zip(self.names, values, strict=True)))


def _values(row: Row, key: Key) -> Id:
    return tuple(row.data[column.name] for column in key)


def _rest(span: Span, rows: Sequence[Row], limit: int) -> Span | None:
    """Give what is left of a span after its first rows."""
    if len(rows) < limit or rows[-1].id == span.upto:
        return None
    return replace(span, after=rows[-1].id)


def _chunks(values: Sequence[Id]) -> Iterator[Sequence[Id]]:
    return (values[start : start + IDS_MAX] for start in range(0, len(values), IDS_MAX))
