"""What a read gives: a page of items, and what it had to leave out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar, overload

from singletable.values import Item

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Skipped:
    """Names an item that a read found and could not give, and says why.

    What else it holds is left out: pages are sent to clients as they are.
    """

    key: Item
    reason: str


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Holds the items of one page; ``next`` is the cursor of the page after it, if there is one."""

    items: list[T]
    next: str | None = None
    skipped: list[Skipped] = field(default_factory=list)

    def __iter__(self) -> Iterator[T]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    @overload
    def __getitem__(self, at: int) -> T: ...
    @overload
    def __getitem__(self, at: slice) -> list[T]: ...
    def __getitem__(self, at: int | slice) -> Any:
        return self.items[at]
