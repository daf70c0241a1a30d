"""Reads that see every write before them, whatever they ask for.

A rule of the way back is called once for a change. What it reads besides must not be older, or the
change would be missed; only an index of its own partition keys cannot be read so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from singletable.backends import Backend

ONE = frozenset({"GetItem", "Query", "Scan"})


@dataclass(frozen=True, slots=True)
class Strong:
    """A backend whose reads are consistent where they can be."""

    backend: Backend

    def call(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        """Carry out a request."""
        return self.backend.call(operation, strengthened(operation, request))

    async def acall(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        """Carry out a request."""
        return await self.backend.acall(operation, strengthened(operation, request))

    def close(self) -> None:
        """Leave the backend open, as it is another's."""

    async def aclose(self) -> None:
        """Leave the backend open, as it is another's."""


def strengthened(operation: str, request: dict[str, Any]) -> dict[str, Any]:
    """Ask for a consistent read."""
    if operation in ONE and "IndexName" not in request:
        return {**request, "ConsistentRead": True}
    if operation == "BatchGetItem":
        asked = {
            table: {**keys, "ConsistentRead": True}
            for table, keys in request["RequestItems"].items()
        }
        return {**request, "RequestItems": asked}
    return request
