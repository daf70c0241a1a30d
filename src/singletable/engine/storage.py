"""SQLite underneath: snapshots and transactions, and nothing about DynamoDB.

Readers of a file take a connection each and never wait for the writer. There is one writer at a
time, in this process by a lock and among processes by SQLite's own. A database in memory has one
connection that all threads take turns on.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import get_ident
from typing import Any, TypeVar

from singletable.errors import DatabaseUnusable, SingletableError

from .connections import (
    APPLICATION_ID,
    LOADING,
    Connect,
    Connection,
    Opener,
    connect_sqlite,
    roll_back,
    roll_back_part,
)
from .failures import database_name, failures

T = TypeVar("T")

READERS_IDLE_MAX = 8

FORKED = "the engine was opened before this process forked: open one in each process"
FORKED_IN_MEMORY = (
    "the engine in memory was opened before this process forked, and neither process would see "
    "what the other writes: share a file"
)

AT_WORK = (
    "this thread is in the midst of another write: what a signal handler, a __del__ or a callback "
    "writes is written later, or by a thread of its own"
)


class Storage:
    """A SQLite database, in a file or (with no path) in memory."""

    def __init__(
        self,
        path: str | None = None,
        *,
        durable: bool = True,
        connect: Connect = connect_sqlite,
        mark: int = APPLICATION_ID,
    ) -> None:
        self.path = path
        self.name = database_name(path)
        """What messages call it."""
        self.lock = threading.RLock()
        """Held by the thread that writes."""
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
        self._opener = Opener(path, durable=durable, connect=connect, mark=mark)
        with failures(path, opening=True):
            self._writer = self._opener.open_writer()
        self._identity = self._opener.identify()
        self.execute = self._writer.cursor().execute
        """Runs one of the writer's statements; all of its rows must be read before the next.

        They share a cursor: making one is a good part of what a short statement costs.
        """
        _opened.add(self)

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
                (roll_back_part if self._together else roll_back)(self._writer)
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
            return self._opener.open_reader()

    def _check_place(self) -> None:
        """Refuse to read what came into the place of the file; SQLite would, or make a new one."""
        if self._opener.identify() != self._identity:
            raise DatabaseUnusable(
                f"{self.path} was removed or replaced while it was open: end this process, which "
                "still writes to what was there before"
            )

    def _give_back(self, reader: Connection) -> None:
        """Keep a reader for the next, whatever became of its work, until the engine is closed."""
        try:
            roll_back(reader)
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
            roll_back(self._writer)  # or SQLite keeps the write open that this call came into
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
    """The ``with`` block of a write: committed whole at its end, or not at all.

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
