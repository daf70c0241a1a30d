"""Rows into a database, as a revert needs it: in the place of those with their keys.

Never by deleting first: what refers to a row could go with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, Date, DateTime, Table, delete, insert, select, text, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler

from singletable.migrate.sources.errors import SourceRefused
from singletable.migrate.sources.source import Id

from .keys import among, equal, values_of
from .reading import IDS_MAX
from .reflecting import Tables, key_of
from .triggers import qualified

Values = Mapping[str, Any]


class _WithIds(postgresql.Insert):
    """Inserts the values given also where the database makes them itself."""

    inherit_cache = True


@compiles(_WithIds, "postgresql")
def _with_ids(insertion: _WithIds, compiler: SQLCompiler, **options: Any) -> str:
    written: str = compiler.visit_insert(insertion, **options)  # type: ignore[no-untyped-call]  # theirs
    return written.replace(") VALUES (", ") OVERRIDING SYSTEM VALUE VALUES (", 1)


_INSERTS: Mapping[str, type[postgresql.Insert | sqlite.Insert]] = {
    "postgresql": _WithIds,
    "sqlite": sqlite.Insert,
}


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes rows over one connection."""

    connection: Connection
    tables: Tables

    def put(self, kind: str, rows: Sequence[Values]) -> None:
        """Write rows; columns that a row does not name keep what they have."""
        table = self.tables.get(kind)
        written = [_writable(kind, table, row) for row in rows]
        if self.connection.dialect.name == "sqlite":
            written = [_with_moments_as_texts(table, row) for row in written]
        for names, alike in groupby(written, key=tuple):
            self._put(table, names, list(alike))
        if written and self.connection.dialect.name == "postgresql":
            self._raise_sequences(table, written)

    def delete(self, kind: str, wanted: Sequence[Id]) -> None:
        """Delete rows by their keys."""
        table = self.tables.get(kind)
        values = [values_of(key_of(table), one) for one in wanted]
        for start in range(0, len(values), IDS_MAX):
            some = values[start : start + IDS_MAX]
            chosen = among(key_of(table), some, self.connection.dialect.name)
            self.connection.execute(delete(table).where(chosen))

    def _put(self, table: Table, names: Sequence[str], rows: list[Values]) -> None:
        others = [name for name in names if name not in table.primary_key.columns]
        made = _INSERTS.get(self.connection.dialect.name)
        if made is None:
            for row in rows:
                self._put_one(table, row, others)
            return
        insertion = made(table)
        key = key_of(table)
        updated = {name: insertion.excluded[name] for name in others if not _only_made(table, name)}
        upsert = (
            insertion.on_conflict_do_update(index_elements=key, set_=updated)
            if updated
            else insertion.on_conflict_do_nothing(index_elements=key)
        )
        self.connection.execute(upsert, [dict(row) for row in rows])

    def _put_one(self, table: Table, row: Values, others: Sequence[str]) -> None:
        """Write a row where there is no upsert that goes by the primary key alone."""
        this = equal(key_of(table), tuple(row[column.name] for column in key_of(table)))
        there = self.connection.execute(select(*key_of(table)).where(this)).first()
        if there is None:
            self.connection.execute(insert(table).values(**row))
        elif others:
            changed = {name: row[name] for name in others}
            self.connection.execute(update(table).where(this).values(**changed))

    def _raise_sequences(self, table: Table, rows: Sequence[Values]) -> None:
        """Have the database make no number again that was written."""
        for column in table.c:
            numbers = [row[column.name] for row in rows if isinstance(row.get(column.name), int)]
            if numbers and (column.identity is not None or _is_serial(column.server_default)):
                where = {"table": qualified(self.connection, table), "column": column.name}
                self.connection.execute(text(_RAISE), {**where, "number": max(numbers)})


_RAISE = """
    SELECT setval(found.name::regclass, :number)
    FROM (SELECT pg_get_serial_sequence(:table, :column) AS name) found
    WHERE found.name IS NOT NULL
        AND :number > coalesce(pg_sequence_last_value(found.name::regclass), 0)
"""


def _is_serial(default: Any) -> bool:
    return "nextval(" in str(getattr(default, "arg", ""))


def _only_made(table: Table, name: str) -> bool:
    identity = table.c[name].identity
    return identity is not None and bool(identity.always)


def _writable(kind: str, table: Table, row: Values) -> dict[str, Any]:
    """Leave out what the database computes; refuse what it has no column for."""
    unknown = [name for name in row if name not in table.c]
    missing = [column.name for column in key_of(table) if row.get(column.name) is None]
    if unknown or missing:
        what = f"has no column {unknown[0]!r}" if unknown else f"needs a value of {missing[0]!r}"
        raise SourceRefused(f"The table {kind!r} {what}: the row to write is {dict(row)!r:.200}")
    return {
        column.name: row[column.name]
        for column in table.c
        if column.name in row and column.computed is None
    }


def _with_moments_as_texts(table: Table, row: Values) -> dict[str, Any]:
    """Write days and times as sqlite3 would by itself, which it has given up by Python 3.12."""
    return {
        name: _text(value) if isinstance(value, date) and not _is_timed(table, name) else value
        for name, value in row.items()
    }


def _is_timed(table: Table, name: str) -> bool:
    return isinstance(table.c[name].type, Date | DateTime)


def _text(moment: date) -> str:
    return moment.isoformat(" ") if isinstance(moment, datetime) else moment.isoformat()
