"""The one way in which items change: a row, its index entries, its stream record, its statistics.

Whatever the operation, a change is a row before and an image after. Everything that follows from it
is written in the same transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Self

from singletable.errors import ItemCollectionSizeLimitExceededException

from . import history, streams
from .catalog import Catalog
from .connections import Connection, blob
from .expiry import expiry_of
from .images import Image, Row
from .schema import Entry, Index, Table
from .storage import Storage

COLLECTION_BYTES_MAX = 10 * 1024**3
_RECORD = f"INSERT INTO {streams.COLUMNS} VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"

EntryChange = tuple[Index, Entry | None, Entry | None]
"""An index whose entry of an item changed, with what that was before and is after."""


class Writing:
    """The ``with`` block of a transaction that writes items: committed whole, or not at all.

    A class and not a generator, whose cost every write would feel.
    """

    __slots__ = ("_catalog", "_clock", "_shards", "_statistics", "_storage", "execute", "now", "tx")

    tx: Connection
    now: float

    def __init__(self, storage: Storage, catalog: Catalog, clock: Callable[[], float]) -> None:
        self._storage = storage
        self.execute = storage.execute
        self._catalog = catalog
        self._clock = clock
        self._statistics: dict[str, list[int]] = {}
        self._shards: dict[str, streams.Open] = {}

    def __enter__(self) -> Self:
        self.tx = self._storage.begin()
        try:
            self._catalog.refresh()
            self.now = self._clock()
        except BaseException as error:
            self._end(error)
            raise
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is None and self._statistics:
            try:
                self._write_statistics()
            except BaseException as failure:
                self._end(failure)
                raise
        self._end(error)

    def _end(self, error: BaseException | None) -> None:
        if self._catalog.unsettled:
            self._end_unsettled(error)
        else:
            self._storage.end(error)

    def _end_unsettled(self, error: BaseException | None) -> None:
        # Locked a little longer: the next to write must find the catalog settled.
        with self._storage.lock:
            try:
                self._storage.end(error)
            finally:
                self._catalog.settle()

    def find(self, table: Table, key: bytes) -> Row | None:
        """Give the row of a key."""
        found = self.execute(table.sql.find, (blob(key),)).fetchall()
        return Row(*found[0]) if found else None

    def put(
        self, table: Table, key: bytes, after: Image
    ) -> tuple[Row | None, Sequence[EntryChange]]:
        """Put an item, whatever was there; give that, and what changed in the indexes."""
        before = self.find(table, key)
        return before, self.replace(table, key, before, after)

    def replace(
        self,
        table: Table,
        key: bytes,
        before: Row | None,
        after: Image | None,
        *,
        identity: streams.Identity | None = None,
    ) -> Sequence[EntryChange]:
        """Put ``after`` in the place of ``before`` (None: no item); give what indexes changed.

        What changes nothing writes nothing.
        """
        if before is after or (before and after and before.data == after.data):
            return ()
        if table.has_local_index:
            self._grow_collection(table, before, after)  # or refuse, before anything is written
        row = self._replace_row(table, key, before, after)
        return self._follow(table, key, row, before, after, identity)

    def _follow(
        self,
        table: Table,
        key: bytes,
        row: int,
        before: Row | None,
        after: Image | None,
        identity: streams.Identity | None,
    ) -> Sequence[EntryChange]:
        """Write all that follows from a row that was replaced."""
        changes = self._replace_entries(table, key, row, before, after) if table.indexes else ()
        if table.keeps_history:
            history.append(self.tx, table, self.now, key, before)
        if table.stream:
            self._record(table, key, before, after, identity)
        return changes

    def _record(
        self,
        table: Table,
        key: bytes,
        before: Image | None,
        after: Image | None,
        identity: streams.Identity | None,
    ) -> None:
        """Add to the stream of a table."""
        if before and after and before.equals(after):
            return  # a mere change of the attributes' order
        content = streams.content(table, before, after)
        record = streams.record(content, key, self.open_shards(table), self.now, identity)
        self.execute(_RECORD, record)

    def open_shards(self, table: Table) -> streams.Open:
        """Give the open shards of a table's stream, which are looked up once."""
        shards = self._shards.get(table.name)
        if shards is None:
            shards = self._shards[table.name] = streams.open_shards(self.tx, table, self.now)
        return shards

    def _replace_row(
        self, table: Table, key: bytes, before: Row | None, after: Image | None
    ) -> int:
        sql, execute = table.sql, self.execute
        if before is None:
            assert after is not None
            row = self._insert_row(table, key, after)
            assert row
            return row
        if after is None:
            execute(sql.delete, (before.id,))
            self.count(table.rows, -1, -before.size)
            return before.id
        size, data = after.size, blob(after.data)
        if table.ttl_attribute:
            expires = expiry_of(after.item, table.ttl_attribute)
            execute(sql.update_expiring, (size, data, expires, before.id))
        else:
            execute(sql.update, (size, data, before.id))
        if size != before.size:
            self.count(table.rows, 0, size - before.size)
        return before.id

    def _insert_row(self, table: Table, key: bytes, after: Image) -> int:
        """Add a row; give its number, or 0 where there is one of that key."""
        ttl = table.ttl_attribute
        expires = expiry_of(after.item, ttl) if ttl else None
        row = (blob(key), after.size, expires, blob(after.data))
        done = self.execute(table.sql.insert, row)
        if not done.rowcount:
            return 0
        self.count(table.rows, 1, after.size)
        return done.lastrowid or 0

    def _replace_entries(
        self, table: Table, key: bytes, row: int, before: Image | None, after: Image | None
    ) -> list[EntryChange]:
        changes = []
        for index in table.indexes.values():
            old = index.entry(before.item, key, before.size) if before else None
            new = index.entry(after.item, key, after.size) if after else None
            if (old or new) and self._replace_entry(index, row, old, new):
                changes.append((index, old, new))
        return changes

    def _replace_entry(self, index: Index, row: int, old: Entry | None, new: Entry | None) -> bool:
        """Write an entry, and tell whether it changed."""
        if old and new and old.key == new.key:
            if old.item == new.item:
                return False
            if old.size != new.size:
                sql = f"UPDATE {index.tree} SET size = ? WHERE key = ?"
                self.execute(sql, (new.size, blob(new.key)))
                self.count(index.tree, 0, new.size - old.size)
            return True
        if old:
            self.execute(f"DELETE FROM {index.tree} WHERE key = ?", (blob(old.key),))
            self.count(index.tree, -1, -old.size)
        if new:
            self.execute(index.insert, (blob(new.key), row, new.size))
            self.count(index.tree, 1, new.size)
        return True

    def _grow_collection(self, table: Table, before: Image | None, after: Image | None) -> None:
        image = after or before
        assert image is not None
        growth = (after.size if after else 0) - (before.size if before else 0)
        if not growth:
            return
        partition = table.schema.partition(image.item)
        size = collection_size(self.tx, table, partition) + growth
        if growth > 0 and size > COLLECTION_BYTES_MAX:
            raise ItemCollectionSizeLimitExceededException("Collection size exceeded")
        if size:
            sql = f"INSERT OR REPLACE INTO {table.collections} VALUES (?, ?)"
            self.execute(sql, (blob(partition), size))
        else:
            self.execute(f"DELETE FROM {table.collections} WHERE partition = ?", (blob(partition),))

    def count(self, tree: str, items: int, size: int) -> None:
        """Count what comes to the statistics of a SQLite table."""
        total = self._statistics.get(tree)
        if total is None:
            total = self._statistics[tree] = [0, 0]
        total[0] += items
        total[1] += size

    def _write_statistics(self) -> None:
        for tree, (items, size) in self._statistics.items():
            if items or size:
                self.execute(
                    "UPDATE statistics SET items = items + ?, bytes = bytes + ? WHERE tree = ?",
                    (items, size, tree),
                )


