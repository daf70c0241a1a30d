"""From entities to all that has to be in the table for them, the same whenever it is made.

A store fills in times and ids as it writes; a migration must not, or a run that was stopped and
gone on with would end otherwise than one that was not. So items are made here as they are stored:
with the times that the row tells, content under names that follow from it, and the guards of unique
values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from hashlib import sha256
from typing import Any, NamedTuple

from pydantic.fields import FieldInfo

from singletable.engine.shapes.canonical import prepared
from singletable.errors import UsageError
from singletable.model.entity import Entity
from singletable.model.large import Large, Stored
from singletable.model.schema import Schema
from singletable.store.context import Context
from singletable.store.large.contents import place_of
from singletable.store.writing.effects import rules_of
from singletable.store.writing.stored import copies_of
from singletable.store.writing.writes import Part, identity
from singletable.values import ITEM_BYTES_MAX, Item, item_size

SORT_KEY_BYTES_MAX = 1024
SORT_KEY_SAFE = SORT_KEY_BYTES_MAX // 4
"""So many characters are never too many bytes."""
FIRST_VERSION = 1


class Draft(NamedTuple):
    """An entity as it will stand in the table."""

    entity: Entity
    key: tuple[str, ...]
    """Tells the item from all others."""
    items: tuple[Item, ...]
    """One, or as many as there are copies of it."""
    guards: tuple[Part, ...]
    """Writes that take its unique values."""
    contents: Mapping[Stored, str | bytes]
    """Large content, by its place."""
    size_bytes: int
    """About how much memory it takes, content and all."""


def draft(context: Context, entity: Entity, at: datetime) -> Draft:
    """Make all that an entity needs in the table; raises ``UsageError`` where it cannot be."""
    schema = entity.__schema__
    _check(context, entity, schema)
    contents: dict[Stored, str | bytes] = {}
    values = dict(entity.__dict__)
    if schema.large:
        for name, large in _large(schema, values):
            values[name] = _placed(context, schema, name, values, large, contents)
    if schema.version_field is not None and not values[schema.version_field]:
        values[schema.version_field] = FIRST_VERSION
    items = tuple([prepared(schema.items.write(copy)) for copy in copies_of(schema, values)])
    size = sum([_checked_size(schema, item) for item in items])
    size += sum(stored.size_bytes for stored in contents)
    key = tuple([items[0][name]["S"] for name in schema.table.primary.attributes])
    guards = tuple(_guards(schema, values, at))
    for one in (*items, *(guard.write.key for guard in guards)):
        check_sort_keys(schema, one)
    return Draft(entity, key, items, guards, contents, size)


def _check(context: Context, entity: Entity, schema: Schema) -> None:
    if schema.table is not context.table:
        raise UsageError(f"{schema.name} is in {schema.table}, the migration is to {context.table}")
    chance = left_to_chance(schema)
    if chance and (chance := chance - entity.model_fields_set):
        raise UsageError(
            f"{schema.name}: {', '.join(sorted(chance))} would be filled by the time or by chance, "
            "and another run would make another item: give it from the row"
        )


def _checked_size(schema: Schema, item: Item) -> int:
    """Give how large an item is; raises where that is too large."""
    size = item_size(item)
    if size > ITEM_BYTES_MAX:
        raise UsageError(
            f"{schema.name} has {size:,} bytes, and DynamoDB takes {ITEM_BYTES_MAX:,}: "
            "make its largest field a Large, or several items of it"
        )
    return size


def check_sort_keys(schema: Schema, item: Item) -> None:
    """Refuse what DynamoDB would, and the whole batch with it."""
    for name in _sort_keys(schema):
        text = item[name].get("S", "") if name in item else ""
        if len(text) > SORT_KEY_SAFE and len(text.encode()) > SORT_KEY_BYTES_MAX:
            raise UsageError(
                f"{schema.name}: {name} is longer than {SORT_KEY_BYTES_MAX:,} bytes, which is all "
                f"that a sort key may have: {text[:80]!r}…"
            )


@lru_cache(maxsize=1024)
def _sort_keys(schema: Schema) -> tuple[str, ...]:
    indexes = (schema.table.primary, *(keys.index for keys in schema.indexes.values()))
    return tuple(dict.fromkeys(name for index in indexes for name in index.sk))


@lru_cache(maxsize=1024)
def left_to_chance(schema: Schema) -> frozenset[str]:
    """Name the fields that another run would fill otherwise: ids and times."""
    times = {*schema.created_fields, *schema.updated_fields}
    made = {
        name
        for name, info in schema.fields.items()
        if info.default_factory is not None and not info.default_factory_takes_validated_data
    }
    return frozenset(times | {name for name in made if _varies(schema.fields[name])})


def _varies(info: FieldInfo) -> bool:
    once, again = (info.get_default(call_default_factory=True) for _ in range(2))
    return bool(once != again)


def _large(schema: Schema, values: Mapping[str, Any]) -> Iterator[tuple[str, Large[Any]]]:
    for name in schema.large:
        value = values.get(name)
        if value is not None:
            yield name, value if isinstance(value, Large) else Large(value)


def _placed(
    context: Context,
    schema: Schema,
    name: str,
    values: Mapping[str, Any],
    large: Large[Any],
    contents: dict[Stored, str | bytes],
) -> Large[Any]:
    """Give what stands in the item for content: itself if it is short, else where it goes."""
    info, content = schema.large[name], large.content
    assert content is not None
    if large.size_bytes <= info.inline_max:
        return info.inline(content)
    owner = identity(schema.item_key(values))
    named = sha256("\x00".join((*owner, name, large.checksum)).encode()).hexdigest()[:32]
    stored = place_of(context, info, owner, large, named)
    contents[stored] = content
    return info.elsewhere(large, stored)


def _guards(schema: Schema, values: Mapping[str, Any], at: datetime) -> Iterator[Part]:
    for rule in rules_of(schema).unique:
        guard = rule.guard(values)
        if guard is not None:
            yield guard.taken(at, ())


def fixed(context: Context, at: datetime) -> Context:
    """Give a context in which the time stands still."""
    return replace(context, clock=lambda: at)
