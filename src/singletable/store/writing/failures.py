"""From the errors of the service to those of a store: which writes failed, and why.

A cancelled transaction tells the reason of each write by its position. What failed because somebody
else wrote meanwhile is no error: it is planned again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from singletable.errors import (
    ServiceError,
    SingletableError,
    TransactionCancelled,
    service_error,
)
from singletable.store.retries import KINDS
from singletable.values import Item

from .writes import Identity, Part, identity

CONDITION = "ConditionalCheckFailed"
ERRORS = {
    "ItemCollectionSizeLimitExceeded": "ItemCollectionSizeLimitExceededException",
    "ValidationError": "ValidationException",
}
"""The code of a reason → the error that the same fault is in a request of its own."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Tells which action of a transaction failed, on which item, and why."""

    action: str
    key: Item
    error: SingletableError


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of writes that failed together."""

    errors: tuple[tuple[Part, SingletableError], ...]
    outdated: bool
    """Somebody else wrote meanwhile: planned anew, the writes may succeed."""
    left_out: Mapping[Identity, Item | None]
    """What cannot be done, and need not be, with what was found there."""

    @property
    def again(self) -> bool:
        """Tell whether to plan again."""
        return self.outdated or bool(self.left_out and not self.errors)


def judged(error: ServiceError, parts: Sequence[Part]) -> Verdict:
    """Ask every write that failed what its failure means."""
    errors: list[tuple[Part, SingletableError]] = []
    left_out: dict[Identity, Item | None] = {}
    outdated = False
    for part, reason in zip(parts, _reasons(error), strict=True):
        found = reason.get("Item")
        if reason.get("Code") == CONDITION and part.can_spare(found):
            left_out[identity(part.write.key)] = found
            continue
        meaning = _meaning(part, reason)
        if meaning is not None:
            errors.append((part, meaning))
        elif reason.get("Code") == CONDITION:
            outdated = True
    return Verdict(tuple(errors), outdated, {} if outdated else left_out)


def _reasons(error: ServiceError) -> list[dict[str, Any]]:
    if error.code == "ConditionalCheckFailedException":
        return [{"Code": CONDITION, **error.fields}]
    reasons: list[dict[str, Any]] = error.fields["CancellationReasons"]
    return reasons


def _meaning(part: Part, reason: dict[str, Any]) -> SingletableError | None:
    code = reason.get("Code") or "None"
    if code == CONDITION:
        return part.failure(reason.get("Item"))
    if code == "None" or code in KINDS:
        return None
    return service_error(ERRORS.get(code, code), reason.get("Message") or code)


def cancelled(failures: Sequence[Failure]) -> SingletableError:
    """Give the error of the one action that failed, or one that names several."""
    if len(failures) == 1:
        return failures[0].error
    told = "; ".join(str(failure.error) for failure in failures)
    return TransactionCancelled(
        f"{len(failures)} actions of the transaction failed, so none was done: {told}",
        list(failures),
    )
