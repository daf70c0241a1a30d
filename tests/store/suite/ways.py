"""The two ways to use a store, sync and async, as one: a test is written once and runs in both."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, Protocol, TypeVar

from singletable import Query, Scan, Store
from singletable.store.writing.transactions import Transaction

T = TypeVar("T")


class Way(Protocol):
    """Does what a method does: it calls the method itself, or awaits its twin."""

    def __call__(self, method: Callable[..., T], *args: Any, **options: Any) -> T:
        """Call a bound method of a store or of a read."""
        ...

    def each(self, read: Query[T] | Scan[T]) -> list[T]:
        """Iterate over a read, page after page."""
        ...

    def transaction(
        self, store: Store, token: str | None = None
    ) -> AbstractContextManager[Transaction]:
        """Begin a transaction."""
        ...


class Sync:
    """Calls methods as they are."""

    def __call__(self, method: Callable[..., T], *args: Any, **options: Any) -> T:
        """Call a method."""
        return method(*args, **options)

    def each(self, read: Query[T] | Scan[T]) -> list[T]:
        """Iterate."""
        return list(read)

    def transaction(
        self, store: Store, token: str | None = None
    ) -> AbstractContextManager[Transaction]:
        """Begin a transaction."""
        return store.transaction(token)


class Async:
    """Awaits the method whose name has an ``a`` in front, on one event loop."""

    def __init__(self, runner: asyncio.Runner) -> None:
        self._runner = runner

    def __call__(self, method: Callable[..., T], *args: Any, **options: Any) -> T:
        """Await the twin of a method."""
        owner: Any = method.__self__  # type: ignore[attr-defined]  # a bound method
        twin = getattr(owner, f"a{method.__name__}")
        made: T = self._runner.run(twin(*args, **options))
        return made

    def each(self, read: Query[T] | Scan[T]) -> list[T]:
        """Iterate without blocking the event loop."""

        async def gather() -> list[T]:
            return [each async for each in read]

        return self._runner.run(gather())

    @contextmanager
    def transaction(self, store: Store, token: str | None = None) -> Iterator[Transaction]:
        """Begin a transaction, and await its end."""
        transaction = store.transaction(token)
        self._runner.run(transaction.__aenter__())
        yield transaction
        self._runner.run(transaction.__aexit__(None, None, None))


def either(*, awaited: bool) -> AbstractContextManager[Way]:
    """Give one of the ways, until the block ends."""
    return _awaiting() if awaited else nullcontext(Sync())


@contextmanager
def _awaiting() -> Iterator[Way]:
    with asyncio.Runner() as runner:
        yield Async(runner)
