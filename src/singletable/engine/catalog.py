"""The catalog: which tables there are, kept in the database itself.

Each process reads a table's document once and keeps the ``Table`` made of it. A counter in the
database says when any document changed; writers look at it in their transaction, so that no process
writes by an outdated definition. Readers go by the old one until they miss something in it, or are
refused something by it.

What is known is never cleared, always replaced: a thread that was slow to read a definition adds it
to what was known when it began, where nobody looks any more.
"""

from __future__ import annotations

from collections.abc import Callable

import orjson

from singletable.errors import DatabaseCorrupt

from . import streams
from .connections import Connection
from .schema import Document, Index, Table, index_documents
from .storage import Storage

FORMAT = 1

_COUNTER = "SELECT value FROM meta WHERE name = 'catalog'"
_META = "CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID"
_TABLES = """
CREATE TABLE IF NOT EXISTS tables (id INTEGER PRIMARY KEY, name TEXT UNIQUE, document BLOB);
CREATE TABLE IF NOT EXISTS statistics (tree TEXT PRIMARY KEY, items INTEGER, bytes INTEGER)
  WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS documents (kind TEXT, name TEXT, document BLOB, PRIMARY KEY (kind, name))
  WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS tokens (token TEXT PRIMARY KEY, at REAL, digest BLOB)
  WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS tokens_at ON tokens (at);
"""


