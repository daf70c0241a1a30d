"""What queries and scans do alike: pages put together, the only item, and how many there are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from singletable.errors import MoreThanOne, NotFound
from singletable.model.pages import Page
from singletable.model.paging import Paged
from singletable.model.running import Course
from singletable.store.context import Context
from singletable.store.steps import Program
from singletable.values import Item

from .plans import Request
from .sifting import tally

ReadPage = Callable[[Context, Any, str | None], Program[Page[Any]]]
"""The program that reads one page: of a query, or of a scan."""


def gathered(context: Context, read_page: ReadPage, course: Course[Any]) -> Program[list[Any]]:
    """Read pages until there are enough items, or no more."""
    items: list[Any] = []
    while not course.is_done:
        page = yield from read_page(context, course.read, course.after)
        items += course.take(page)
    return items


def only(found: list[Any], what: str) -> Any:
    """Give the only one of what was found, or raise."""
    if not found:
        raise NotFound(f"There is no {what}")
    if len(found) > 1:
        raise MoreThanOne(f"There is more than one {what}")
    return found[0]


def counted(context: Context, operation: str, request: Request, read: Paged[Any]) -> Program[int]:
    """Count what a request finds, to its end."""
    total: int = 0
    start: Item | None = None
    while True:
        answer = yield from context.send(operation, begun_at(request, start), read.pattern)
        total += tally(answer, read.schema)
        start = answer.get("LastEvaluatedKey")
        if start is None:
            return total


def begun_at(request: Request, start: Item | None) -> Request:
    """Give a request that goes on where another one ended."""
    return request if start is None else {**request, "ExclusiveStartKey": start}
