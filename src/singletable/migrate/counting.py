"""Counts and sums of one item, made true when it comes after what it counts.

Writes of the store keep them, but only on an item that is there: an order that is told before its
customer is counted by nobody. So whoever puts the customer counts, by a query of the orders. Where
no key finds them, or the stream keeps the count, it is left as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from time import sleep
from typing import Any

from singletable.model.aggregates import AggregateRule, aggregate_rules
from singletable.model.entity import Entity
from singletable.model.reads import Get, Key
from singletable.model.schema import Schema
from singletable.store.store import Store
from singletable.store.writing.checking import checked
from singletable.store.writing.writes import Identity, identity
from singletable.streams.aggregates import Drift
from singletable.streams.aggregates.verifying import mend
from singletable.streams.finding import Finder, finders

from .sources.dynamodb.following import lag_of

ATTEMPTS = 10
"""Others may write what is counted meanwhile."""


def counted(store: Store, schema: Schema, owner: dict[str, Any]) -> dict[str, Any]:
    """Count what an item should count, whether it is there or not."""
    sums: dict[str, Decimal] = {}
    for rule in _rules(schema):
        finder = _finder(rule)
        if finder is not None:
            found = _amounts(store, rule, finder, owner)
            sums[rule.field] = sum(found, sums.get(rule.field, Decimal()))
    return {name: checked(schema, name, amount) for name, amount in sums.items()}


def recount(store: Store, schema: Schema, owner: dict[str, Any]) -> bool:
    """Make the counts of an item true, if it is there; tell whether they are, whoever writes.

    What only a global index finds, which may lag, is mended if it is the same a while later.
    """
    key: Key[Any] = Key(schema, owner)
    seen, rules = list[Drift](), list(_rules(schema))
    lag_s = 0.0 if all(_is_strong(rule) for rule in rules) else lag_of(store.backend)
    for _ in range(ATTEMPTS if rules else 0):
        stored: Entity | None = store.bind(Get[Any].of(key=key, consistent=True)).first()
        drifts = [] if stored is None else _drifts(key, stored, counted(store, schema, owner))
        if not drifts:
            return True
        if lag_s and drifts != seen:
            seen = drifts
            sleep(lag_s)
        elif all(mend(store, drift) for drift in drifts):
            return True
    return not rules


def _drifts(key: Key[Any], stored: Entity, expected: dict[str, Any]) -> list[Drift]:
    return [
        Drift(key, name, stored.__dict__[name], value)
        for name, value in expected.items()
        if stored.__dict__[name] != value
    ]


def recount_owners(store: Store, entity: Entity) -> None:
    """Make the counts true that an item is part of."""
    for schema, owner in _owners(entity):
        recount(store, schema, owner)


@dataclass(frozen=True, slots=True)
class Recounter:
    """Makes counts true that somebody may have left, who put items and died: each of them once."""

    store: Store
    _owed: dict[Identity, tuple[Schema, dict[str, Any]]] = field(default_factory=dict)
    _true: set[Identity] = field(default_factory=set)
    """Those that were made true since this began, when who died was dead."""

    def owe(self, entities: Iterable[Entity]) -> None:
        """Remember the counts that items have, and are part of."""
        for entity in entities:
            for schema, owner in _counting(entity):
                name = identity(schema.item_key(owner))
                if name not in self._true:
                    self._owed[name] = schema, owner

    def recount(self) -> bool:
        """Make them true; those that cannot be, as others write all the time, are left."""
        for name, (schema, owner) in list(self._owed.items()):
            if recount(self.store, schema, owner):
                self._true.add(name)
                del self._owed[name]
        return not self._owed


def owner_of(entity: Entity) -> dict[str, Any]:
    """Give the key fields of an item."""
    return {name: getattr(entity, name) for name in entity.__schema__.key_fields}


def _counting(entity: Entity) -> Iterator[tuple[Schema, dict[str, Any]]]:
    """Give the items whose counts come with an item: itself, and those that count it."""
    yield entity.__schema__, owner_of(entity)
    yield from _owners(entity)


def _owners(entity: Entity) -> Iterator[tuple[Schema, dict[str, Any]]]:
    for rule in aggregate_rules(entity.__schema__):
        owner = rule.owner(entity.__dict__)
        if owner is not None:
            yield rule.parent, owner


def _rules(parent: Schema) -> Iterator[AggregateRule]:
    """Give the rules of what the store's own writes keep on an entity."""
    if parent.aggregates:
        for child in parent.table.entities.values():
            for rule in aggregate_rules(child):
                if rule.parent is parent and rule.declared.kept_by == "transaction":
                    yield rule


def _finder(rule: AggregateRule) -> Finder | None:
    mine = [name for _, name in rule.pairs]
    days = [own for name, own in rule.pairs if name in rule.convert]
    found = finders(rule.child, mine, days=days, when=rule.when)
    return min(found, key=lambda one: not one.is_strong, default=None)


def _is_strong(rule: AggregateRule) -> bool:
    finder = _finder(rule)
    return finder is None or finder.is_strong


def _amounts(
    store: Store, rule: AggregateRule, finder: Finder, owner: dict[str, Any]
) -> Iterator[Decimal]:
    known = {mine: owner[name] for name, mine in rule.pairs}
    for one in store.bind(finder.query(known)):
        if rule.owner(one.__dict__) == owner:
            yield rule.amount(one.__dict__)
