"""The embedded engine as a backend, with as little in between as there can be.

Neither the engine nor asyncio is loaded for its sake: it is given the one, and called from a
program that runs the other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from singletable.engine import Engine

R = TypeVar("R")

# Of a file, these wait neither for a writer nor, as a rule, for the disk; a thread's turn would
# cost more than the work.
READS = frozenset({"GetItem", "Query"})


class EmbeddedBackend:
    """Runs requests on an engine, and closes that engine only when it is ``owned``."""

    def __init__(self, engine: Engine, *, owned: bool = False) -> None:
        self.engine = engine
        self._owned = owned
        self._in_memory = engine.in_memory

    def call(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        """Answer one request."""
        return self.engine.call(operation, request)

    async def acall(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        """Answer at once what waits for nothing, and in a thread what may wait for the disk."""
        if self._in_memory or operation in READS:
            return self.call(operation, request)
        return await _in_thread(self.call, operation, request)

    def close(self) -> None:
        """Close the engine if it is owned."""
        if self._owned:
            self.engine.close()

    async def aclose(self) -> None:
        """Close the engine if it is owned, which for a file waits for the disk."""
        await _in_thread(self.close)


async def _in_thread(work: Callable[..., R], *arguments: Any) -> R:
    """Do in a thread what may wait for the disk."""
    import asyncio

    return await asyncio.to_thread(work, *arguments)
