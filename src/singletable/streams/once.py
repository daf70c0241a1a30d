"""Effects once: what a consumer writes, and that it has written it, in one transaction.

The mark is one more action of the transaction, under the condition that it was not made before. So
a change that is delivered again, by whomever, changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import uuid4

from singletable.errors import SingletableError
from singletable.store.drivers import run
from singletable.store.steps import Program
from singletable.store.store import Store
from singletable.store.writing.marking import AlreadyApplied, marked
from singletable.store.writing.transactions import Transaction

Action = dict[str, Any]
"""An action of TransactWriteItems."""


class AlreadyDone(SingletableError):
    """A mark was made before, so nothing was written now."""


def once(store: Store, mark: Action, work: Callable[[Transaction], None]) -> bool:
    """Do what the work asks of a transaction, with a mark; False if that was done before.

    Work that asks for nothing leaves no mark.
    """
    token = uuid4().hex

    def send(program: Program[Any]) -> Any:
        return run(marked(program, token, [mark]), store.backend)

    try:
        with Transaction(store.context, send, _never, token) as tx:
            work(tx)
    except AlreadyApplied:
        return False
    return True


async def _never(_: Program[Any]) -> None:
    """Send nothing: a block of handlers is not awaited."""
