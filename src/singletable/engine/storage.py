"""SQLite underneath: connections, snapshots, transactions, and nothing about DynamoDB.

A file is in WAL mode with ``synchronous=FULL``: what was acknowledged survives a power cut. Readers
take a connection each and never wait for the writer. There is one writer at a time, in
this process by a lock and among processes by SQLite's own. A database in memory has one connection
that all threads take turns on.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Protocol

from singletable.errors import (
    DatabaseCorrupt,
    DatabaseUnusable,
    InternalServerError,
    SingletableError,
)

PAGE_BYTES = 8192
CACHE_KIBIBYTES = 16_384
BUSY_SECONDS = 30
APPLICATION_ID = int.from_bytes(b"sngl", "big")
"""Marks a file as ours in its header, so that no other program's database is written to."""


class Cursor(Protocol):
    """Is what a statement answers: rows to iterate or fetch."""

    def fetchone(self) -> Any:
        """Give the next row, or None."""

    def fetchall(self) -> list[Any]:
        """Give all rows that are left."""

    def __iter__(self) -> Iterator[Any]: ...


class Connection(Protocol):
    """Is what the storage needs of a SQLite binding; ``sqlite3`` and ``apsw`` both have it."""

    @property
    def in_transaction(self) -> bool:
        """Tell whether a transaction is open."""

    def execute(self, sql: str, parameters: Any = ..., /) -> Cursor:
        """Run one statement."""

    def close(self) -> None:
        """Close the connection."""


Connect = Callable[[str], Connection]


class TableGone(SingletableError):
    """Says that a SQLite table is missing: another process changed the catalog."""


def connect_sqlite(path: str) -> Connection:
    """Open a connection with the standard library's binding."""
    return sqlite3.connect(
        path,
        isolation_level=None,
        check_same_thread=False,
        timeout=BUSY_SECONDS,
        cached_statements=512,
    )


class Storage:
    """Is a SQLite database, in a file or (with no path) in memory."""

    def __init__(
        self, path: str | None = None, *, durable: bool = True, connect: Connect = connect_sqlite
    ) -> None:
        self.path = path
        self.lock = threading.RLock()
        """Is held by the one who writes."""
        self._synchronous = "FULL" if durable else "OFF"
        self._connect = connect
        self._failures = failures(path)
        self._idle_readers: list[Connection] = []
        self._closed = False
        with failures(path, opening=True):
            self._writer = self._open(first=True)

    def _open(self, *, first: bool = False) -> Connection:
        connection = self._connect(self.path or ":memory:")
        try:
            connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
            if first and self.path:
                self._claim(connection)
                _use_wal(connection)
            connection.execute(f"PRAGMA synchronous = {self._synchronous}")
            connection.execute(f"PRAGMA cache_size = -{CACHE_KIBIBYTES}")
        except BaseException:
            connection.close()
            raise
        return connection

    def _claim(self, connection: Connection) -> None:
        """Mark an empty database as ours; refuse that of another program."""
        connection.execute("BEGIN IMMEDIATE")
        (found,) = connection.execute("PRAGMA application_id").fetchone()
        if found != APPLICATION_ID:
            if connection.execute("SELECT 1 FROM sqlite_master").fetchone():
                raise DatabaseCorrupt(
                    f"{self.path} is the database of another program: give another path"
                )
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute("COMMIT")

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Give a connection that sees one snapshot for the length of the block."""
        if self.path is None:
            with self.lock, self._failures:
                self._check_open()
                yield self._writer
            return
        with self._failures:
            reader = self._take_reader()
            try:
                reader.execute("BEGIN")
                yield reader
            finally:
                self._give_back(reader)

    def fetchone(self, sql: str, parameters: tuple[Any, ...]) -> Any:
        """Run one reading statement and give its first row: a snapshot of its own."""
        if self.path is None:
            with self.lock, self._failures:
                self._check_open()
                return self._writer.execute(sql, parameters).fetchone()
        with self._failures:
            reader = self._take_reader()
            try:
                return reader.execute(sql, parameters).fetchone()
            finally:
                self._give_back(reader)

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Give the writing connection: the block is committed whole, or not at all."""
        with self.lock, self._failures:
            self._check_open()
            writer = self._writer
            try:
                writer.execute("BEGIN IMMEDIATE")
                yield writer
                writer.execute("COMMIT")
            finally:
                _end(writer)

    def _check_open(self) -> None:
        if self._closed:
            raise SingletableError("the engine is closed")

    def _take_reader(self) -> Connection:
        try:
            return self._idle_readers.pop()
        except IndexError:
            self._check_open()
            return self._open()

    def _give_back(self, reader: Connection) -> None:
        """Keep a reader for the next, whatever became of its work, until the engine is closed."""
        _end(reader)
        self._idle_readers.append(reader)
        if self._closed:
            self._close_readers()

    def _close_readers(self) -> None:
        with suppress(IndexError):
            while True:
                self._idle_readers.pop().close()

    def copy_to(self, target: Storage) -> None:
        """Copy the whole database into an empty one."""
        with self.lock, self._failures:
            self._check_open()
            self._writer.backup(target._writer)  # type: ignore[attr-defined] # sqlite3 alone has it

    def close(self) -> None:
        """Close the database; later calls fail, those under way end in their own time."""
        with self.lock, self._failures:
            self._closed = True
            self._close_readers()
            self._writer.close()


def _use_wal(connection: Connection) -> None:
    """Turn the file to WAL; it stays so. SQLite itself does not wait for others here."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL").fetchall()
        except Exception as error:
            if _primary_code(error) != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        else:
            return


def _end(connection: Connection) -> None:
    """Roll back what is still open; on a full disk or an I/O error SQLite did so by itself."""
    if connection.in_transaction:
        connection.execute("ROLLBACK")


class failures:  # noqa: N801 # reads as a word in ``with failures(path):``
    """Turns the binding's errors into the library's; a class, since a generator costs more."""

    def __init__(self, path: str | None, *, opening: bool = False) -> None:
        self._name = f"the database {path}" if path else "the database in memory"
        self._opening = opening

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is None or isinstance(error, SingletableError):
            return
        if isinstance(error, sqlite3.Error) or type(error).__module__ == "apsw":
            raise self._translated(error) from error

    def _translated(self, error: BaseException) -> SingletableError:
        text, code = str(error), _primary_code(error)
        if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            return DatabaseCorrupt(
                f"{self._name} cannot be read ({text}): "
                "restore the file from a backup, or give another path"
            )
        if self._opening:
            fix = _FIXES.get(code, "try again when its disk has room and nobody holds it")
            return DatabaseUnusable(f"{self._name} cannot be opened ({text}): {fix}")
        if "no such table" in text:
            return TableGone(text)
        return InternalServerError(f"the storage failed and nothing was written: {text}")


_FIXES = {
    sqlite3.SQLITE_CANTOPEN: "it must be a file in a folder that exists and can be written to",
    sqlite3.SQLITE_READONLY: "the file and its folder must be writable",
}


def _primary_code(error: BaseException) -> int:
    """Give SQLite's code for the kind of an error, without the byte that says more."""
    code: int = getattr(error, "sqlite_errorcode", 0) or getattr(error, "result", 0)
    return code & 0xFF
