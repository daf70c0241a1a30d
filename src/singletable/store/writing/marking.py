"""A program whose transaction does one thing more: takes note that it was done."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

from singletable.errors import ConditionFailed, TransactionCanceledException, UsageError
from singletable.store.steps import Call, Program, Step

from .failures import CONDITION
from .joining import WRITES_MAX

Mark = dict[str, Any]
"""An action of TransactWriteItems."""


class AlreadyApplied(ConditionFailed):
    """A mark was made before, so nothing was written now."""


def marked(work: Program[Any], token: str, marks: Sequence[Mark]) -> Program[bool]:
    """Run a program with marks in the transaction that has the token; tell whether there was one.

    Others, such as the upgrade of an item that an older schema wrote, are left as they are.
    """
    sent = False
    try:
        step: Step = next(work)
        while True:
            mine = isinstance(step, Call) and step.request.get("ClientRequestToken") == token
            sent |= mine
            try:
                answer = yield _with(step, marks) if mine else step
            except TransactionCanceledException as error:
                step = work.throw(_judged(error, len(marks)) if mine else error)
            except BaseException as error:  # noqa: BLE001 - the program raises what it does not handle
                step = work.throw(error)
            else:
                step = work.send(answer)
    except StopIteration:
        return sent


def _with(step: Step, marks: Sequence[Mark]) -> Call:
    """Give the request with marks; its token follows from its content, for it is planned anew."""
    assert isinstance(step, Call)
    actions = [*step.request["TransactItems"], *marks]
    if len(actions) > WRITES_MAX:
        raise UsageError(
            f"{len(actions) - len(marks)} items are written, and a transaction has room for "
            f"{WRITES_MAX - len(marks)} beside {len(marks)} that take note of it: do it in "
            "several steps"
        )
    token = blake2b(repr(actions).encode(), digest_size=16).hexdigest()
    request = {**step.request, "TransactItems": actions, "ClientRequestToken": token}
    return Call(step.operation, request)


def _judged(error: TransactionCanceledException, marks: int) -> Exception:
    """Tell that it was done before, or leave to the program the reasons of its own actions."""
    reasons = error.fields["CancellationReasons"]
    own, others = reasons[:-marks], reasons[-marks:]
    if any(reason.get("Code") == CONDITION for reason in others):
        return AlreadyApplied("It was done before")
    # What keeps the marks from being written, such as a conflict, keeps the first action, too.
    passing = [reason for reason in others if reason.get("Code", "None") != "None"]
    if passing and all(reason.get("Code", "None") == "None" for reason in own):
        own = [*passing[:1], *own[1:]]
    return TransactionCanceledException(error.message, CancellationReasons=own)
