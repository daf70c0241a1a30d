"""Many items put at once: made ready while others write, and written many with each statement.

A file has one writer at a time, so a load should keep others waiting as briefly as it can. What
follows from an item alone (its key, its entries in indexes, its record in the stream) is made
before, and holds as long as the table is what it was. Most items of a load are new: their rows are
inserted without a look. Where there was a row of that key, the item is put as any other is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from singletable.errors import ServiceError
from singletable.values import Item

from . import mutations, streams
from .connections import blob
from .database import Database
from .expiry import expiry_of
from .images import Image
from .inserting import insert
from .schema import Index, Table
from .writing import Writing


@contextmanager
def named(operation: str) -> Iterator[None]:
    """Have errors say which operation they are of."""
    try:
        yield
    except ServiceError as error:
        error.operation_name = operation
        raise


class Put(NamedTuple):
    """An item to put, with all that follows from it if it is new."""

    key: bytes
    image: Image
    expires: int | None
    entries: list[tuple[Index, bytes, int]]
    """The key and the size of its entry in each index that has one."""
    record: tuple[object, ...]
    """What the stream tells of it, if there is one."""


class Load:
    """Items that are ready to be put into a table, all of them or none."""

    def __init__(self, db: Database, table_name: str, items: Sequence[Item]) -> None:
        self._db = db
        self._table_name = table_name
        self._items = items
        self._table = db.table(table_name)
        self._puts = _ready(self._table, items)

    def __len__(self) -> int:
        return len(self._puts)

    def write(self) -> None:
        """Put the items; of two with one key, the last one stays."""
        with named("PutItem"):
            self._db.storage.see_through(self._write)

    def _write(self) -> None:
        with self._db.write(is_sure=True) as writing:
            table = self._db.table(self._table_name)
            puts = self._puts if table is self._table else _ready(table, self._items)
            _write(writing, table, puts)


def _ready(table: Table, items: Sequence[Item]) -> list[Put]:
    changes = [mutations.put(table, item) for item in items]
    for change in changes:
        change.verify()
    return [_put(table, change.row_key, change.image) for change in changes]


def _put(table: Table, key: bytes, image: Image) -> Put:
    item, entries = image.item, []
    for index in table.indexes.values():
        entry = index.entry(item, key, image.size)
        if entry is not None:
            entries.append((index, entry.key, entry.size))
    expires = expiry_of(item, table.ttl_attribute) if table.ttl_attribute else None
    record = streams.content(table, None, image) if table.stream else ()
    return Put(key, image, expires, entries, record)


def _write(writing: Writing, table: Table, puts: list[Put]) -> None:
    rows: dict[int, Put] = {}
    if not table.has_local_index and not table.keeps_history:
        rows = _insert_rows(writing, table, puts)
    for index in table.indexes.values():
        _insert_entries(writing, index, rows)
    if table.stream and rows:
        shards, now = writing.open_shards(table), writing.now
        records = [streams.record(put.record, put.key, shards, now) for put in rows.values()]
        insert(writing.execute, streams.COLUMNS, records)
    if len(rows) < len(puts):
        new = set(map(id, rows.values()))
        for put in puts:
            if id(put) not in new:  # there was one before, maybe among these rows
                writing.put(table, put.key, put.image)


def _insert_rows(writing: Writing, table: Table, puts: list[Put]) -> dict[int, Put]:
    """Insert a row for each item that is new; give those, by the numbers of the rows."""
    [[first]] = writing.execute(table.sql.next_id).fetchall()
    rows = dict(enumerate(puts, first))
    made = [
        (number, blob(put.key), put.image.size, put.expires, blob(put.image.data))
        for number, put in rows.items()
    ]
    if insert(writing.execute, table.sql.columns, made, "ON CONFLICT (key) DO NOTHING") < len(rows):
        rows = {number: put for number, put in rows.items() if _is_in(writing, table, number, put)}
    writing.count(table.rows, len(rows), sum([put.image.size for put in rows.values()]))
    return rows


def _is_in(writing: Writing, table: Table, number: int, put: Put) -> bool:
    row = writing.find(table, put.key)
    return row is not None and row.id == number


def _insert_entries(writing: Writing, index: Index, rows: dict[int, Put]) -> None:
    entries = [
        (blob(key), row, size)
        for row, put in rows.items()
        for to, key, size in put.entries
        if to is index
    ]
    insert(writing.execute, index.tree, entries)
    writing.count(index.tree, len(entries), sum([size for _, _, size in entries]))
