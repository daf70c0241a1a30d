"""Transactions that are cancelled: what may fail in each part, and the reasons that are given."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from singletable.errors import (
    ConditionalCheckFailedException,
    DuplicateItemException,
    ItemCollectionSizeLimitExceededException,
    ServiceError,
    TransactionCanceledException,
    ValidationException,
)

T = TypeVar("T")
Reason = dict[str, Any]

_CODES: dict[type[ServiceError], str] = {
    ConditionalCheckFailedException: "ConditionalCheckFailed",
    ValidationException: "ValidationError",
    DuplicateItemException: "DuplicateItem",
    ItemCollectionSizeLimitExceededException: "ItemCollectionSizeLimitExceeded",
}
CAUSES = tuple(_CODES)
"""The errors that cancel a transaction when one of its parts raises them."""


def all_or_cancelled(
    parts: Iterable[Callable[[], T]], causes: tuple[type[ServiceError], ...] = CAUSES
) -> list[T]:
    """Run every part and give the results; raise one error for all parts that fail by a cause."""
    results: list[T] = []
    failed: dict[int, Reason] = {}
    for place, part in enumerate(parts):
        try:
            results.append(part())
        except causes as error:
            failed[place] = _reason(error)
    if failed:
        count = len(results) + len(failed)
        raise cancelled([failed.get(place, {"Code": "None"}) for place in range(count)])
    return results


def _reason(error: ServiceError) -> Reason:
    code = next(code for cause, code in _CODES.items() if isinstance(error, cause))
    return {"Code": code, "Message": error.message, **error.fields}


def cancelled(reasons: list[Reason]) -> TransactionCanceledException:
    """Make the error that has a reason for each part."""
    codes = ", ".join(reason["Code"] for reason in reasons)
    return TransactionCanceledException(
        f"Transaction cancelled, please refer cancellation reasons for specific reasons [{codes}]",
        CancellationReasons=reasons,
    )
