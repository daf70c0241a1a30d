"""When two items are the same: by a digest of what counts of them, and field by field.

What the table keeps itself does not count: aggregates, and index keys that are made from them; nor
do versions, once the table was written to alone. Of large content the checksum counts, not the
place where it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import orjson

from singletable.migrate.transforming import Made
from singletable.model.codec import decode
from singletable.model.schema import Schema
from singletable.model.table import Table
from singletable.store.writing.uniqueness import TYPE as UNIQUE
from singletable.store.writing.writes import Put
from singletable.values import AttributeValue, Item, normalize_item

from .results import HASH_BITS

PLACES = frozenset({"id", "owner", "object", "parts"})
"""What a pointer says of where content is."""


@dataclass(frozen=True, slots=True)
class Expected:
    """An item that has to be in the table."""

    entity: str
    key: Item
    item: Item


@dataclass(frozen=True, slots=True)
class Comparer:
    """Compares items of a table."""

    table: Table
    versions: bool = True
    """Whether versions count."""

    def expected(self, made: Made) -> Iterator[Expected]:
        """Give all items that have to be there for a row: entities, and what guards their values.

        They come in the order of the drafts, guards last.
        """
        for draft in made.drafts:
            name = draft.entity.__schema__.name
            yield from (Expected(name, self.key(item), item) for item in draft.items)
        for part in (part for draft in made.drafts for part in draft.guards):
            assert isinstance(part.write, Put)
            yield Expected(UNIQUE, part.write.key, part.write.item)

    def key(self, item: Item) -> Item:
        """Give the key of an item."""
        return {name: item[name] for name in self.table.primary.attributes}

    def entity(self, item: Item) -> str | None:
        """Name what an item is; None for what is neither of an entity nor guards a value."""
        kind = self.type(item)
        schema = self.table.entities.get(kind)
        return schema.name if schema else UNIQUE if kind == UNIQUE else None

    def type(self, item: Item) -> str:
        """Give the type that an item carries."""
        return str(item.get(self.table.type_attribute, {}).get("S", ""))

    def is_over(self, item: Item, at: datetime) -> bool:
        """Tell whether the time of an item is over: it may be there, and may not."""
        schema = self.table.entities.get(self.type(item))
        if self.type(item) != UNIQUE and (schema is None or schema.expiry_field is None):
            return False
        expiry = item.get(self.table.ttl, {}).get("N")
        return expiry is not None and float(expiry) <= at.timestamp()

    def digest(self, item: Item) -> bytes:
        """Give a digest that equal items share, and no others."""
        content = orjson.dumps(self._counting(item), option=orjson.OPT_SORT_KEYS, default=bytes.hex)
        return blake2b(content, digest_size=HASH_BITS // 8).digest()

    def fields(self, expected: Item, found: Item) -> Iterator[tuple[str, Any, Any]]:
        """Give what differs: the field, what is expected, and what was found."""
        mine, theirs = self._counting(expected), self._counting(found)
        schema = self.table.entities.get(self.type(expected))
        names = (
            {attribute: field for field, attribute in schema.attributes.items()} if schema else {}
        )
        for attribute in sorted(mine.keys() | theirs.keys()):
            one, other = mine.get(attribute), theirs.get(attribute)
            if one != other:
                yield names.get(attribute, attribute), _shown(one), _shown(other)

    def kept(self, item: Item, found: Item) -> Item:
        """Give an item with what the table keeps itself taken from the one that is there."""
        schema = self.table.entities.get(self.type(item))
        names = left_out(schema, versions=self.versions) if schema else frozenset()
        rest = {name: value for name, value in item.items() if name not in names}
        return rest | {name: value for name, value in found.items() if name in names}

    def _counting(self, item: Item) -> Item:
        """Give what counts of an item, in the form that equal values share."""
        schema = self.table.entities.get(self.type(item))
        if schema is None:
            return normalize_item(item)
        names = left_out(schema, versions=self.versions)
        if names:
            item = {name: value for name, value in item.items() if name not in names}
        for field in schema.large:
            attribute = schema.attributes[field]
            if attribute in item:
                item = {**item, attribute: _without_place(item[attribute])}
        return normalize_item(item)


@lru_cache(maxsize=1024)
def left_out(schema: Schema, *, versions: bool = True) -> frozenset[str]:
    """Name the attributes that the table keeps itself: aggregates, and keys made from them."""
    kept = {*schema.aggregates}
    if schema.version_field is not None and not versions:
        kept.add(schema.version_field)
    names = {schema.attributes[field] for field in kept}
    for keys in schema.indexes.values():
        chosen = any(field in kept for field, _ in keys.when)
        names |= {
            part.attribute for part, _ in keys.made if chosen or not kept.isdisjoint(part.fields)
        }
    return frozenset(names - set(schema.table.primary.attributes))


def _without_place(value: AttributeValue) -> AttributeValue:
    entries = value.get("M")
    if entries is None or "checksum" not in entries:
        return value
    return {"M": {name: one for name, one in entries.items() if name not in PLACES}}


def _shown(value: AttributeValue | None) -> Any:
    return None if value is None else decode(value)
