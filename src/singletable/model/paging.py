"""What reads that go page by page have in common: the ways to run them, and their bounds."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from singletable.errors import NoStrongRead, UsageError

from .conditions import Condition
from .pages import Page
from .running import LIMIT_MAX, Course, Many

if TYPE_CHECKING:
    from .keys import Keys
    from .schema import Schema

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True, repr=False)
class Paged(Many[T]):
    """A read that goes page by page; iterating over it reads page after page, as needed."""

    schema: Schema
    keys: Keys
    condition: Condition | None = None
    shape: type[Any] | None = None
    page_size: int | None = None
    most: int | None = None
    """How many items are given at most, by all pages together."""
    consistent: bool = False

    @property
    def page_max(self) -> int | None:
        """Tell how many items a page has at most; None if only their size bounds it."""
        return self.page_size if self.most is None else self.most

    def page(self, after: str | None = None) -> Page[T]:
        """Read one page, the first or the one after a cursor.

        That is one request, or one for each shard, segment and time bucket that it reads. A page
        may be short, or empty, and not the last: only ``next`` tells.
        """
        page: Page[T] = self._run("page", after)  # a cast would cost a call
        return page

    async def apage(self, after: str | None = None) -> Page[T]:
        """Read one page, the first or the one after a cursor."""
        return cast("Page[T]", await self._arun("page", after))

    def count(self) -> int:
        """Count the items, up to the limit; all are read and paid for, but not sent."""
        return cast(int, self._run("count"))

    async def acount(self) -> int:
        """Count the items, up to the limit; all are read and paid for, but not sent."""
        return cast(int, await self._arun("count"))

    def __iter__(self) -> Iterator[T]:
        course = Course(self, self.most)
        while not course.is_done:
            yield from course.take(course.read.page(course.after))

    async def __aiter__(self) -> AsyncIterator[T]:
        course = Course(self, self.most)
        while not course.is_done:
            for item in course.take(await course.read.apage(course.after)):
                yield item

    def filter(self, condition: Condition) -> Self:
        """Leave out items after they were read and paid for."""
        both = self.condition & condition if self.condition is not None else condition
        return self.but(condition=both)

    def limit(self, items: int) -> Self:
        """Give at most so many items: a page has no more, and iterating and ``all`` end there.

        What a filter leaves out is not counted. A page that is full may have a ``next``, by which
        the same read gives as many again.
        """
        return self.but(most=checked_limit(items))

    def strong(self) -> Self:
        """See every write that was answered before; costs twice as much."""
        check_strong(self.keys)
        return self.but(consistent=True)


def checked_limit(items: Any) -> int:
    """Give a number of items, or refuse it."""
    if not isinstance(items, int) or isinstance(items, bool) or not 1 <= items <= LIMIT_MAX:
        raise UsageError(f"A limit is a whole number from 1 to {LIMIT_MAX:,}, not {items!r}")
    return items


def check_strong(keys: Keys) -> None:
    """Refuse a strong read of an index that has none."""
    if keys.index.name is not None and not keys.index.local:
        raise NoStrongRead(
            f"{keys.index.name} is a global index: DynamoDB reads it eventually consistent"
        )
