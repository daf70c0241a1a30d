"""A backend that only reads: against slips of the hand, not against malice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from singletable.errors import UsageError

if TYPE_CHECKING:
    from singletable.backends import Backend

READS = ("Get", "BatchGet", "TransactGet", "Query", "Scan", "Describe", "List")
"""How the operations begin that change nothing; PartiQL may, and is not among them."""


class ReadOnlyBackend:
    """Refuses requests that could change something; sends the others on."""

    def __init__(self, inner: Backend) -> None:
        self._inner = inner

    def call(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        """Answer one request that reads."""
        _must_read(operation)
        return self._inner.call(operation, request)

    async def acall(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        """Answer one request that reads."""
        _must_read(operation)
        return await self._inner.acall(operation, request)

    def close(self) -> None:
        """Close what is behind it."""
        self._inner.close()

    async def aclose(self) -> None:
        """Close what is behind it."""
        await self._inner.aclose()


def _must_read(operation: str) -> None:
    if not operation.startswith(READS):
        raise UsageError(
            f"{operation} could change the table, and this shell only reads: start it "
            "without --read-only"
        )
