"""What happens to the requests of one view: dice, thrown in the same order for the same calls.

Requests on items are concerned, not those on tables, settings and streams.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from random import Random

from singletable.engine.database import Database
from singletable.engine.operations import Answer, Operation, Request
from singletable.errors import ServiceError

from .declared import Hardships
from .lagging import Lagging
from .limits import Limits
from .refusals import conflicted, failed, in_transaction, throttled
from .touches import Touch, touches

WRITES = frozenset({"PutItem", "UpdateItem", "DeleteItem"})
TRANSACTIONS = {
    "TransactGetItems": "TransactItems",
    "TransactWriteItems": "TransactItems",
    "ExecuteTransaction": "TransactStatements",
}
"""Where each transaction has its parts."""
OTHERS = ("GetItem", "Query", "Scan", "BatchGetItem", "BatchWriteItem", "ExecuteStatement")
CONCERNED = WRITES.union(TRANSACTIONS, OTHERS, ["BatchExecuteStatement"])


class Ordeal:
    """Decides what happens to each request."""

    def __init__(self, hardships: Hardships) -> None:
        self._hardships = hardships
        self._dice = Random(hardships.seed)  # noqa: S311 - luck, not a secret
        self._lagging = Lagging(hardships.lag, self._dice) if hardships.lag else None
        self._limits = Limits() if hardships.limits else None

    def hardened(self, operation: Operation) -> Operation:
        """Give an operation as it is under hardships."""
        if operation.name not in CONCERNED:
            return operation
        return replace(operation, run=partial(self._run, operation))

    def _run(self, operation: Operation, db: Database, request: Request) -> Answer:
        try:
            touched = list(touches(db, operation.name, request))
        except ServiceError:
            touched = []
        if not touched:
            return operation.run(db, request)  # which says itself what is wrong
        self._refuse(operation.name, db, request, touched)
        fails = self._happens(self._hardships.failing)
        if fails and self._happens(0.5):
            raise failed()
        answer = self._carry_out(operation, db, request, touched)
        if fails:
            raise failed()
        return answer

    def _refuse(self, name: str, db: Database, request: Request, touched: list[Touch]) -> None:
        """Refuse a request that has bad luck, before anything is done."""
        if self._happens(self._hardships.throttled):
            raise throttled(db, self._dice.choice(touched), "KeyRangeThroughputExceeded")
        if not self._happens(self._hardships.conflicting):
            return
        if name in WRITES:
            raise in_transaction()
        if name in TRANSACTIONS:
            parts = len(request[TRANSACTIONS[name]])
            raise conflicted(parts, self._dice.randrange(parts))

    def _carry_out(
        self, operation: Operation, db: Database, request: Request, touched: list[Touch]
    ) -> Answer:
        if self._lagging:
            db = self._lagging.database(db, request, touched)
        if self._hardships.unprocessed:
            db = replace(db, leaves=self._leaving())
        if self._limits:
            return self._limits.run(operation, db, request, touched)
        return operation.run(db, request)

    def _leaving(self) -> Callable[[], bool]:
        """Give what decides of each item in a batch whether to leave it: of the first, never."""
        first = iter([False])

        def leaves() -> bool:
            return next(first, True) and self._happens(self._hardships.unprocessed)

        return leaves

    def _happens(self, share: float) -> bool:
        return share > 0 and self._dice.random() < share
