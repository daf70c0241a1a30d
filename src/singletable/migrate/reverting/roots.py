"""From records of the table's stream to entities whose rows have to be made again.

A record only says which entity. How it is now is read from the table; how it was, as the record
tells it, only says which rows were its own before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from singletable.migrate.migration import BackRule, Migration
from singletable.model.entity import Entity
from singletable.model.reads import Key
from singletable.store.batches import get_items
from singletable.store.drivers import run
from singletable.store.store import Store
from singletable.store.writing.writes import identity
from singletable.streams.changes import Change, Created, Modified, Removed, changes_of
from singletable.streams.records import Record

Name = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Root:
    """An entity that rows are made of, by its key, and how it was."""

    rule: BackRule
    key: Key[Any]
    olds: tuple[Entity, ...] = field(default=(), repr=False)

    @property
    def name(self) -> Name:
        """Tell it from all others."""
        return (self.rule.entity.__name__, *identity(self.key.item_key))

    def joined(self, other: Root | None) -> Root:
        """Add how it was, as another change tells."""
        return Root(self.rule, self.key, (*(other.olds if other else ()), *self.olds))


def roots_of(migration: Migration[Any], records: Iterable[Record]) -> dict[Name, Root]:
    """Find the entities that have changed, or of which a part has."""
    table = migration.store.table
    found: dict[Name, Root] = {}
    for record in records:
        for change in changes_of(table, record):
            for root in _roots(migration.back_rules[change.entity], change):
                found[root.name] = root.joined(found.get(root.name))
    return found


def _roots(rule: BackRule, change: Change[Any]) -> Iterator[Root]:
    """Give the entity itself, or those that a part belonged to before the change and after it."""
    if change.entity is rule.entity:
        olds = (change.old,) if isinstance(change, Modified | Removed) else ()
        yield Root(rule, change.key, olds)
        return
    if isinstance(change, Modified | Removed):
        yield from _whole(rule, change.old)
    if isinstance(change, Created | Modified):
        yield from _whole(rule, change.new)


def _whole(rule: BackRule, part: Entity) -> Iterator[Root]:
    """Give the entity that a part belongs to, if it belongs to one."""
    if all(getattr(part, name) is not None for name in rule.entity.__schema__.key_names):
        yield Root(rule, key_of(rule.entity, part))


def key_of(entity: type[Entity], told: Entity) -> Key[Any]:
    """Give the key of an entity from one that has the fields of it."""
    return entity.key(**{name: getattr(told, name) for name in entity.__schema__.key_names})


def living(store: Store, roots: Iterable[Root]) -> Iterator[tuple[Root, Entity | None]]:
    """Read entities as they are now; None for one that is gone."""
    listed = list(roots)
    keys = [root.key.item_key for root in listed]
    items = run(get_items(store.context, keys, consistent=True), store.backend) if keys else []
    for root, item in zip(listed, items, strict=True):
        kind = (item or {}).get(store.table.type_attribute, {}).get("S", "")
        schema = store.table.entities.get(kind)
        if item is None or schema is None or schema.entity is not root.rule.entity:
            yield root, None
        else:
            yield root, schema.items.read(item)
