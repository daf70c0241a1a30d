"""What is derived from rows, made anew: index entries, collection sizes, expiry times, statistics.

The write path keeps all of it up to date one change at a time; this is for the moments when a
definition changes under rows that are there already. It goes through the rows once, in the
transaction of the change, and holds a page of them in memory at a time.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from singletable.values import Item, loads

from .connections import Connection
from .expiry import expiry_of
from .schema import Index, Table

_PAGE = 100
"""Rows to a page: at most 40 MB."""


def fill_indexes(tx: Connection, table: Table, indexes: Collection[Index]) -> None:
    """Fill empty indexes from the rows of the table."""
    totals = {index.tree: [0, 0] for index in indexes}
    for row, key, size, item in _rows(tx, table) if totals else ():
        for index in indexes:
            entry = index.entry(item, key, size)
            if entry is None:
                continue
            tx.execute(f"INSERT INTO {index.tree} VALUES (?, ?, ?)", (entry.key, row, entry.size))
            totals[index.tree][0] += 1
            totals[index.tree][1] += entry.size
    for tree, (items, size) in totals.items():
        _set_statistics(tx, tree, items, size)


def fill_table(tx: Connection, table: Table) -> None:
    """Make everything that is derived from rows that were copied into a new table."""
    items, size = tx.execute(f"SELECT count(*), total(size) FROM {table.rows}").fetchone()
    _set_statistics(tx, table.rows, items, int(size))
    fill_indexes(tx, table, table.indexes.values())
    if table.has_local_index:
        _fill_collections(tx, table)


def fill_expiry(tx: Connection, table: Table) -> None:
    """Write down when each row expires, or that none does."""
    tx.execute(f"UPDATE {table.rows} SET expires = NULL WHERE expires IS NOT NULL")
    attribute = table.ttl_attribute
    if attribute is None:
        return
    for row, _, _, item in _rows(tx, table):
        expires = expiry_of(item, attribute)
        if expires is not None:
            tx.execute(f"UPDATE {table.rows} SET expires = ? WHERE id = ?", (expires, row))


def _fill_collections(tx: Connection, table: Table) -> None:
    grow = (
        f"INSERT INTO {table.collections} VALUES (?, ?) "
        "ON CONFLICT (partition) DO UPDATE SET bytes = bytes + excluded.bytes"
    )
    for _, _, size, item in _rows(tx, table):
        tx.execute(grow, (table.schema.partition(item), size))


def _rows(tx: Connection, table: Table) -> Iterator[tuple[int, bytes, int, Item]]:
    """Go through the rows by pages, so that a page is read before the table is written to."""
    page = f"SELECT id, key, size, item FROM {table.rows} WHERE id > ? ORDER BY id LIMIT {_PAGE}"
    last = -1
    while True:
        found = tx.execute(page, (last,)).fetchall()
        for row, key, size, data in found:
            yield row, key, size, loads(data)
        if len(found) < _PAGE:
            return
        last = found[-1][0]


def _set_statistics(tx: Connection, tree: str, items: int, size: int) -> None:
    tx.execute("UPDATE statistics SET items = ?, bytes = ? WHERE tree = ?", (items, size, tree))
