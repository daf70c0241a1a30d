"""Effects once: what a consumer writes, and that it has written it, in one transaction.

The mark is one more action of the transaction, under the condition that it was not made before. So
a change that is delivered again, by whomever, changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from singletable.backends import Backend
from singletable.errors import SingletableError, TransactionCanceledException
from singletable.store.store import Store
from singletable.store.writing.transactions import Transaction

S = TypeVar("S", bound=Store)

Action = dict[str, Any]
"""An action of TransactWriteItems."""


class AlreadyDone(SingletableError):
    """Says that a mark was made before, so nothing was written now; ``marks`` tells which."""

    def __init__(self, marks: Sequence[int] = ()) -> None:
        super().__init__("It was done before")
        self.marks = marks


def once(store: Store, mark: Action, work: Callable[[Transaction], None]) -> bool:
    """Do what the work asks of a transaction, with a mark; False if that was done before.

    Work that asks for nothing leaves no mark.
    """
    try:
        with store.through(Marking(store.backend, [mark])).transaction() as tx:
            work(tx)
    except AlreadyDone:
        return False
    return True


class Marking:
    """Is a backend that adds marks to each transaction, and tells when they are there already."""

    def __init__(self, backend: Backend, marks: Sequence[Action]) -> None:
        self._backend = backend
        self._marks = marks

    def call(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        """Answer one request."""
        try:
            return self._backend.call(operation, self._marked(operation, request))
        except TransactionCanceledException as error:
            self._judge(error)
            raise

    async def acall(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        """Answer one request."""
        try:
            return await self._backend.acall(operation, self._marked(operation, request))
        except TransactionCanceledException as error:
            self._judge(error)
            raise

    def close(self) -> None:
        """Do nothing: the backend belongs to the store."""

    async def aclose(self) -> None:
        """Do nothing: the backend belongs to the store."""

    def _marked(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        if operation != "TransactWriteItems":
            return request
        return {**request, "TransactItems": [*request["TransactItems"], *self._marks]}

    def _judge(self, error: TransactionCanceledException) -> None:
        """Raise ``AlreadyDone``, or leave to the store the reasons of its own actions."""
        reasons = error.fields["CancellationReasons"]
        own = len(reasons) - len(self._marks)
        failed = [reason.get("Code") == "ConditionalCheckFailed" for reason in reasons[own:]]
        if any(failed):
            raise AlreadyDone([number for number, one in enumerate(failed) if one]) from error
        error.fields["CancellationReasons"] = reasons[:own]
