"""What an item leaves elsewhere in the table, and what changes there when the item does.

An item leaves guards of its unique values and is part of counts. Both follow from its values
alone; so what a write has to do elsewhere is the difference between what its item left before and
what it leaves after. Moves, swaps and filters need no cases of their own.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any

from singletable.model.aggregates import AggregateRule, aggregate_rules
from singletable.model.entity import Entity
from singletable.model.fields import CountOf
from singletable.model.schema import Schema
from singletable.values import Item

from .actions import Action, Seen
from .counting import Parent
from .uniqueness import Guard, UniqueRule
from .writes import Basis, Identity, Part, identity


@dataclass(frozen=True, slots=True)
class Rules:
    """What the items of an entity leave elsewhere."""

    unique: tuple[UniqueRule, ...]
    counts: tuple[AggregateRule, ...]
    fields: frozenset[str]
    """The fields that decide; while they stay as they are, nothing changes elsewhere."""

    def __bool__(self) -> bool:
        return bool(self.unique or self.counts)


def rules_of(schema: Schema) -> Rules:
    """Give the rules of an entity, which those of its table have declared."""
    return _rules(schema, schema.table.entered)


@lru_cache(maxsize=1024)
def _rules(schema: Schema, _entered: int) -> Rules:
    unique = tuple(UniqueRule.of(schema, name) for name in schema.unique)
    found = aggregate_rules(schema)
    counts = tuple(rule for rule in found if rule.declared.kept_by == "transaction")
    rules: tuple[UniqueRule | AggregateRule, ...] = (*unique, *counts)
    return Rules(unique, counts, frozenset(name for rule in rules for name in rule.fields))


def counts_on(schema: Schema) -> Sequence[tuple[str, str]]:
    """Give the counts that an item of an entity, or a derived one, has: fields and attributes."""
    return _counts(schema, schema.table.entered)


@lru_cache(maxsize=1024)
def _counts(schema: Schema, _entered: int) -> Sequence[tuple[str, str]]:
    counts = {
        name: kin.attributes[name]
        for kin in schema.family.values()
        for name, declared in kin.counts.items()
        if isinstance(declared, CountOf)
    }
    return tuple(counts.items())


def basis_of(action: Action[Any], seen: Seen, *more: str) -> Basis | None:
    """Say what a plan is based on: the item's being there, the fields that decide, and others.

    None where the item was not read.
    """
    if not seen.items:
        return None
    name = identity(action.key)
    if name not in seen.items:
        return None
    schema = action.schema
    expiry = (schema.expiry_field,) if schema.expiry_field else ()
    fields = dict.fromkeys((*sorted(rules_of(schema).fields), *expiry, *more))
    names = (schema.attributes[field] for field in fields if field not in schema.key_names)
    return Basis(schema.table.pk, seen.items[name], tuple(names))


def older_basis(schema: Schema, item: Item) -> Basis:
    """Say what an item of an older schema is: any attribute may have become part of a field.

    Aggregates change beside it, and the keys of its copies differ.
    """
    apart = {*schema.table.primary.attributes, *map(schema.attribute, schema.aggregates)}
    return Basis(schema.table.pk, item, tuple(name for name in item if name not in apart))


def _amounts() -> defaultdict[tuple[Identity, str], Decimal]:
    return defaultdict(Decimal)


@dataclass(slots=True)
class Footprint:
    """What some items leave elsewhere, taken together."""

    guards: dict[Identity, list[Guard]] = field(default_factory=dict)
    """Of one value there may be several: an expired item shows what another one has by now."""
    counts: defaultdict[tuple[Identity, str], Decimal] = field(default_factory=_amounts)
    items: Counter[tuple[Identity, str]] = field(default_factory=Counter)
    """How many items are part of each count or sum."""
    parents: dict[tuple[Identity, str], Parent] = field(default_factory=dict)

    @classmethod
    def of(cls, entities: Iterable[Entity | None]) -> Footprint:
        """Collect what these items leave."""
        made = cls()
        for entity in entities:
            if entity is not None:
                made._add(rules_of(entity.__schema__), entity)
        return made

    def _add(self, rules: Rules, entity: Entity) -> None:
        for unique in rules.unique:
            guard = unique.guard(entity.__dict__)
            if guard:
                self.guards.setdefault(identity(guard.key), []).append(guard)
        found = (Parent.of(count, entity.__dict__) for count in rules.counts)
        # A parent that is found by the rules of its entity and of a derived one counts it once.
        parents = {parent.counted: parent for parent in found if parent}
        for counted, parent in parents.items():
            self.counts[counted] += parent.amount
        self.items.update(parents.keys())
        self.parents |= parents


def guard_changes(before: Footprint, after: Footprint, at: datetime) -> Iterator[Part]:
    """Give the writes that take and release unique values; raises where two take the same."""
    for name, (guard, *clashes) in after.guards.items():
        for clash in clashes:
            raise clash.violation()
        earlier = before.guards.get(name, [])
        if earlier != [guard]:
            yield guard.taken(at, earlier)
    for name, (guard, *others) in before.guards.items():
        if name not in after.guards:
            yield guard.released(others)


def count_changes(before: Footprint, after: Footprint, at: datetime) -> Iterator[Part]:
    """Give the writes that change counts and sums, one for each copy of a parent and each."""
    parents = before.parents | after.parents
    for counted, parent in parents.items():
        by = after.counts[counted] - before.counts[counted]
        optional = after.items[counted] <= before.items[counted]
        if by:
            yield from (parent.change(key, by, at, optional=optional) for key in parent.keys)
