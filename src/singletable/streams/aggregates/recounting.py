"""What every aggregate of a table should be, from one scan of it, and what it is.

Whoever keeps an aggregate, the stream or the writes themselves, it is counted here. That takes one
number in memory for each aggregate that there is, or elsewhere, if other mappings are given.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, MutableMapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from singletable.errors import StoreError
from singletable.model.aggregates import AggregateRule
from singletable.model.entity import Entity
from singletable.model.fields import now
from singletable.model.schema import Schema
from singletable.model.table import Table
from singletable.store.reading.copies import is_repeated
from singletable.store.store import Store
from singletable.store.writing.stored import read_as
from singletable.store.writing.writes import Identity, identity
from singletable.values import Item

from .deltas import EXACT, owners_of
from .rules import Design
from .targets import is_free

Progress = Callable[[int], None]
"""Is told how many items were read."""

OPTIONS_MAX = 100
"""How many values an IN takes."""

Place = tuple[Identity, str]
"""An item and its field."""


@dataclass(slots=True)
class Recount:
    """Goes over all items of a table once."""

    design: Design
    sums: MutableMapping[Place, Decimal] = field(default_factory=dict)
    extremes: MutableMapping[Place, Any] = field(default_factory=dict)
    living: MutableMapping[Place, Any] = field(default_factory=dict)
    """Extremes of items whose time is not over; until one that is over is deleted, it may count."""
    owners: MutableMapping[Identity, tuple[Schema, dict[str, Any]]] = field(default_factory=dict)
    held: MutableMapping[Identity, dict[str, Any]] = field(default_factory=dict)

    @classmethod
    def of(cls, store: Store, progress: Progress | None) -> Recount:
        """Read all items of a store's table."""
        made = cls(Design.of(store.table, all_kept=True))
        if made.design.brings:
            for item in items_of(store, made.types, progress):
                made.take(store.table, item)
        return made

    @property
    def types(self) -> frozenset[str]:
        """Name the types of the items that count, or hold a count."""
        return frozenset((*self.design.brings, *self.design.holds))

    def differences(self) -> Iterator[tuple[Schema, dict[str, Any], str, Any, Any]]:
        """Give each aggregate that is not what it should be, with both values."""
        for name, (schema, owner) in self.owners.items():
            held = self.held.get(name)
            if held is None and (schema.expiry_field or not is_free(schema)):
                continue
            for field_ in self.design.holds[schema.type]:
                begins = schema.beginnings[field_]
                stored = begins if held is None else held[field_]
                allowed = self._allowed((name, field_), schema, begins)
                if stored not in allowed:
                    yield schema, owner, field_, None if held is None else stored, allowed[0]

    def _allowed(self, place: Place, schema: Schema, begins: Any) -> list[Any]:
        if (schema.type, place[1]) not in self.design.extremes:
            return [self.sums.get(place, begins)]
        return [self.extremes.get(place), self.living.get(place)]

    def take(self, table: Table, item: Item) -> None:
        """Count an item, and take note of what it holds."""
        schema = table.entities.get(item.get(table.type_attribute, {}).get("S", ""))
        if schema is None or (schema.copies and is_repeated(item, (schema,))):
            return
        rules, held = self.design.brings.get(schema.type), self.design.holds.get(schema.type)
        if not rules and not held:
            return
        try:
            entity = read_as(schema, item)
        except StoreError:  # nobody can count what nobody can read
            return
        if held:
            owner = {name: entity.__dict__[name] for name in schema.key_fields}
            name = identity(schema.item_key(owner))
            self.owners[name] = schema, owner
            self.held[name] = {field_: entity.__dict__[field_] for field_ in held}
        is_over = schema.living(item, now()) is None
        for rule, name, owner in owners_of(entity, rules or ()):
            self.owners.setdefault(name, (rule.parent, owner))
            self._bring(rule, (name, rule.field), entity, is_over=is_over)

    def _bring(self, rule: AggregateRule, place: Place, entity: Entity, *, is_over: bool) -> None:
        if not rule.is_extreme:
            amount = rule.amount(entity.__dict__)
            self.sums[place] = EXACT.add(self.sums.get(place, Decimal()), amount)
            return
        value = entity.__dict__[rule.declared.field]
        extreme = self.design.extremes[rule.parent.type, rule.field]
        for known in (self.extremes,) if is_over else (self.extremes, self.living):
            known[place] = extreme.best((known.get(place), value))


def items_of(
    store: Store, types: Collection[str], progress: Progress | None = None, **part: Any
) -> Iterator[Item]:
    """Read the items of some types, from a whole table or a ``Segment`` of ``TotalSegments``."""
    request: dict[str, Any] = {"TableName": store.table_name, "ConsistentRead": True, **part}
    if len(types) <= OPTIONS_MAX:
        named = {f":t{number}": {"S": type_} for number, type_ in enumerate(sorted(types))}
        request["FilterExpression"] = f"#type IN ({', '.join(named)})"
        request["ExpressionAttributeNames"] = {"#type": store.table.type_attribute}
        request["ExpressionAttributeValues"] = named
    read = 0
    while True:
        page = store.send("Scan", request)
        yield from page["Items"]
        read += page["ScannedCount"]
        if progress is not None:
            progress(read)
        if "LastEvaluatedKey" not in page:
            return
        request = {**request, "ExclusiveStartKey": page["LastEvaluatedKey"]}
