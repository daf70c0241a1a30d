"""The programs of queries: page by page, all, the first, the only one, and how many."""

from __future__ import annotations

from typing import Any

from singletable.model.pages import Page
from singletable.model.reads import Query
from singletable.model.running import Course
from singletable.store.context import Context
from singletable.store.steps import Program, Together

from .fetching import pointed_at
from .gathering import counted, gathered, only
from .merging import merged_page
from .plans import plan_count, plan_query
from .sifting import Sieve


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
    """Read every page, or as many as the limit takes."""
    return (yield from gathered(context, query_page, Course(query, query.most)))


def query_first(context: Context, query: Query[Any], _: str | None) -> Program[Any]:
    """Read until there is an item."""
    found = yield from _some(context, query, 1)
    return found[0] if found else None


def query_one(context: Context, query: Query[Any], _: str | None) -> Program[Any]:
    """Read until there are two items, or no more."""
    found = yield from _some(context, query, 2)
    return only(found, f"{query.schema.name} for {dict(query.known)}")


def _some(context: Context, query: Query[Any], count: int) -> Program[list[Any]]:
    """Read so many items; at first no more than that, if each is likely to be given."""
    count = min(count, query.most or count)
    most = count if query.condition is None else None
    return (yield from gathered(context, query_page, Course(query.but(most=most), count)))


def query_count(context: Context, query: Query[Any], _: str | None) -> Program[int]:
    """Count the items up to the limit, those of shards side by side."""
    plan = plan_count(query, context.table_name, context.clock())
    total = 0
    for group in plan.groups:
        requests = map(plan.request, group)
        programs = (counted(context, plan.operation, request, query) for request in requests)
        counts = yield Together(tuple(programs))
        total += sum(counts)
    return min(total, query.most or total)
