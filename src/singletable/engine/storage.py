"""SQLite underneath: connections, snapshots, transactions, and nothing about DynamoDB.

A file is in WAL mode with ``synchronous=FULL``: what was acknowledged survives a power cut. Readers
take a connection each and never wait for the writer. There is one writer at a time, in
this process by a lock and among processes by SQLite's own. A database in memory has one connection
that all threads take turns on.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import get_ident
from typing import Any, Protocol, TypeVar

from singletable.errors import DatabaseCorrupt, DatabaseUnusable, SingletableError

from .failures import failures, primary_code

T = TypeVar("T")

PAGE_BYTES = 4096
WRITER_CACHE_KIBIBYTES = 16_384
READER_CACHE_KIBIBYTES = 4_096
READERS_IDLE_MAX = 8
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

FORKED = "the engine was opened before this process forked: open one in each process"
FORKED_IN_MEMORY = (
    "the engine in memory was opened before this process forked, and neither process would see "
    "what the other writes: share a file"
)

AT_WORK = (
    "this thread is in the midst of another write: what a signal handler, a __del__ or a callback "
    "writes is written later, or by a thread of its own"
)

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
    """Is what the storage needs of a SQLite binding: what ``sqlite3`` has."""

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


class Storage:
    """Is a SQLite database, in a file or (with no path) in memory."""

    def __init__(
        self,
        path: str | None = None,
        *,
        durable: bool = True,
        connect: Connect = connect_sqlite,
        mark: int = APPLICATION_ID,
    ) -> None:
        self.path = path
        self._file = str(Path(path).absolute()) if path else ":memory:"
        """Is meant for good, wherever the process changes to, and is no URI of SQLite's."""
        self._mark = mark
        self.lock = threading.RLock()
        """Is held by the one who writes."""
        self._durability = DURABLE if durable else FAST
        self._connect = connect
        self.failures = failures(path)
        self._idle_readers: list[Connection] = []
        self._closed: str | None = None
        """Why nothing can be done any more."""
        self.at_work: int | None = None
        """The thread that is in the midst of a write, and cannot begin another."""
        self._together: int | None = None
        """The thread whose writes are parts of a larger transaction, and which holds the lock."""
        self._is_spoiled = False
        """Whether one of these parts failed when it had begun to write."""
        self._is_loading = False
        """Whether anything was written together: more of it will follow."""
        with failures(path, opening=True):
            self._writer = self._open(first=True)
        self._identity = self._identify()
        self.execute = self._writer.cursor().execute
        """Runs one of the writer's statements; all of its rows must be read before the next.

        They share a cursor: making one is a good part of what a short statement costs.
        """
        _opened.add(self)

    def _open(self, *, first: bool = False) -> Connection:
        connection = self._connect(self._file)
        try:
            connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
            if first and self.path:
                self._claim(connection)
                _use_wal(connection, self.path)
            for pragma in self._durability:
                connection.execute(f"PRAGMA {pragma}")
            cache = WRITER_CACHE_KIBIBYTES if first else READER_CACHE_KIBIBYTES
            connection.execute(f"PRAGMA cache_size = -{cache}")
        except BaseException:
            connection.close()
            raise
        return connection

    def _claim(self, connection: Connection) -> None:
        """Mark an empty database as ours; refuse that of another program."""
        connection.execute("BEGIN IMMEDIATE")
        (found,) = connection.execute("PRAGMA application_id").fetchone()
        if found != self._mark:
            if connection.execute("SELECT 1 FROM sqlite_master").fetchone():
                raise DatabaseCorrupt(
                    f"{self.path} is the database of another program: give another path"
                )
            connection.execute(f"PRAGMA application_id = {self._mark}")
        connection.execute("COMMIT")

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Give a connection that sees one snapshot for the length of the block."""
        if self.reads_as_writer:
            with self.lock, self.failures:
                self._check_open()
                yield self._writer
            return
        with self.failures:
            reader = self._take_reader()
            try:
                reader.execute("BEGIN")
                yield reader
            finally:
                self._give_back(reader)

    def fetchone(self, sql: str, parameters: tuple[Any, ...]) -> Any:
        """Run one reading statement and give its first row: a snapshot of its own."""
        try:
            if self.reads_as_writer:
                with self.lock:
                    self._check_open()
                    return self._writer.execute(sql, parameters).fetchone()
            reader = self._take_reader()
            try:
                return reader.execute(sql, parameters).fetchone()
            finally:
                self._give_back(reader)
        except Exception as error:
            self.failures.explain(error)
            raise

    def write(self) -> Transaction:
        """Give the writing connection: the block is committed whole, or not at all."""
        return Transaction(self)

    def begin(self) -> Connection:
        """Wait until nobody else writes, and begin; ``end`` must follow unless this raises."""
        thread = get_ident()
        if self.at_work == thread:
            raise SingletableError(AT_WORK)
        if self._together == thread:
            self.join()
        else:
            with self.lock:  # no exception of a signal handler comes between it and the block
                self.at_work = thread
                self.lock.acquire()  # until the end
        try:
            if self._closed:
                self._check_open()
            self.execute("SAVEPOINT part" if self._together else "BEGIN IMMEDIATE")
        except BaseException as error:
            self.end(error)
            raise
        return self._writer

    def join(self) -> Connection:
        """Write in the block of this thread, as a part that is not taken back alone."""
        if self.at_work:
            raise SingletableError(AT_WORK)
        self._check_open()
        self._check_block()
        self.at_work = self._together
        return self._writer

    def _check_block(self) -> None:
        """Refuse to go on in a block that came to nothing, as when SQLite has rolled it back."""
        if self._is_spoiled or not self._writer.in_transaction:
            raise SingletableError(
                "one of the requests written together failed halfway, so that none of them was "
                "kept: send them again"
            )

    def leave(self, error: BaseException | None, *, spoils: bool) -> None:
        """End such a part; an error spoils the block if the part had begun to write."""
        self._is_spoiled = self._is_spoiled or spoils
        self.at_work = None
        if error is not None:
            self.failures.explain(error)

    @contextmanager
    def together(self) -> Iterator[None]:
        """Commit at once all that this thread writes in the block; a write may fail by itself."""
        with self.lock:
            if self._together:
                raise SingletableError(
                    "this thread writes together already: leave that block before the next"
                )
            if self.at_work:
                raise SingletableError(AT_WORK)
            self._expect_loads()
            with self.write():
                self._together, self._is_spoiled, self.at_work = self.at_work, False, None
                try:
                    yield
                finally:
                    self._together, self.at_work = None, self._together
                self._check_block()

    def _expect_loads(self) -> None:
        if self._is_loading:
            return
        with self.failures:
            self._check_open()
            for pragma in LOADING:
                self._writer.execute(f"PRAGMA {pragma}")
        self._is_loading = True

    @property
    def is_together(self) -> bool:
        """Tell whether some thread's writes are parts of a larger transaction now."""
        return self._together is not None

    @property
    def is_together_here(self) -> bool:
        """Tell whether what this thread writes is a part of a larger transaction."""
        return self._together is not None and self._together == get_ident()

    @property
    def reads_as_writer(self) -> bool:
        """Tell whether a read takes the writer: in memory, or to see what it wrote together."""
        return self.path is None or self.is_together_here

    def end(self, error: BaseException | None) -> None:
        """Commit; or after an error roll back, and raise it in our words if it is SQLite's."""
        try:
            if error is None:
                self.execute("RELEASE part" if self._together else "COMMIT")
            else:
                self._undo(error)
        except BaseException as failure:
            if error is None and self._together:
                self.leave(failure, spoils=True)  # whether the part is still open is not known
            elif error is None:
                self._undo(failure)
            raise
        finally:
            self.at_work = None
            if not self._together:
                self.lock.release()

    def see_through(self, write: Callable[[], T]) -> T:
        """Carry out a write, and leave none open wherever it is cut off."""
        at_work = self.at_work
        try:
            return write()
        except BaseException as error:
            self.abandon(error, at_work)
            raise

    def abandon(self, error: BaseException, at_work: int | None) -> None:
        """End the write of this thread if it is still open, unless it was at work before, too.

        An exception that a signal handler raises may come at the very edge of a write, where this
        cannot end itself. The lock would then be held for ever.
        """
        if at_work == self.at_work or self.at_work != get_ident():
            return
        if self._together:
            self.leave(error, spoils=True)
        else:
            self.end(error)

    def _undo(self, error: BaseException) -> None:
        with self.failures:
            if not self._closed:
                (_end_part if self._together else _end)(self._writer)
        self.failures.explain(error)

    def _check_open(self) -> None:
        if self._closed:
            raise SingletableError(self._closed)

    def _take_reader(self) -> Connection:
        try:
            return self._idle_readers.pop()
        except IndexError:
            self._check_open()
            self._check_place()
            return self._open()

    def _check_place(self) -> None:
        """Refuse to read what came into the place of the file; SQLite would, or make a new one."""
        if self._identify() != self._identity:
            raise DatabaseUnusable(
                f"{self.path} was removed or replaced while it was open: end this process, which "
                "still writes to what was there before"
            )

    def _identify(self) -> tuple[int, int] | None:
        """Tell files apart, where the file is one of the operating system's."""
        try:
            found = Path(self._file).stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def _give_back(self, reader: Connection) -> None:
        """Keep a reader for the next, whatever became of its work, until the engine is closed."""
        try:
            _end(reader)
        except BaseException:
            reader.close()
            raise
        if len(self._idle_readers) >= READERS_IDLE_MAX:
            reader.close()
            return
        self._idle_readers.append(reader)
        if self._closed:
            self._close_readers()

    def _close_readers(self) -> None:
        with suppress(IndexError):
            while True:
                self._idle_readers.pop().close()

    def copy_to(self, target: Storage) -> None:
        """Copy the whole database into an empty one."""
        with self.lock, self.failures:
            self._check_open()
            self._writer.backup(target._writer)  # type: ignore[attr-defined] # sqlite3 alone has it

    def close(self) -> None:
        """Close the database; later calls fail, those under way end in their own time."""
        with self.lock, self.failures:
            if self._closed:
                return
            self._closed = "the engine is closed"
            self._close_readers()
            _end(self._writer)  # or SQLite keeps the write open that this call came into
            self._writer.close()

    def leave_to_parent(self) -> None:
        """Close what a forked process has inherited.

        SQLite takes the locks of its parent for its own, and so the parent, once alone in its own
        eyes, would take the log away under the child. A connection at work is beyond help here, and
        the thread that held its lock is not in this process: nobody shall wait for it. Memory is
        copied by a fork, so that what the child wrote would be lost in silence.
        """
        self._closed = FORKED if self.path else FORKED_IN_MEMORY
        self._close_readers()
        if self.lock.acquire(blocking=False):
            self._writer.close()
            self.lock.release()
        else:
            self.lock = threading.RLock()


class Transaction:
    """Is a block that writes.

    A class, since a generator that an exception has cut off ends at some time later: when another
    write may be under way.
    """

    def __init__(self, storage: Storage) -> None:
        self._storage = storage

    def __enter__(self) -> Connection:
        return self._storage.begin()

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self._storage.end(error)


_opened: weakref.WeakSet[Storage] = weakref.WeakSet()


def _after_fork() -> None:
    for storage in list(_opened):
        storage.leave_to_parent()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


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


def _end(connection: Connection) -> None:
    """Roll back what is still open; on a full disk or an I/O error SQLite did so by itself."""
    if connection.in_transaction:
        connection.execute("ROLLBACK")


def _end_part(connection: Connection) -> None:
    """Take back a part alone; where SQLite ended the whole, its end will tell."""
    if connection.in_transaction:
        connection.execute("ROLLBACK TO part")
        connection.execute("RELEASE part")
