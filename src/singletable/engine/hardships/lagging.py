"""Reads that lag behind: a copy of the database, some requests old, answers them.

Tables and global indexes have copies of their own, so that they may disagree. Each is of the whole
database and in memory: this is for the small ones of tests.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from dataclasses import replace
from random import Random

from singletable.engine.catalog import Catalog
from singletable.engine.database import Database
from singletable.engine.operations import Request
from singletable.engine.storage import Storage

from .touches import Touch

TRANSACTIONS = frozenset({"TransactItems", "TransactStatements"})
"""Members that only transactions have, whose reads are consistent."""


class Copy:
    """A copy of the database, made again after some requests."""

    def __init__(self) -> None:
        self._storage = Storage()
        self._catalog = Catalog(self._storage)
        self._close = weakref.finalize(self, self._storage.close)
        self.age_left = 0
        """How many requests it may still be used for."""

    def renew(self, db: Database, age_max: int) -> None:
        """Copy what there is now."""
        with db.storage.lock, self._storage.lock:  # in the order of those who hold the first
            db.storage.copy_to(self._storage)
            self._catalog.forget()
            self.age_left = age_max

    def of(self, db: Database) -> Database:
        """Give the database with the copy in its place."""
        return replace(db, storage=self._storage, catalog=self._catalog)


class Lagging:
    """Decides which reads are answered by a copy."""

    def __init__(self, lag: int, dice: Random) -> None:
        self._lag, self._dice = lag, dice
        self._tables, self._indexes = Copy(), Copy()

    def database(self, db: Database, request: Request, touched: Sequence[Touch]) -> Database:
        """Give what a request works on: a copy, or what there is now."""
        for copy in (self._tables, self._indexes):
            copy.age_left -= 1
        if db.storage.is_together_here or _is_current(request, touched):
            return db
        copy = self._indexes if any(touch.index for touch in touched) else self._tables
        if copy.age_left < 0:
            copy.renew(db, self._dice.randint(0, self._lag))
        lagging = copy.of(db)
        return lagging if all(_is_known(lagging, touch) for touch in touched) else db


def _is_known(lagging: Database, touch: Touch) -> bool:
    """Tell whether a table was defined as it is now; definitions do not lag."""
    table = lagging.catalog.find(touch.table.name)
    return table is not None and table.document == touch.table.document


def _is_current(request: Request, touched: Sequence[Touch]) -> bool:
    """Tell whether a request writes, or reads consistently."""
    if any(touch.kind == "Write" for touch in touched) or not TRANSACTIONS.isdisjoint(request):
        return True
    reads = [request, *request.get("RequestItems", {}).values()]
    return any(each.get("ConsistentRead") for each in reads)
