"""Which failed requests are sent again, and after how long.

A request that the service turned away was not run, so it may always be sent again. One that got a
server error or no answer may have been run: it is sent again only where running it twice comes to
the same as once. Adding to a number does not, and a condition that the first run made false would
be reported as somebody else's doing; the price is that such writes fail where they might have
gone through. A transaction with a token is safe, whatever it holds.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from singletable.errors import ServiceError, Unreachable

Kind = Literal["throttled", "conflict", "unsent", "unknown"]
"""Why a request may be sent again; after "unknown" nobody can say whether it was run."""

KINDS: Final[dict[str, Kind]] = {
    "ProvisionedThroughputExceeded": "throttled",
    "ProvisionedThroughputExceededException": "throttled",
    "RequestLimitExceeded": "throttled",
    "ThrottlingError": "throttled",
    "ThrottlingException": "throttled",
    "ReplicatedWriteConflictException": "conflict",
    "TransactionConflict": "conflict",
    "TransactionConflictException": "conflict",
    "TransactionInProgressException": "conflict",
    "InternalServerError": "unknown",
    "ServiceUnavailable": "unknown",
}
"""Code of an error, or of a reason why a transaction was cancelled → kind. Others are final."""

REPEATABLE: Final = frozenset(
    {
        "BatchGetItem",
        "BatchWriteItem",
        "DescribeTable",
        "DescribeTimeToLive",
        "GetItem",
        "ListTables",
        "Query",
        "Scan",
        "TransactGetItems",
    }
)
"""What comes to the same whether it is run once or twice."""

_SERVER_ERROR: Final = 500
_DOUBLINGS_MAX: Final = 64  # past any cap, and short of what a float can hold
_NO_REQUEST: Final[Mapping[str, Any]] = {}


@dataclass(frozen=True, slots=True)
class Retries:
    """Says how often a request is sent at most, and how the pauses between grow."""

    attempts: int = 8
    base_s: float = 0.025
    cap_s: float = 2.0
    random: Callable[[], float] = random.random

    def delay(self, attempt: int) -> float:
        """Give the pause after the attempt (the first is 1): any length up to a doubling bound."""
        bound: float = min(self.cap_s, self.base_s * 2 ** min(attempt - 1, _DOUBLINGS_MAX))
        return bound * self.random()

    def allows(
        self,
        error: Exception,
        attempt: int,
        operation: str,
        request: Mapping[str, Any] = _NO_REQUEST,
    ) -> bool:
        """Say whether to send the request again after it failed for the ``attempt``-th time."""
        if attempt >= self.attempts:
            return False
        kind = kind_of(error)
        return kind is not None and (kind != "unknown" or repeatable(operation, request))


def kind_of(error: Exception) -> Kind | None:
    """Give the reason for which a request may be sent again; None if it may not."""
    match error:
        case Unreachable():
            return "unknown" if error.perhaps_done else "unsent"
        case ServiceError(code="TransactionCanceledException"):
            return _kind_of_all(error.fields.get("CancellationReasons", ()))
        case ServiceError(code=code) if code in KINDS:
            return KINDS[code]
        case ServiceError(status=status) if status >= _SERVER_ERROR:
            return "unknown"
    return None


def repeatable(operation: str, request: Mapping[str, Any]) -> bool:
    """Say whether to run a request twice is the same as to run it once, answer included."""
    match operation:
        case "PutItem" | "DeleteItem":
            answers = request.get("ReturnValues", "NONE") != "NONE"
            return bool(request) and not answers and "ConditionExpression" not in request
        case "TransactWriteItems":
            return "ClientRequestToken" in request
    return operation in REPEATABLE


def _kind_of_all(reasons: Any) -> Kind | None:
    """Give the kind of a cancelled transaction: one reason that is final makes it so."""
    codes = {reason.get("Code") or "None" for reason in reasons} - {"None"}
    kinds = {KINDS.get(code) for code in codes}
    if not kinds or None in kinds:
        return None
    return "throttled" if "throttled" in kinds else "conflict"
