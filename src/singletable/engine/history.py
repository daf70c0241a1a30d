"""What rows were, for as long as point-in-time recovery may ask: an image before each change.

A table as it was at a moment is the table as it is, with every key that changed since put back to
what its first change replaced.
"""

from __future__ import annotations

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


def copy_rows(tx: Connection, source: Table, target: Table, at: float) -> None:
    """Copy the rows that a table had at a moment into an empty table.

    What is derived from rows (indexes, statistics) is left to ``backfill``.
    """
    later = f"FROM {source.history} WHERE at > ?"
    insert = f"INSERT INTO {target.rows} (key, size, item) SELECT key, size, item FROM"
    tx.execute(f"{insert} {source.rows} WHERE key NOT IN (SELECT key {later})", (at,))
    # rowid grows with each change: the least of a key's is its first change since.
    tx.execute(
        f"{insert} {source.history} WHERE item IS NOT NULL"
        f" AND rowid IN (SELECT min(rowid) {later} GROUP BY key)",
        (at,),
    )
