"""What rows were, for as long as point-in-time recovery may ask: an image before each change.

A table as it was at a moment is the table as it is, with every key that changed since put back to
what its first change replaced.
"""

from __future__ import annotations

from typing import Any

from .connections import Connection
from .images import Row
from .schema import Table

RETENTION_SECONDS = 35 * 86400
FORGOTTEN_AT_ONCE = 2
"""How many images go, once past, for each that comes: what is kept shrinks, at an even pace."""


def append(tx: Connection, table: Table, now: float, key: bytes, before: Row | None) -> None:
    """Keep what a key held before a change, and forget a little of what is past."""
    data, size = (before.data, before.size) if before else (None, None)
    tx.execute(f"INSERT INTO {table.history} VALUES (?, ?, ?, ?)", (now, key, size, data))
    tx.execute(
        f"DELETE FROM {table.history} WHERE rowid IN"
        f" (SELECT rowid FROM {table.history} WHERE at < ? ORDER BY at LIMIT {FORGOTTEN_AT_ONCE})",
        (now - RETENTION_SECONDS,),
    )


def forget(tx: Connection, table: Table, until: float) -> None:
    """Forget what was changed before a moment."""
    tx.execute(f"DELETE FROM {table.history} WHERE at < ?", (until,))


def forget_later(tx: Connection, table: Table, moment: float) -> None:
    """Forget what was changed after a moment."""
    tx.execute(f"DELETE FROM {table.history} WHERE at > ?", (moment,))


def changes_since(tx: Connection, table: Table, moment: float) -> list[Any]:
    """List the keys that changed after a moment, with the size and data they had then, if any."""
    return tx.execute(f"SELECT key, size, item {_first_changes(table)}", (moment,)).fetchall()


def copy_rows(tx: Connection, source: Table, target: Table, at: float) -> None:
    """Copy the rows that a table had at a moment into an empty table.

    What is derived from rows (indexes, statistics) is left to ``backfill``.
    """
    later = f"FROM {source.history} WHERE at > ?"
    insert = f"INSERT INTO {target.rows} (key, size, item) SELECT key, size, item FROM"
    tx.execute(f"{insert} {source.rows} WHERE key NOT IN (SELECT key {later})", (at,))
    tx.execute(f"{insert} (SELECT * {_first_changes(source)}) WHERE item IS NOT NULL", (at,))


def _first_changes(table: Table) -> str:
    # rowid grows with each change: the least of a key's is its first change since.
    first = f"SELECT min(rowid) FROM {table.history} WHERE at > ? GROUP BY key"
    return f"FROM {table.history} WHERE rowid IN ({first})"