class Joining(Writing):
    """A block whose writes join this thread's larger transaction and cannot be refused any more.

    Whatever can be refused is refused before the first item is written. So the block need not be
    taken back alone, for which SQLite would copy every page that it changes. Should it fail all the
    same, as for want of disk space, the larger transaction comes to nothing.
    """

    __slots__ = ("_changes",)

    def __enter__(self) -> Self:
        self.now = self._clock()
        self.tx = self._storage.join()
        self._changes = self._count_changes()
        return self

    def put(
        self, table: Table, key: bytes, after: Image
    ) -> tuple[Row | None, Sequence[EntryChange]]:
        """Put an item, first as if it were new: in a load most are, and need no look before."""
        row = 0 if table.has_local_index else self._insert_row(table, key, after)
        if not row:
            return super().put(table, key, after)
        return None, self._follow(table, key, row, None, after, None)

    def _end(self, error: BaseException | None) -> None:
        spoils = error is not None and self._count_changes() != self._changes
        self._storage.leave(error, spoils=spoils)

    def _count_changes(self) -> int:
        """Count the rows that were ever written by this connection."""
        [[count]] = self.execute("SELECT total_changes()").fetchall()
        return int(count)


class Changing:
    """The ``with`` block of a transaction that changes definitions; it gives the connection."""

    def __init__(self, writing: Writing) -> None:
        self._writing = writing

    def __enter__(self) -> Connection:
        return self._writing.__enter__().tx

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self._writing.__exit__(kind, error, trace)


def collection_size(tx: Connection, table: Table, partition: bytes) -> int:
    """Give the bytes of an item collection in a table with a local index."""
    row = tx.execute(
        f"SELECT bytes FROM {table.collections} WHERE partition = ?", (partition,)
    ).fetchone()
    return int(row[0]) if row else 0
