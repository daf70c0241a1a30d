"""The programs of reads by key: one item, many in batches or as of one moment, what others name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from singletable.errors import KeyValueError, NotFound, StoreError
from singletable.model.pages import Page
from singletable.model.reads import BatchGet, Get, Key, Query
from singletable.model.schema import Schema
from singletable.store.batches import get_at_once, get_items, get_requests, snapshot_requests
from singletable.store.context import Context
from singletable.store.steps import Program
from singletable.values import Item

from .copies import any_copy
from .plans import Request, plan_get
from .sifting import Sieve

# One


def get_first(context: Context, get: Get[Any], _: str | None) -> Program[Any]:
    """Read one item; None where there is none."""
    schema = get.key.schema
    copy = any_copy(schema) if schema.copies else 0
    request = plan_get(get, context.table_name, copy)
    answer = yield from context.send("GetItem", request, get.pattern)
    item = answer.get("Item")
    if item is None:
        return None
    sieve = Sieve.of(schema, context.clock(), get.shape)
    entity = sieve.read(item)
    if sieve.skipped:
        raise StoreError(f"{_named(get.key)} {sieve.skipped[0].reason}")
    return entity


def get_one(context: Context, get: Get[Any], after: str | None) -> Program[Any]:
    """Read one item that has to be there."""
    found = yield from get_first(context, get, after)
    if found is None:
        raise NotFound(f"There is no {_named(get.key)}")
    return found


def _named(key: Key[Any]) -> str:
    fields = ", ".join(f"{name}={value!r}" for name, value in key.fields.items())
    return f"{key.schema.name}({fields})"


# Many


def batch_page(context: Context, read: BatchGet[Any], _: str | None) -> Program[Page[Any]]:
    """Read many items, in their order."""
    keys = [get.key.schema.item_key(get.key.fields, any_copy(get.key.schema)) for get in read.gets]
    if read.at_once:
        items = yield from get_at_once(context, keys, pattern=read.pattern)
    else:
        items = yield from get_items(
            context, keys, consistent=_is_strong(read), pattern=read.pattern
        )
    page: Page[Any] = Page([])
    at = context.clock()
    for get, item in zip(read.gets, items, strict=True):
        if item is not None:
            sieve = Sieve.of(get.key.schema, at, get.shape)
            page.items.extend(sieve.all([item]))
            page.skipped.extend(sieve.skipped)
    return page


def batch_requests(context: Context, read: BatchGet[Any]) -> Iterator[Request]:
    """Give the requests that read many items; of hot ones, the first copies."""
    keys = [get.key.item_key for get in read.gets]
    if read.at_once:
        return snapshot_requests(context, keys)
    return get_requests(context, keys, consistent=_is_strong(read))


def _is_strong(read: BatchGet[Any]) -> bool:
    return any(get.consistent for get in read.gets)


# What others name


def pointed_at(
    context: Context, query: Query[Any], items: list[Item], sieve: Sieve
) -> Program[list[Any]]:
    """Read what the items of a page point at, in their order."""
    assert query.fetches is not None
    schema, match = query.fetches
    itself = schema is query.schema  # as an index does that holds its items in part
    if itself:
        names = schema.table.primary.attributes
        keys = [{name: item[name] for name in names} for item in items]
    else:
        keys = list(_targets(items, sieve, schema, match))
    found = yield from get_items(context, keys, pattern=query.pattern)
    target = Sieve.of(schema, sieve.at, query.shape, once=itself)
    target.skipped = sieve.skipped
    return target.all(item for item in found if item is not None)


def _targets(
    items: list[Item], sieve: Sieve, schema: Schema, match: Iterable[tuple[str, str]]
) -> Iterator[Item]:
    """Give the keys that items point at."""
    for item in items:
        pointer = sieve.read(item)
        if pointer is None:
            continue
        fields = {theirs: getattr(pointer, ours) for theirs, ours in match}
        try:
            yield schema.item_key(fields, any_copy(schema))
        except KeyValueError as fault:
            sieve.skip(item, f"points at no {schema.name}: {fault}")