class Catalog:
    """Knows the tables of a database and how they lie in SQLite."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._shared = storage.path is not None
        self.known: dict[str, Table] = {}
        """The tables that were read, by name: replaced, never cleared."""
        self._version = -1
        self._seen = -1
        """What SQLite told the writer of commits that were not its own."""
        self.unsettled = False
        """Whether a transaction that is under way changed a definition."""
        self.hidden = False
        """Whether what is written together changed one, which other threads do not see yet."""
        self.watch: Callable[[Table], None] = _ignore
        """Is told of each table that is read or changed."""
        with storage.write() as tx:
            self._check_format(tx)
            self.looked: int
            """What the counter was when somebody looked who had not come to write."""
            (self.looked,) = tx.execute(_COUNTER).fetchone()
            for statement in (_TABLES + streams.TABLES).split(";\n"):
                tx.execute(statement)

    def _check_format(self, tx: Connection) -> None:
        tx.execute(_META)
        tx.execute(
            "INSERT OR IGNORE INTO meta VALUES ('format', ?), ('catalog', 0), ('id', 0)", (FORMAT,)
        )
        (found,) = tx.execute("SELECT value FROM meta WHERE name = 'format'").fetchone()
        if found != FORMAT:
            raise DatabaseCorrupt(
                f"the database {self._storage.path} has format {found}, and this version of "
                f"singletable reads format {FORMAT}: use the version that wrote it"
            )

    def find(self, name: str) -> Table | None:
        """Give the table of that name as last read, reading it when it is not known."""
        known = self.known
        table = known.get(name)
        if table is None:
            with self._storage.read() as tx:
                table = self.read(tx, name)
            if table is not None and self._is_current:
                known[name] = table
        return table

    @property
    def _is_current(self) -> bool:
        """Tell whether what this thread reads is what the next writer goes by."""
        return not self.unsettled and (not self.hidden or self._storage.reads_as_writer)

    def read(self, tx: Connection, name: str) -> Table | None:
        """Give the table of that name as the transaction sees it."""
        row = tx.execute("SELECT id, document FROM tables WHERE name = ?", (name,)).fetchone()
        if row is None:
            return None
        table = Table(row[0], name, orjson.loads(row[1]))
        self.watch(table)
        return table

    def refresh(self) -> None:
        """Forget what another process changed; call it first in every writing transaction."""
        if self.unsettled:  # by one that was cut off
            self.settle()
        if self._shared:
            [(seen,)] = self._storage.execute("PRAGMA data_version")
            if seen != self._seen:
                self._compare_version()
                self._seen = seen

    def look(self) -> int:
        """Forget what was known if a definition changed since the last look; give the counter."""
        if self._storage.reads_as_writer:
            return self.looked  # what this thread knows, nobody else can change
        version: int = self._storage.fetchone(_COUNTER, ())[0]
        if version != self.looked:
            self.forget()
            self.looked = version
        return version

    def _compare_version(self) -> None:
        [(version,)] = self._storage.execute(_COUNTER)
        if version != self._version:
            self.known = {}
            self._version = version

    def settle(self) -> None:
        """Forget what a transaction, now ended well or badly, changed in the catalog."""
        self.forget()
        self.unsettled = False
        self.hidden = self._storage.is_together

    def forget(self) -> None:
        """Forget every table, as when the rows of one turn out to be gone."""
        self.known = {}

    def names(self, tx: Connection) -> list[str]:
        """List the names of all tables, in order."""
        return [name for (name,) in tx.execute("SELECT name FROM tables ORDER BY name")]

    def next_id(self, tx: Connection) -> int:
        """Give a number that was never given before."""
        tx.execute("UPDATE meta SET value = value + 1 WHERE name = 'id'")
        (number,) = tx.execute("SELECT value FROM meta WHERE name = 'id'").fetchone()
        return int(number)

    def create(self, tx: Connection, document: Document) -> Table:
        """Add a table and its indexes; each index document gets its ``Id``."""
        identity = self.next_id(tx)
        for index in index_documents(document):
            index["Id"] = self.next_id(tx)
        table = Table(identity, document["TableName"], document)
        tx.execute(
            "INSERT INTO tables VALUES (?, ?, ?)", (identity, table.name, orjson.dumps(document))
        )
        tx.execute(
            f"CREATE TABLE {table.rows} (id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE,"
            " size INTEGER NOT NULL, expires INTEGER, item BLOB NOT NULL)"
        )
        tx.execute(
            f"CREATE INDEX {table.rows}_expires ON {table.rows} (expires) WHERE expires IS NOT NULL"
        )
        self._add_statistics(tx, table.rows)
        tx.execute(f"CREATE TABLE {table.history} (at REAL, key BLOB, size INTEGER, item BLOB)")
        tx.execute(f"CREATE INDEX {table.history}_at ON {table.history} (at)")
        if table.has_local_index:
            tx.execute(
                f"CREATE TABLE {table.collections} (partition BLOB PRIMARY KEY, bytes INTEGER)"
                " WITHOUT ROWID"
            )
        for made in table.indexes.values():
            self.create_index(tx, made)
        self._changed(tx)
        return table

    def create_index(self, tx: Connection, index: Index) -> None:
        """Make the empty SQLite table of an index."""
        tx.execute(
            f"CREATE TABLE {index.tree} (key BLOB PRIMARY KEY, row INTEGER NOT NULL,"
            " size INTEGER NOT NULL) WITHOUT ROWID"
        )
        self._add_statistics(tx, index.tree)

    def update(self, tx: Connection, table: Table, document: Document) -> Table:
        """Replace a table's document; indexes that left it are dropped, new ones made empty."""
        for index in index_documents(document):
            if "Id" not in index:
                index["Id"] = self.next_id(tx)
        changed = Table(table.id, table.name, document)
        self.watch(changed)
        tx.execute(
            "UPDATE tables SET document = ? WHERE id = ?", (orjson.dumps(document), table.id)
        )
        before = {index.tree: index for index in table.indexes.values()}
        after = {index.tree: index for index in changed.indexes.values()}
        for tree in before.keys() - after.keys():
            self._drop(tx, tree)
        for tree in after.keys() - before.keys():
            self.create_index(tx, after[tree])
        self._changed(tx)
        return changed

    def delete(self, tx: Connection, table: Table) -> None:
        """Remove a table with everything in it."""
        tx.execute("DELETE FROM tables WHERE id = ?", (table.id,))
        self._drop(tx, table.rows)
        tx.execute(f"DROP TABLE {table.history}")
        tx.execute(f"DROP TABLE IF EXISTS {table.collections}")
        for index in table.indexes.values():
            self._drop(tx, index.tree)
        self._changed(tx)

    def statistics(self, tx: Connection, tree: str) -> tuple[int, int]:
        """Give the number of items and their bytes."""
        row = tx.execute("SELECT items, bytes FROM statistics WHERE tree = ?", (tree,)).fetchone()
        return (row[0], row[1])

    @staticmethod
    def _add_statistics(tx: Connection, tree: str) -> None:
        tx.execute("INSERT INTO statistics VALUES (?, 0, 0)", (tree,))

    @staticmethod
    def _drop(tx: Connection, tree: str) -> None:
        tx.execute(f"DROP TABLE {tree}")
        tx.execute("DELETE FROM statistics WHERE tree = ?", (tree,))

    def _changed(self, tx: Connection) -> None:
        tx.execute("UPDATE meta SET value = value + 1 WHERE name = 'catalog'")
        self.unsettled = True


def _ignore(_table: Table) -> None:
    pass
