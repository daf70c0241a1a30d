"""What the requests under way are for: said by whoever makes them, and read by a meter."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

PURPOSE: ContextVar[str | None] = ContextVar("PURPOSE", default=None)


@contextmanager
def purpose(name: str) -> Iterator[None]:
    """Have the requests of the block be for this: of this thread, or of this task."""
    before = PURPOSE.get()
    PURPOSE.set(name)
    try:
        yield
    finally:
        PURPOSE.set(before)  # by a token, a generator could not end in another context
