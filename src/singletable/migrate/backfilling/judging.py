"""What is to be done with each item of a page: leave it, rewrite it, or tell why neither."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from singletable.errors import UsageError
from singletable.migrate.sources.dynamodb.kinds import data_of
from singletable.migrate.sources.source import Row
from singletable.migrate.transforming import Reject
from singletable.model.fields import now
from singletable.model.schema import Schema
from singletable.model.table import Table
from singletable.store.reading.copies import is_repeated
from singletable.values import Item

from .differing import Differing, difference, is_internal, schema_of

UNKNOWN = "(unknown)"
"""The kind of items that the design does not know."""


@dataclass(slots=True)
class Judged:
    """A page of items, each judged."""

    current: list[tuple[Schema, Item]] = field(default_factory=list)
    """Items that are as the design has them."""
    differing: list[Differing] = field(default_factory=list)
    rejects: list[Reject] = field(default_factory=list)

    @property
    def entities(self) -> Iterator[tuple[Schema, Item]]:
        """Give all items that can be read as the design has them."""
        yield from self.current
        yield from ((one.schema, one.old) for one in self.differing)


def judge(table: Table, items: Iterable[Item]) -> Judged:
    """Judge items; changes nothing.

    Guards, counters, parts of content, copies, and what has expired are nobody's to rewrite.
    """
    judged, at = Judged(), now()
    for item in items:
        if is_internal(table, item):
            continue
        schema = schema_of(table, item)
        if schema is None:
            judged.rejects.append(reject(table, UNKNOWN, item, _stranger(table, item)))
        elif not is_repeated(item, (schema,)) and schema.living(item, at) is not None:
            _judge(judged, schema, item)
    return judged


def _judge(judged: Judged, schema: Schema, item: Item) -> None:
    try:
        found = difference(schema, item)
    except UsageError as error:
        judged.rejects.append(reject(schema.table, schema.name, item, str(error)))
        return
    if found is None:
        judged.current.append((schema, item))
    else:
        judged.differing.append(found)


def reject(table: Table, kind: str, item: Item, reason: str) -> Reject:
    """Tell of an item that is left alone."""
    key = tuple(str(next(iter(item[name].values()))) for name in table.primary.attributes)
    return Reject(Row(kind, key, data_of(item)), reason)


def _stranger(table: Table, item: Item) -> str:
    kind = item.get(table.type_attribute, {}).get("S")
    if kind is None:
        return f"it has no {table.type_attribute}, and no key of an entity"
    return f"it is of the type {kind!r}, which the design does not have"
