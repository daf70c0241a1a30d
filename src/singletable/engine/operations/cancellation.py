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

_CODES: dict[type[ServiceError], str] = {
    ConditionalCheckFailedException: "ConditionalCheckFailed",
    ValidationException: "ValidationError",
    DuplicateItemException: "DuplicateItem",
    ItemCollectionSizeLimitExceededException: "ItemCollectionSizeLimitExceeded",
}
CAUSES = tuple(_CODES)
"""The errors that cancel a transaction when one of its parts raises them."""


def together(
    parts: Iterable[Callable[[], T]], causes: tuple[type[ServiceError], ...] = CAUSES
) -> list[T]:
    """Run every part and give the results; if any fails by one of the causes, raise them all."""
    results: list[T] = []
    reasons: list[dict[str, Any]] = []
    for part in parts:
        try:
            results.append(part())
        except causes as error:
            code = next(code for cause, code in _CODES.items() if isinstance(error, cause))
            reasons.append({"Code": code, "Message": error.message, **error.fields})
        else:
            reasons.append({"Code": "None"})
    if len(results) < len(reasons):
        raise _cancelled(reasons)
    return results


def _cancelled(reasons: list[dict[str, Any]]) -> TransactionCanceledException:
    codes = ", ".join(reason["Code"] for reason in reasons)
    return TransactionCanceledException(
        f"Transaction cancelled, please refer cancellation reasons for specific reasons [{codes}]",
        CancellationReasons=reasons,
    )
