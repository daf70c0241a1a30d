"""What an item would be if the design of today had written it, and how it differs from that.

A store reads an item however it was written, and writes it as the design has it: so the item as it
would be is what comes of a read and a write, and means the same. Left alone are aggregates, which
others keep, and what the design does not know.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from singletable.errors import UsageError
from singletable.migrate.items import check_sort_keys, left_to_chance
from singletable.migrate.transforming import reason_of
from singletable.model.entity import Entity, rest_of
from singletable.model.schema import Schema
from singletable.model.table import INTERNAL, Table
from singletable.store.writing.editing import declared_attributes
from singletable.store.writing.effects import rules_of
from singletable.store.writing.stored import copies_of, key_in, read_as
from singletable.store.writing.writes import identity
from singletable.values import AttributeValue, Item

Change = tuple[str, AttributeValue | None]
"""An attribute, and what it becomes; None where it goes."""


@dataclass(frozen=True, slots=True)
class Differing:
    """An item that is not as the design has it."""

    schema: Schema
    entity: Entity
    old: Item
    copies: tuple[Item, ...]
    """As each copy of it would be; one as a rule."""
    names: tuple[str, ...]
    """The attributes that differ."""

    @property
    def kinds(self) -> Iterator[str]:
        """Say what differs, in the words that items are counted by."""
        if self.schema.items.is_older(self.old):
            number = self.old.get(self.schema.table.schema_attribute, {"N": "1"})["N"]
            yield f"of schema {number}"
        for name in self.names:
            if name != self.schema.table.schema_attribute:
                yield _kind(name, self.old.get(name), self.copies[0].get(name))

    def changes(self, copy: int = 0) -> Iterator[Change]:
        """Give what makes a copy of the item as it should be."""
        return ((name, self.copies[copy].get(name)) for name in self.names)


def schema_of(table: Table, item: Item) -> Schema | None:
    """Tell the entity of an item by its type or, without one, by its key; None for others."""
    kind = item.get(table.type_attribute)
    if kind is not None:
        return table.entities.get(kind.get("S", ""))
    schemas = table.entities.values()
    return next((schema for schema in schemas if schema.keys.parse(item) is not None), None)


def is_internal(table: Table, item: Item) -> bool:
    """Tell whether an item is one of those with which a store keeps its promises."""
    return item.get(table.type_attribute, {}).get("S") in INTERNAL


def difference(schema: Schema, item: Item) -> Differing | None:
    """Give how an item differs from what the design would write; None where it does not.

    Raises ``UsageError`` for an item that cannot be rewritten, with the reason.
    """
    try:
        return _difference(schema, item)
    except Exception as error:
        # Upgrades and validators may raise anything.
        raise UsageError(reason_of(error)) from error


def _difference(schema: Schema, item: Item) -> Differing | None:
    newer = schema.items.newer(item)
    if newer:
        raise UsageError(f"{schema.name}: {newer}")
    entity = read_as(schema, item)
    _check_filled(schema, item)
    _check_guards(schema, entity)
    rest = rest_of(entity)
    made = [schema.items.write(copy, rest) for copy in copies_of(schema, entity.__dict__)]
    _check_key(schema, item, made[0])
    names = tuple(
        name for name in _compared(schema, item, made[0]) if _differs(name, item, made[0])
    )
    return Differing(schema, entity, item, tuple(made), names) if names else None


def _compared(schema: Schema, item: Item, made: Item) -> Iterator[str]:
    """Name what the design decides; of an item that is upgraded, all but aggregates.

    The version is left alone: an item without one is as good as never written by a version.
    """
    version = schema.version_field and schema.attributes[schema.version_field]
    names = [name for name in declared_attributes(schema) if name != version]
    yield from names
    if schema.items.is_older(item):
        apart = {*schema.table.primary.attributes, *names, version}
        apart |= {schema.attributes[name] for name in schema.aggregates}
        yield from (name for name in {**item, **made} if name not in apart)


def _differs(name: str, item: Mapping[str, AttributeValue], made: Item) -> bool:
    return item.get(name) != made.get(name)


def _check_filled(schema: Schema, item: Item) -> None:
    """Refuse to make up a time or an id that an item never had."""
    chance = left_to_chance(schema)
    if all(schema.attributes[name] in item for name in chance):
        return
    values, _ = schema.items.values(item)
    missing = sorted(name for name in chance if name not in values)
    if missing:
        raise UsageError(
            f"{schema.name}: {', '.join(missing)} is not in the item, and would be filled by the "
            "time or by chance: give it a value in an @upgrade, or let its default be None"
        )


def _check_guards(schema: Schema, entity: Entity) -> None:
    """Refuse a value that no guard can have in its key: it would stop a page of others."""
    for rule in rules_of(schema).unique:
        guard = rule.guard(entity.__dict__)
        if guard is not None:
            check_sort_keys(schema, guard.key)


def _check_key(schema: Schema, item: Item, made: Item) -> None:
    mine, other = identity(key_in(schema, item)), identity(key_in(schema, made))
    if mine != other:
        raise UsageError(
            f"{schema.name}: the item has the key {' / '.join(mine)}, and the design makes "
            f"{' / '.join(other)} of its fields: no rewrite changes a key, a change of layout does"
        )


def _kind(name: str, old: AttributeValue | None, new: AttributeValue | None) -> str:
    if old is None:
        return f"without {name}"
    return f"another {name}" if new is not None else f"{name} too much"
