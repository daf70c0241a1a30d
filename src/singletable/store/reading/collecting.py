"""The program of collections: all that a view takes, read by one query and put together.

The query reads the smallest span that holds every entity of the view, or a stated number of items
from one of its ends. What else lies in it is left out here: items that belong to a neighbour in
silence, what cannot be read or placed with a report.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Any

from singletable.model.entity import Entity
from singletable.model.pages import Page
from singletable.model.reads import Collection
from singletable.store.context import Context
from singletable.store.steps import Program
from singletable.values import Item

from .merging import merged_page
from .plans import plan_collection
from .sifting import Sieve


def collected_page(
    context: Context, read: Collection[Any], _: str | None = None
) -> Program[Page[Any]]:
    """Read all views, in as many requests as their size takes; with a limit, what one page has."""
    sieve = _sieve(context, read)
    found = yield from _found(context, read, sieve)
    return _assembled(read, found, sieve)


def collected(context: Context, read: Collection[Any], most: int) -> Program[list[Entity]]:
    """Read what the views are made of, not put together; stop when there are more than so many."""
    found = yield from _found(context, read, _sieve(context, read), most)
    return [entity for entity, _ in found]


def _found(
    context: Context, read: Collection[Any], sieve: Sieve, most: float = inf
) -> Program[list[tuple[Entity, Item]]]:
    plan = plan_collection(read, context.table_name)
    found: list[tuple[Entity, Item]] = []
    after: str | None = None
    while True:
        batch = yield from merged_page(context, plan, after)
        for item in batch.items:
            entity = sieve.read(item)
            if entity is not None and _matches(entity, read.known):
                found.append((entity, item))
        after = batch.cursor
        if after is None or read.page_size is not None or len(found) > most:
            return found


def _sieve(context: Context, read: Collection[Any]) -> Sieve:
    family = {kind: one for schema in read.view.entities for kind, one in schema.family.items()}
    return Sieve(read.view.shape.__name__, context.table, family, context.clock(), once=True)


def _matches(entity: Any, known: Mapping[str, Any]) -> bool:
    """Tell whether an entity is what was asked for: a span may hold a neighbour too many."""
    fields = type(entity).model_fields
    return all(getattr(entity, name) == known[name] for name in known if name in fields)


def _assembled(read: Collection[Any], found: list[tuple[Entity, Item]], sieve: Sieve) -> Page[Any]:
    made = read.view.assemble([entity for entity, _ in found])
    items = {id(entity): item for entity, item in found}
    for stray in made.strays:
        sieve.skip(items[id(stray)], f"has no place in {sieve.name}: what it belongs to is missing")
    return Page(made.views, None, sieve.skipped)
