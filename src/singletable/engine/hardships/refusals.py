"""How the service says that it is busy, that it failed, or that a transaction is in the way."""

from __future__ import annotations

from typing import Literal

from singletable.engine.database import Database
from singletable.engine.operations.cancellation import cancelled
from singletable.errors import (
    InternalServerError,
    ProvisionedThroughputExceededException,
    ServiceError,
    ThrottlingException,
    TransactionCanceledException,
    TransactionConflictException,
)

from .touches import Touch

Limit = Literal["KeyRangeThroughputExceeded", "ProvisionedThroughputExceeded"]

TABLE_EXCEEDED = (
    "The level of configured provisioned throughput for the table was exceeded. Consider "
    "increasing your provisioning level with the UpdateTable API."
)
INDEX_EXCEEDED = (
    "The level of configured provisioned throughput for one or more global secondary indexes of "
    "the table was exceeded. Consider increasing your provisioning level for the under-provisioned "
    "global secondary indexes with the UpdateTable API"
)
CAPACITY_EXCEEDED = (
    "Throughput exceeds the current capacity of your table or index. DynamoDB is automatically "
    "scaling your table or index so please try again shortly. If exceptions persist, check if you "
    "have a hot key: "
    "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html"
)
CONFLICT = "Transaction is ongoing for the item"


def throttled(db: Database, touch: Touch, limit: Limit) -> ServiceError:
    """Refuse a request for want of throughput, and name what lacks it."""
    scope, below = ("Index", ("index", touch.index)) if touch.index else ("Table", ())
    resource = db.arn(touch.table, *below)
    reason = {"reason": f"{scope}{touch.kind}{limit}", "resource": resource}
    if touch.table.document["BillingMode"] != "PROVISIONED":
        return ThrottlingException(CAPACITY_EXCEEDED, throttlingReasons=[reason])
    text = INDEX_EXCEEDED if touch.index else TABLE_EXCEEDED
    return ProvisionedThroughputExceededException(text, ThrottlingReasons=[reason])


def in_transaction() -> TransactionConflictException:
    """Refuse to write an item that a transaction is at work on."""
    return TransactionConflictException(CONFLICT)


def conflicted(parts: int, at: int) -> TransactionCanceledException:
    """Cancel a transaction of so many parts, as one of them met another transaction."""
    reasons = [{"Code": "None"} for _ in range(parts)]
    reasons[at] = {"Code": "TransactionConflict", "Message": CONFLICT}
    return cancelled(reasons)


def failed() -> InternalServerError:
    """Say that something went wrong, and not whether the request was carried out."""
    return InternalServerError("Internal server error")
