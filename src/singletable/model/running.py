"""How a description of a read is run: through a store, sync or async, or only shown.

A description is a value: every method gives another one, and nothing is sent until it is bound to
a store and run.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Generic,
    Literal,
    NoReturn,
    Protocol,
    Self,
    TypeVar,
    cast,
)

from singletable.errors import UsageError

from .pages import Page

if TYPE_CHECKING:
    from .paging import Paged

T = TypeVar("T")

LIMIT_MAX = 2**31 - 1
"""The greatest ``Limit`` that a request can have."""

GROWTH = 4
"""How much larger a page is than the one before it that left too many items out."""

Action = Literal["page", "all", "first", "one", "count", "requests"]


class Runner(Protocol):
    """Runs descriptions: a store."""

    def do(self, action: Action, read: Any, after: str | None = None, /) -> Any:
        """Run a read to its end."""
        ...

    async def ado(self, action: Action, read: Any, after: str | None = None, /) -> Any:
        """Run a read to its end, without blocking the event loop."""
        ...


@dataclass(frozen=True, kw_only=True, repr=False)
class Read(Generic[T]):
    """What all descriptions share: the store that runs them, and the pattern they come from."""

    runner: Runner | None = field(default=None, compare=False)
    pattern: str | None = None

    _asking: ClassVar[str] = "first() gives the item or None, one() raises where there is none"

    def __bool__(self) -> NoReturn:
        raise UsageError(
            f"{self!r} is neither true nor false before it has run: {self._asking}. To ask whether "
            "there is a read at all, write 'is not None'."
        )

    @classmethod
    def of(cls, **members: Any) -> Self:
        """Make a description; as the class itself does, and faster."""
        made = object.__new__(cls)
        made.__dict__.update(members)
        return made

    def but(self, **changes: Any) -> Self:
        """Give this description with other members; as ``dataclasses.replace``, and faster."""
        other = object.__new__(type(self))
        members = other.__dict__
        members.update(self.__dict__)
        members.update(changes)
        return other

    def request(self) -> dict[str, Any]:
        """Give the exact DynamoDB request, if it is one; sends nothing."""
        requests = self.requests()
        if len(requests) != 1:
            raise UsageError(f"This {type(self).__name__} is {len(requests)} requests: requests()")
        return requests[0]

    def requests(self) -> list[dict[str, Any]]:
        """Give the exact DynamoDB requests: several for shards, buckets and batches; sends nothing.

        Of a read that has pages, they are those of the first, which may be full before all of its
        time buckets are asked. What ``fetch`` reads by a batch afterwards depends on what the query
        finds, and is not among them.
        """
        return cast("list[dict[str, Any]]", self._run("requests"))

    def first(self) -> T | None:
        """Read the first item, or None where there is none."""
        found: T | None = self._run("first")  # a cast would cost a call
        return found

    def one(self) -> T:
        """Read the only item; raises ``NotFound`` where there is none."""
        return cast(T, self._run("one"))

    async def afirst(self) -> T | None:
        """Read the first item, or None where there is none."""
        return cast("T | None", await self._arun("first"))

    async def aone(self) -> T:
        """Read the only item; raises ``NotFound`` where there is none."""
        return cast(T, await self._arun("one"))

    def _run(self, action: Action, after: str | None = None) -> Any:
        runner = self.runner or self._bound()
        return runner.do(action, self, after)

    async def _arun(self, action: Action, after: str | None = None) -> Any:
        return await self._bound().ado(action, self, after)

    def _bound(self) -> Runner:
        if self.runner is None:
            raise UsageError(
                f"A {type(self).__name__} runs through a store: call the access pattern that "
                "returns it, or store.bind(it)"
            )
        return self.runner


@dataclass(frozen=True, kw_only=True, repr=False)
class Many(Read[T]):
    """A read that can give many items."""

    _asking = "all() gives a list, first() an item or None, one() raises where there is none"

    def page(self) -> Page[T]:
        """Read every item, and tell beside them what had to be left out."""
        return cast("Page[T]", self._run("page"))

    async def apage(self) -> Page[T]:
        """Read every item, and tell beside them what had to be left out."""
        return cast("Page[T]", await self._arun("page"))

    def all(self) -> list[T]:
        """Read every item, page after page."""
        return cast("list[T]", self._run("all"))

    async def aall(self) -> list[T]:
        """Read every item, page after page."""
        return cast("list[T]", await self._arun("all"))


@dataclass(slots=True)
class Course(Generic[T]):
    """Goes through the pages of a read until there are enough items, or no more.

    The first page is as small as what is wanted. If that was not enough, then items were left out,
    and others may be: pages grow, so that few items are read in vain, and few requests are made.
    """

    read: Paged[T]
    """What reads the next page."""
    left: int | None
    after: str | None = None
    is_done: bool = False

    def take(self, page: Page[T]) -> list[T]:
        """Give the items of the next page that are still wanted."""
        self.after, self.is_done = page.next, page.next is None
        if self.left is None:
            return page.items
        taken = page.items[: self.left]
        self.left -= len(taken)
        self.is_done |= self.left == 0
        if self.read.most is not None:
            self.read = self.read.but(most=min(self.read.most * GROWTH, LIMIT_MAX))
        return taken
