"""One event for every request that a store sends, for whoever wants to know.

An observer is any function that takes an event. It runs where the request ran and takes its time
there, so it should be quick; if it raises, that is logged once and the request goes on.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from singletable.errors import ServiceError

LOG: Final = logging.getLogger("singletable")

OF_ITEMS: Final = frozenset(
    {
        "BatchGetItem",
        "BatchWriteItem",
        "DeleteItem",
        "GetItem",
        "PutItem",
        "Query",
        "Scan",
        "TransactGetItems",
        "TransactWriteItems",
        "UpdateItem",
    }
)
"""The operations on items: they need a table, and tell the capacity they consume, if asked to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestEvent:
    """Tells of one request, from its first attempt to its answer or its last error."""

    pattern: str | None = None
    """The access pattern that it was made for; None for a write or a call of its own."""
    operation: str
    """As DynamoDB names it, as in ``Query``."""
    table: str
    """The table, or the tables with commas between."""
    index: str | None = None
    consumed: float | None = None
    """Capacity units of tables and indexes; None where the answer does not tell."""
    consumed_by_index: Mapping[str, float] = field(default_factory=dict)
    latency_s: float
    """Pauses and retries included."""
    retries: int = 0
    items: int | None = None
    """How many items were read or written; None when the request failed."""
    error: str | None = None
    """The code of the service's error, or the name of another one."""


Observer = Callable[[RequestEvent], None]


class Observers(list[Observer]):
    """An observer that tells several, none of which can disturb a request or another."""

    __slots__ = ("_faulty",)

    def __init__(self, observers: Iterable[Observer] = ()) -> None:
        super().__init__(observers)
        self._faulty: set[int] = set()

    def __call__(self, event: RequestEvent) -> None:
        """Tell each observer; log the first error of each."""
        for number, observer in enumerate(self):
            try:
                observer(event)
            except Exception:
                if number not in self._faulty:
                    self._faulty.add(number)
                    LOG.exception("The observer %r failed; its next errors are silent", observer)


def metered(operation: str, request: dict[str, Any]) -> dict[str, Any]:
    """Have a request's answer tell what it consumed, where the operation can and is not told."""
    if operation not in OF_ITEMS or "ReturnConsumedCapacity" in request:
        return request
    return {**request, "ReturnConsumedCapacity": "INDEXES"}


def event_of(
    operation: str,
    request: Mapping[str, Any],
    *,
    answer: Mapping[str, Any] | None = None,
    error: BaseException | None = None,
    latency_s: float,
    retries: int = 0,
    pattern: str | None = None,
) -> RequestEvent:
    """Make the event of a request from its answer, even one that lacks parts, or its error."""
    consumed = _listed((answer or {}).get("ConsumedCapacity", ()))
    return RequestEvent(
        pattern=pattern,
        operation=operation,
        table=",".join(sorted(_tables(request))),
        index=request.get("IndexName"),
        consumed=sum(each.get("CapacityUnits", 0.0) for each in consumed) if consumed else None,
        consumed_by_index=_by_index(consumed),
        latency_s=latency_s,
        retries=retries,
        items=None if answer is None else _items(operation, request, answer),
        error=None if error is None else _name(error),
    )


def _listed(consumed: Any) -> Any:
    return [consumed] if isinstance(consumed, dict) else consumed


def _by_index(consumed: Iterable[Mapping[str, Any]]) -> dict[str, float]:
    units: dict[str, float] = {}
    for each in consumed:
        for member in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes"):
            for index, part in each.get(member, {}).items():
                units[index] = units.get(index, 0.0) + part.get("CapacityUnits", 0.0)
    return units


def _tables(request: Mapping[str, Any]) -> set[str]:
    match request:
        case {"TableName": table}:
            return {table}
        case {"RequestItems": by_table}:
            return set(by_table)
        case {"TransactItems": actions}:
            return {each["TableName"] for action in actions for each in action.values()}
    return set()


def _items(operation: str, request: Mapping[str, Any], answer: Mapping[str, Any]) -> int | None:
    match operation:
        case "Query" | "Scan":
            return answer.get("Count")
        case "GetItem":
            return int("Item" in answer)
        case "PutItem" | "UpdateItem" | "DeleteItem":
            return 1
        case "BatchGetItem":
            return _count(answer.get("Responses", {}))
        case "BatchWriteItem":
            return _count(request["RequestItems"]) - _count(answer.get("UnprocessedItems", {}))
        case "TransactGetItems":
            return sum("Item" in each for each in answer.get("Responses", ()))
        case "TransactWriteItems":
            return sum("ConditionCheck" not in action for action in request["TransactItems"])
    return None


def _count(by_table: Mapping[str, Any]) -> int:
    return sum(len(entries) for entries in by_table.values())


def _name(error: BaseException) -> str:
    return error.code if isinstance(error, ServiceError) else type(error).__name__
