"""Changes of a PostgreSQL database, read from an outbox that triggers fill.

Transactions do not end in the order in which they begin, so a note may appear below others that
were read already. Only notes of transactions older than all that are still under way are read, in
the order of the transactions: nothing can appear before them any more. A transaction that takes
long delays what comes after it, and loses nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Table,
    Text,
    cast,
    column,
    func,
    literal,
    literal_column,
    select,
    table,
    text,
    true,
    tuple_,
)

from singletable.errors import UsageError
from singletable.migrate.sources.errors import ChangesLost
from singletable.migrate.sources.source import Changed

from . import ids
from .reflecting import Tables, key_of
from .triggers import SCHEMA, qualified
from .types import Native

_LATEST = "SELECT pg_snapshot_xmax(pg_current_snapshot())::text"
_INSTALLED = f"SELECT to_regclass('{SCHEMA}.following') IS NOT NULL"
_MISSING = f"""
    SELECT kind FROM {SCHEMA}.followed f WHERE NOT EXISTS (
        SELECT FROM pg_trigger t
        WHERE t.tgrelid = f.relation AND t.tgname = f.trigger AND t.tgenabled = 'A'
    ) LIMIT 1
"""

_ZERO = r"(?<!\\)((?:\\\\)*)\\u0000"  # not where the backslash is escaped itself

_outbox = table(
    "outbox",
    column("number", BigInteger),
    column("tx", Native("xid8", "xid8")),
    column("kind", Text),
    column("key", Native("json", "json")),
    column("old", Native("json", "json")),
    schema=SCHEMA,
)


@dataclass(frozen=True, slots=True)
class Position:
    """A place among the notes of an outbox: after this transaction's note of this number."""

    generation: str
    tx: int = 0
    number: int = 0

    def __str__(self) -> str:
        return f"{self.generation}/{self.tx}/{self.number}"

    @classmethod
    def parse(cls, position: str) -> Position:
        """Read a position."""
        try:
            generation, tx, number = position.split("/")
            return cls(generation, int(tx), int(number))
        except ValueError:
            raise UsageError(f"{position!r} is no position in a PostgreSQL outbox") from None


@dataclass(frozen=True, slots=True)
class Outbox:
    """Reads the notes of an outbox over one connection."""

    connection: Connection
    tables: Tables

    def changes(self, after: Position, limit: int) -> tuple[list[Changed], Position]:
        """Give changes after a position, in an order in which none can come before them later."""
        self._check(after)
        places = self._places(after, limit)
        if not places:
            return [], after
        end = Position(after.generation, *places[-1][:2])
        found = {
            number: changed
            for kind in {kind for _, _, kind in places}
            for number, changed in self._of_kind(kind, after, end)
        }
        return [found[number] for _, number, _ in places], end

    def backlog(self, after: Position) -> int:
        """Count the changes after a position."""
        self._check(after)
        query = select(func.count()).select_from(_outbox).where(_beyond(after))
        return self.connection.scalars(query).one()

    def _check(self, position: Position) -> None:
        """Refuse a position of which the outbox cannot say all that came after."""
        if not is_installed(self.connection):
            raise ChangesLost("The outbox was removed, so that changes are not all known")
        latest = int(self.connection.scalars(text(_LATEST)).one())
        if generation(self.connection) != position.generation or position.tx > latest:
            raise ChangesLost(
                "The outbox is another than the one that this migration began with, so that "
                "changes are not all known"
            )
        check_triggers(self.connection)

    def _places(self, after: Position, limit: int) -> Sequence[tuple[int, int, str]]:
        """Find the next notes that no other can come before: transaction, number and kind."""
        tx, number, kind, unnamed = (
            *(_outbox.c.tx, _outbox.c.number, _outbox.c.kind),
            _outbox.c.key.is_(None),
        )
        settled = tx < func.pg_snapshot_xmin(func.pg_current_snapshot())
        query = select(cast(tx, Text), number, kind, unnamed).where(settled, _beyond(after))
        found = self.connection.execute(query.order_by(tx, number).limit(limit)).all()
        for *_, truncated, is_unnamed in found:
            if is_unnamed:
                raise ChangesLost(
                    f"The table {truncated!r} was truncated in a transaction that could not see "
                    "all its rows, so that not all that went is known"
                )
        return [(int(one[0]), one[1], one[2]) for one in found]

    def _of_kind(self, kind: str, after: Position, end: Position) -> list[tuple[int, Changed]]:
        """Read the notes on one table, as the values that its columns would give."""
        followed = self.tables.get(kind)
        key = [
            cast(func.json_extract_path_text(_outbox.c.key, part.name), part.type)
            for part in key_of(followed)
        ]
        no_row: ColumnElement[Any] = literal_column(f"NULL::{qualified(self.connection, followed)}")
        old = func.json_populate_record(no_row, _readable(followed)).table_valued(
            *(column(part.name, part.type) for part in followed.c), name="old_"
        )
        query = (
            select(_outbox.c.number, _outbox.c.old.is_not(None), *key, *old.c)
            .select_from(_outbox.outerjoin(old, true()))
            .where(_outbox.c.kind == kind, _beyond(after), ~_beyond(end))
        )
        changes = []
        for number, had, *values in self.connection.execute(query):
            of_key, of_row = values[: len(key)], values[len(key) :]
            image = dict(zip(followed.c.keys(), of_row, strict=True)) if had else None
            changes.append((number, Changed(kind, ids.written(of_key), image)))
        return changes


def is_installed(connection: Connection) -> bool:
    """Tell whether there is an outbox."""
    return bool(connection.scalars(text(_INSTALLED)).one())


def generation(connection: Connection) -> str:
    """Tell one outbox from another in its place."""
    query = text(f"SELECT generation::text FROM {SCHEMA}.following")
    return str(connection.scalars(query).one())


def check_triggers(connection: Connection) -> None:
    """Refuse to go on where a table is not followed any more."""
    for kind in connection.scalars(text(_MISSING)):
        raise ChangesLost(
            f"A trigger of the table {kind!r} was removed or disabled, or a partition dropped, so "
            "that its changes are not all known"
        )


def _readable(followed: Table) -> ColumnElement[Any]:
    """Give the old row without the characters that only a document of ``json`` can have.

    PostgreSQL keeps U+0000 in one, but makes no values of it; it is told as U+FFFD.
    """
    if not any(getattr(one.type, "base", "").startswith("json") for one in followed.c):
        return _outbox.c.old
    return cast(
        func.regexp_replace(cast(_outbox.c.old, Text), _ZERO, r"\1\\ufffd", "g"),
        _outbox.c.old.type,
    )


def _beyond(position: Position) -> ColumnElement[bool]:
    tx, number = literal(str(position.tx), _outbox.c.tx.type), literal(position.number, BigInteger)
    return tuple_(_outbox.c.tx, _outbox.c.number) > tuple_(tx, number)
