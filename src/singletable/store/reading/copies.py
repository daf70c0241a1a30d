"""Hot items, which are there several times: any copy for who reads one, the first for a list.

Copies lie beside each other in indexes and in the table, so whatever goes over many items would
give them all. It takes the first alone, told by the number in its key. The number is of no field,
so nobody else can know it.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from typing import Any

from singletable.errors import UsageError
from singletable.model.schema import COPY, Schema
from singletable.values import Item


def any_copy(schema: Schema) -> int:
    """Choose one of the copies of a hot item, so that they share the load."""
    return random.randrange(schema.copies) if schema.copies else 0  # noqa: S311 - no secret


def of_first_copies(schemas: Iterable[Schema], known: Mapping[str, Any]) -> Mapping[str, Any]:
    """Add to what is known that a key is of a first copy, where there are any."""
    for schema in schemas:
        if schema.copies:
            break
    else:
        return known
    if COPY in known:
        raise UsageError("A query gives each hot item once: leave out copy, which is no field")
    return {**known, COPY: 0}


def is_repeated(item: Item, schemas: Iterable[Schema]) -> bool:
    """Tell whether an item is a copy other than the first."""
    return any(schema.copies and _number(item, schema) for schema in schemas)


def _number(item: Item, schema: Schema) -> int:
    """Give the number of a copy; 0 for what is none of the entity."""
    return int((schema.keys.parse(item) or {}).get(COPY, 0))
