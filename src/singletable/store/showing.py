"""What a store would send, without sending it.

Calls are answered as an empty table would answer them, which is enough to see a write: it comes
after whatever it has to read first. Where the answer itself would be needed to go on, it ends.
"""

from __future__ import annotations

from typing import Any

from .steps import Call

EMPTY: dict[str, dict[str, Any]] = {
    "Query": {"Items": [], "Count": 0},
    "Scan": {"Items": [], "Count": 0},
    "BatchGetItem": {"Responses": {}},
}
ENDS = frozenset({"UpdateItem", "DescribeTable"})
"""What is answered with an item, or a table, that is not there."""


class Shown(BaseException):
    """Ends a call whose request has been seen; not an error, so that nobody handles it."""


class Recorder:
    """A backend that keeps requests and sends none."""

    def __init__(self) -> None:
        self.calls: list[Call] = []

    def call(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        """Keep a request and answer it as if the table were empty."""
        self.calls.append(Call(operation, request))
        if operation in ENDS:
            raise Shown
        if operation == "TransactGetItems":
            return {"Responses": [{} for _ in request["TransactItems"]]}
        return EMPTY.get(operation, {})

    async def acall(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        """Keep a request and answer it as if the table were empty."""
        return self.call(operation, request)

    def close(self) -> None:
        """Close nothing."""

    async def aclose(self) -> None:
        """Close nothing."""
