"""The programs of queries: page by page, all, the first, the only one, and how many."""

from __future__ import annotations

from typing import Any

from singletable.errors import MoreThanOne, NotFound
from singletable.model.pages import Page
from singletable.model.reads import Query
from singletable.store.context import Context
from singletable.store.steps import Program, Together
from singletable.values import Item

from .fetching import pointed_at
from .merging import merged_page
from .plans import Plan, plan_count, plan_query
from .sifting import Sieve, tally


def query_page(context: Context, query: Query[Any], after: str | None) -> Program[Page[Any]]:
    """Read one page."""
    batch = yield from merged_page(context, plan_query(query, context.table_name), after)
    shape = query.shape if query.fetches is None else None
    sieve = Sieve.of(query.schema, context.clock(), shape, once=True)
    if query.fetches is None:
        items = sieve.all(batch.items)
    else:
        items = yield from pointed_at(context, query, batch.items, sieve)
    return Page(items, batch.cursor, sieve.skipped)


def query_all(context: Context, query: Query[Any], _: str | None) -> Program[list[Any]]:
    """Read every page."""
    items: list[Any] = []
    after: str | None = None
    while True:
        page = yield from query_page(context, query, after)
        items += page.items
        after = page.next
        if after is None:
            return items


def query_first(context: Context, query: Query[Any], _: str | None) -> Program[Any]:
    """Read until there is an item."""
    found = yield from _some(context, query, 1)
    return found[0] if found else None


def query_one(context: Context, query: Query[Any], _: str | None) -> Program[Any]:
    """Read until there are two items, or no more."""
    found = yield from _some(context, query, 2)
    return only(found, f"{query.schema.name} for {dict(query.known)}")


def _some(context: Context, query: Query[Any], count: int) -> Program[list[Any]]:
    """Read so many items, or more; at first no more than that, if each is likely to be given."""
    narrow = query if query.condition is not None else query.limit(count)
    page = yield from query_page(context, narrow, None)
    items = page.items
    while len(items) < count and page.next is not None:
        page = yield from query_page(context, query, page.next)
        items += page.items
    return items


def only(found: list[Any], what: str) -> Any:
    """Give the only one of what was found, or raise."""
    if not found:
        raise NotFound(f"There is no {what}")
    if len(found) > 1:
        raise MoreThanOne(f"There is more than one {what}")
    return found[0]


def query_count(context: Context, query: Query[Any], _: str | None) -> Program[int]:
    """Count the items, those of shards side by side."""
    plan = plan_count(query, context.table_name, context.clock())
    total = 0
    for group in plan.groups:
        programs = (_counted(context, query, plan, partition) for partition in group)
        counts = yield Together(tuple(programs))
        total += sum(counts)
    return total


def _counted(context: Context, query: Query[Any], plan: Plan, partition: Item) -> Program[int]:
    total: int = 0
    start: Item | None = None
    while True:
        request = plan.request(partition, start)
        answer = yield from context.send(plan.operation, request, plan.pattern)
        total += tally(answer, query.schema)
        start = answer.get("LastEvaluatedKey")
        if start is None:
            return total
