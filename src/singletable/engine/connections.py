"""Connections to SQLite: what a binding must be able to do, and how a connection is set up.

A file is in WAL mode with ``synchronous=FULL``: what was acknowledged survives a power cut.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from singletable.errors import DatabaseCorrupt, DatabaseUnusable

from .failures import primary_code

PAGE_BYTES = 4096
WRITER_CACHE_KIBIBYTES = 16_384
READER_CACHE_KIBIBYTES = 4_096
BUSY_SECONDS = 30
APPLICATION_ID = int.from_bytes(b"sngl", "big")
"""Marks a file as ours in its header, so that no other program's database is written to."""

DURABLE = ("synchronous = FULL", "fullfsync = ON", "checkpoint_fullfsync = ON")
"""A commit returns when it is on the disk; fullfsync is what macOS needs for that."""
FAST = ("synchronous = OFF",)
LOADING = ("cache_size = -32768", "wal_autocheckpoint = 65536", "temp_store = MEMORY")
"""A load of many items changes pages all over the file, and most of them soon again.

So up to 32 MB of them stay in memory until the commit, and up to 256 MB in the log, from which only
the last state of each goes to the file. A part that may be taken back alone needs the pages as they
were before it: these are kept in memory, too, and not in a temporary file.
"""

blob = bytearray
"""Makes a parameter of bytes: for plain bytes sqlite3 would first look for an adapter."""


class Cursor(Protocol):
    """Runs statements, and is what one answers: rows to iterate or fetch."""

    def execute(self, sql: str, parameters: Any = ..., /) -> Cursor:
        """Run one statement, in the place of the one before."""

    def fetchone(self) -> Any:
        """Give the next row, or None."""

    def fetchall(self) -> list[Any]:
        """Give all rows that are left."""

    def __iter__(self) -> Iterator[Any]: ...

    @property
    def lastrowid(self) -> int | None:
        """Give the row that the last INSERT made."""

    @property
    def rowcount(self) -> int:
        """Give how many rows the last INSERT made."""


class Connection(Protocol):
    """What the storage needs of a SQLite binding: a part of what ``sqlite3`` has."""

    @property
    def in_transaction(self) -> bool:
        """Tell whether a transaction is open."""

    def execute(self, sql: str, parameters: Any = ..., /) -> Cursor:
        """Run one statement."""

    def cursor(self) -> Cursor:
        """Give something that runs one statement after another."""

    def close(self) -> None:
        """Close the connection."""


Connect = Callable[[str], Connection]


class _SqliteConnection(sqlite3.Connection):
    """Closes itself when nobody has it any more: many an engine is left open to the end."""

    def __del__(self) -> None:
        with suppress(sqlite3.ProgrammingError):  # it was never opened
            self.close()


def connect_sqlite(path: str) -> Connection:
    """Open a connection with the standard library's binding."""
    return sqlite3.connect(
        path,
        factory=_SqliteConnection,
        isolation_level=None,
        check_same_thread=False,
        timeout=BUSY_SECONDS,
        cached_statements=512,
    )


class Opener:
    """Opens the connections to one database: a file, or with no path memory."""

    def __init__(self, path: str | None, *, durable: bool, connect: Connect, mark: int) -> None:
        self.file = str(Path(path).absolute()) if path else ":memory:"
        """Stays the same file when the process changes its folder, and is no URI of SQLite's."""
        self._path = path
        self._durability = DURABLE if durable else FAST
        self._connect = connect
        self._mark = mark

    def open_writer(self) -> Connection:
        """Open the connection that writes, and make the database ours if it is empty."""
        return self._open(WRITER_CACHE_KIBIBYTES, first=True)

    def open_reader(self) -> Connection:
        """Open one more connection to a file."""
        return self._open(READER_CACHE_KIBIBYTES)

    def _open(self, cache_kibibytes: int, *, first: bool = False) -> Connection:
        connection = self._connect(self.file)
        try:
            connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
            if first and self._path:
                self._claim(connection, self._path)
                _use_wal(connection, self._path)
            for pragma in (*self._durability, f"cache_size = -{cache_kibibytes}"):
                connection.execute(f"PRAGMA {pragma}")
        except BaseException:
            connection.close()
            raise
        return connection

    def _claim(self, connection: Connection, path: str) -> None:
        """Mark an empty database as ours; refuse that of another program."""
        connection.execute("BEGIN IMMEDIATE")
        (found,) = connection.execute("PRAGMA application_id").fetchone()
        is_ours = found == self._mark
        if not is_ours and connection.execute("SELECT 1 FROM sqlite_master").fetchone():
            raise DatabaseCorrupt(f"{path} is the database of another program: give another path")
        # Set anew in any case: SQLite opens what may only be read, and then refuses this.
        connection.execute(f"PRAGMA application_id = {self._mark}")
        connection.execute("ROLLBACK" if is_ours else "COMMIT")

    def identify(self) -> tuple[int, int] | None:
        """Tell files apart, where the file is one of the operating system's."""
        try:
            found = Path(self.file).stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino


def _use_wal(connection: Connection, path: str) -> None:
    """Turn the file to WAL; it stays so. SQLite itself does not wait for others here."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
        except Exception as error:
            if primary_code(error) != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        else:
            break
    if mode != "wal":
        raise DatabaseUnusable(
            f"the file system of {path} has no shared memory for SQLite's log: "
            "put the database on a local disk"
        )


def roll_back(connection: Connection) -> None:
    """Roll back what is still open; on a full disk or an I/O error SQLite did so by itself."""
    if connection.in_transaction:
        connection.execute("ROLLBACK")


def roll_back_part(connection: Connection) -> None:
    """Take back a part alone; where SQLite ended the whole, its end will tell."""
    if connection.in_transaction:
        connection.execute("ROLLBACK TO part")
        connection.execute("RELEASE part")
