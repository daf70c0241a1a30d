"""The thread that deletes expired items, while there is a table that asks for it.

An engine without time to live has no thread. The thread holds no engine alive: it ends when the
engine is closed, or gone without having been closed.
"""

from __future__ import annotations

import threading
import weakref
from contextlib import suppress

from singletable.errors import SingletableError

from .database import Database
from .expiry import expire
from .schema import Table

STOP_SECONDS_MAX = 5
"""Longer there is nothing to wait for but the very write in which the engine is closed."""


class Sweeper:
    """Deletes expired items every so many seconds (None: never) once a table asks for it."""

    def __init__(self, db: Database, interval: float | None) -> None:
        self.interval = interval
        self._db = db
        self._stopped = threading.Event()
        self._lock = threading.RLock()
        self._thread: threading.Thread | None = None

    def watch(self) -> None:
        """Look through the tables that there are, and at each that is read or changed later."""
        if self.interval is None:
            return
        catalog = self._db.catalog
        catalog.watch = self._notice
        with self._db.storage.read() as tx:
            for name in catalog.names(tx):
                catalog.read(tx, name)

    def _notice(self, table: Table) -> None:
        """Start the thread if the table is the first that has a time to live."""
        if self._thread is None and table.ttl_attribute:
            with self._lock:
                self._start()

    def _start(self) -> None:
        """Start the thread, unless another did, or the engine is closed."""
        if self._thread is None and not self._stopped.is_set():
            args = (weakref.ref(self._db), self.interval, self._stopped)
            self._thread = threading.Thread(
                target=_sweep, args=args, name="singletable-ttl", daemon=True
            )
            self._thread.start()

    def stop(self) -> None:
        """End the thread, after the transaction that it may be in."""
        with self._lock:
            self._stopped.set()
        if self._thread:
            self._thread.join(STOP_SECONDS_MAX)


def _sweep(
    database: weakref.ReferenceType[Database], interval: float, stopped: threading.Event
) -> None:
    while not stopped.wait(interval):
        db = database()
        if db is None:
            return
        # A full disk, say: those who write learn of it, and the next round tries again.
        with suppress(SingletableError):
            _sweep_once(db, stopped)
        del db


def _sweep_once(db: Database, stopped: threading.Event) -> None:
    for _ in expire(db):
        if stopped.is_set():
            return
