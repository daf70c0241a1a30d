"""An item of a table as what it is: its copies, their keys, and the entity that it is read as."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from singletable.errors import StoreError
from singletable.model.entity import Entity
from singletable.model.schema import COPY, Schema
from singletable.values import AttributeValue, Item

Values = Mapping[str, Any]
NO_TYPE: AttributeValue = {}


def copies_of(schema: Schema, values: Values) -> Sequence[Values]:
    """Give the values of each copy of an item, of which there is one as a rule."""
    if not schema.copies:
        return (values,)
    return [{**values, COPY: number} for number in range(schema.copies)]


def keys_of(schema: Schema, values: Values) -> Iterator[Item]:
    """Give the key of each copy of an item."""
    return map(schema.keys.build, copies_of(schema, values))


def key_in(schema: Schema, item: Item) -> Item:
    """Give the key that an item has."""
    return {name: item[name] for name in schema.table.primary.attributes}


def kin_of(schema: Schema, item: Item) -> Schema:
    """Give the schema of an item: the one that was asked for, or one derived from it."""
    kind = item.get(schema.table.type_attribute, NO_TYPE).get("S", "")
    return schema if kind == schema.type else schema.family.get(kind, schema)


def read_as(schema: Schema, item: Item) -> Entity:
    """Read an item as an entity; raises ``StoreError`` where it is none."""
    try:
        return schema.items.read(item)
    except ValidationError as error:
        newer = schema.items.newer(item)
        raise StoreError(
            f"The item {key_in(schema, item)} cannot be read as {schema.name}: "
            f"{f'{newer}; ' if newer else ''}{error}"
        ) from error


def entity_in(schema: Schema, item: Item | None) -> Entity | None:
    """Read an item as what it is, which may be another entity than the one that was asked for."""
    if item is None:
        return None
    kind = item.get(schema.table.type_attribute, NO_TYPE).get("S", "")
    return read_as(schema.table.entities.get(kind, schema), item)


def found_entity(schema: Schema, found: Item | None) -> Entity | None:
    """Read what was found in the way of a write, as far as it can be read."""
    try:
        return entity_in(schema, found)
    except StoreError:
        return None
