"""Time to live: when an item expires, and the deletion of those that have.

As on AWS, an item that has expired is there for all to read until it is deleted, soon after. A row
holds its time of expiry in a column with an index, so that looking for expired items costs nothing
while there are none, and no process takes the write lock for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING

from singletable.values import Item

from .failures import TableGone
from .images import Row
from .schema import Table
from .streams import Identity

if TYPE_CHECKING:
    from .database import Database

BATCH_ITEMS = 100
"""How many items one transaction deletes: others who write wait no longer than that takes."""

AGE_SECONDS_MAX = 5 * 365 * 86400
"""What expired longer ago was hardly meant as a time of expiry: such an item stays, as on AWS."""

SERVICE = Identity("Service", "dynamodb.amazonaws.com")
"""Marks the deletions in the stream of the table."""


def expiry_of(item: Item, attribute: str) -> int | None:
    """Give the second at which an item expires, or None when it never does."""
    value = item.get(attribute, {}).get("N")
    if value is None:
        return None
    seconds = int(Decimal(value))
    return seconds if 0 < seconds < 2**53 else None


def expire(db: Database) -> Iterator[int]:
    """Delete what has expired by now; gives the number of items of each transaction made."""
    db.catalog.look()  # another process may have changed what expires
    with db.storage.read() as tx:
        names = db.catalog.names(tx)
    for name in names:
        table = db.catalog.find(name)
        if table and table.ttl_attribute:
            yield from _expire_table(db, table)


def _expire_table(db: Database, table: Table) -> Iterator[int]:
    now = db.clock()
    span = (now - AGE_SECONDS_MAX, now)
    try:
        while db.storage.fetchone(f"SELECT 1 {_expired(table)} LIMIT 1", span):
            yield db.storage.see_through(partial(_expire_batch, db, table, span))
    except TableGone:
        # Somebody dropped the table, or made it anew: the next round finds what there is.
        db.catalog.forget()


def _expire_batch(db: Database, table: Table, span: tuple[float, float]) -> int:
    with db.write() as writing:
        current = db.catalog.find(table.name)
        if current is None:
            raise TableGone(table.name)
        rows = writing.tx.execute(
            f"SELECT key, id, size, item {_expired(current)} ORDER BY expires LIMIT {BATCH_ITEMS}",
            span,
        ).fetchall()
        for key, *row in rows:
            writing.replace(current, key, Row(*row), None, identity=SERVICE)
    return len(rows)


def _expired(table: Table) -> str:
    return f"FROM {table.rows} WHERE expires > ? AND expires < ?"
