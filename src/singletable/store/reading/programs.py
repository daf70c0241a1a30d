"""The ways to run a read: for each description and each of its run methods, the program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from singletable.errors import UsageError
from singletable.model.pages import Page
from singletable.model.reads import BatchGet, Collection, Get, Query, Scan
from singletable.model.running import Action, Read
from singletable.store.context import Context, twice
from singletable.store.steps import Program

from .collecting import collected_page
from .fetching import batch_page, batch_requests, get_first, get_one
from .gathering import only
from .plans import Request, plan_collection, plan_get, plan_query
from .querying import query_all, query_count, query_first, query_one, query_page
from .scanning import scan_all, scan_count, scan_first, scan_one, scan_page, scan_requests


def program(context: Context, action: Action, read: Read[Any], after: str | None) -> Program[Any]:
    """Give the program that runs a read in one of its ways."""
    _check_table(context, read)
    programs = PROGRAMS[type(read)]
    if action not in programs:
        raise UsageError(f"A {type(read).__name__} has no {action}()")
    return programs[action](context, read, after)


def requests(context: Context, read: Any) -> list[Request]:
    """Give the exact requests of a read, of its first page if it has pages; sends nothing."""
    _check_table(context, read)
    if isinstance(read, Get):
        return [plan_get(read, context.table_name)]
    if isinstance(read, Scan):
        return scan_requests(context, read)
    if isinstance(read, BatchGet):
        return list(batch_requests(context, read))
    plan = plan_collection if isinstance(read, Collection) else plan_query
    return plan(read, context.table_name).first_requests()


def _check_table(context: Context, read: Any) -> None:
    if isinstance(read, Get):
        table = read.key.schema.table
    elif isinstance(read, BatchGet):
        for get in read.gets:
            _check_table(context, get)
        return
    else:
        table = (read.view if isinstance(read, Collection) else read.schema).table
    if table is not context.table:
        raise UsageError(
            f"The items are in {table!r}, and the store is of {context.table!r}"
            + twice(context, table)
        )


def _whole(page: Callable[..., Program[Page[Any]]]) -> dict[Action, Callable[..., Program[Any]]]:
    """Give the ways to run a read of which a page gives all."""

    def every(context: Context, read: Any, _: str | None) -> Program[list[Any]]:
        found = yield from page(context, read, None)
        return found.items

    def first(context: Context, read: Any, _: str | None) -> Program[Any]:
        found = yield from page(context, read, None)
        return found.items[0] if found.items else None

    def one(context: Context, read: Any, _: str | None) -> Program[Any]:
        found = yield from page(context, read, None)
        return only(found.items, _described(read))

    return {"page": page, "all": every, "first": first, "one": one}


def _described(read: Any) -> str:
    if isinstance(read, Collection):
        return f"{read.view.shape.__name__} for {dict(read.known)}"
    return "item of the batch"


PROGRAMS: dict[type, dict[Action, Callable[..., Program[Any]]]] = {
    Get: {"first": get_first, "one": get_one},
    Query: {
        "page": query_page,
        "all": query_all,
        "first": query_first,
        "one": query_one,
        "count": query_count,
    },
    Scan: {
        "page": scan_page,
        "all": scan_all,
        "first": scan_first,
        "one": scan_one,
        "count": scan_count,
    },
    Collection: _whole(collected_page),
    BatchGet: _whole(batch_page),
}
