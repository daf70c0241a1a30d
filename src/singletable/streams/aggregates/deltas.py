"""What changes of items come to for the aggregates that they are part of.

An item brings something to each aggregate that it is part of, which follows from its values alone;
what a change comes to is the difference between what its item brought before and what it brings
after. Differences of many changes are taken together, so that a batch makes few writes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Context, Decimal
from itertools import chain
from typing import Any

from singletable.model.aggregates import AggregateRule
from singletable.model.entity import Entity
from singletable.model.fields import Aggregate, ExtremeOf
from singletable.model.schema import Schema
from singletable.store.writing.writes import Identity, identity
from singletable.streams.changes import Change, Created, Expired, Modified, Removed

from .rules import Design, Rules
from .targets import is_free, writes_max

EXACT = Context(prec=38)
"""As many digits as DynamoDB's numbers have."""

Amounts = dict[str, Decimal]


def amounts() -> defaultdict[str, Decimal]:
    """Give sums that begin at 0."""
    return defaultdict(Decimal)


@dataclass(slots=True)
class Delta:
    """What becomes of one item that holds aggregates."""

    schema: Schema
    owner: dict[str, Any]
    """The fields of its key."""
    change: Change[Any]
    """A change that this is for."""
    sums: defaultdict[str, Decimal] = field(default_factory=amounts)
    come: dict[str, dict[Identity, Any]] = field(default_factory=dict)
    """Field → item that is compared → the value that it has now."""
    gone: dict[str, dict[Identity, list[Any]]] = field(default_factory=dict)
    """Field → item that is compared → all values that it had.

    Any of them may stand there: what was read from the table is ahead of the stream.
    """
    is_new: bool = False
    """Whether it was made, or has to be: then it does not know yet what was there before it."""

    @property
    def compared(self) -> set[str]:
        """Name the fields whose extremes may change."""
        sides = [(name, one) for side in (self.come, self.gone) for name, one in side.items()]
        return {name for name, values in sides if values}

    def had(self, field_: str) -> Iterator[Any]:
        """Give all values that items had."""
        return chain.from_iterable(self.gone.get(field_, {}).values())

    def leave(self, field_: str, item: Identity, value: Any) -> None:
        """Take in the value that an item had, if any."""
        if value is not None:
            self.gone.setdefault(field_, {})[item] = [value]

    def enter(self, field_: str, item: Identity, value: Any) -> None:
        """Take in the value that an item has now, if any, unless it had the same."""
        gone = self.gone.get(field_, {})
        if gone.get(item) == [value]:
            del gone[item]
        elif value is not None:
            self.come.setdefault(field_, {})[item] = value

    def join(self, other: Delta) -> None:
        """Add what follows."""
        self.is_new |= other.is_new
        for field_, amount in other.sums.items():
            self.sums[field_] = EXACT.add(self.sums[field_], amount)
        for field_ in other.compared:
            come, gone = self.come.setdefault(field_, {}), self.gone.setdefault(field_, {})
            for item, values in other.gone.get(field_, {}).items():
                come.pop(item, None)
                gone[item] = [*gone.get(item, ()), *values]
            come |= other.come.get(field_, {})

    def __bool__(self) -> bool:
        return self.is_new or any(self.sums.values()) or bool(self.compared)


@dataclass(slots=True)
class Lost:
    """What an item held that is gone; it comes back when the item does."""

    schema: Schema
    owner: dict[str, Any]
    sums: Amounts


@dataclass(slots=True)
class Tally:
    """Takes the changes of a batch together."""

    design: Design
    deltas: dict[Identity, Delta] = field(default_factory=dict)
    lost: dict[Identity, Lost] = field(default_factory=dict)

    def writes(self, other: Tally) -> int:
        """Tell how many writes this and what follows come to at most."""
        deltas = {**self.deltas, **other.deltas}
        new = sum(delta.is_new for tally in (self, other) for delta in tally.deltas.values())
        writes = sum(writes_max(delta.schema) for delta in deltas.values())
        return writes + new + len(self.lost.keys() | other.lost.keys())

    def __bool__(self) -> bool:
        return bool(self.deltas or self.lost)

    def of(self, changes: Sequence[Change[Any]]) -> Tally:
        """Give what these changes come to alone; raises where an item cannot be read."""
        made = Tally(self.design)
        for change in changes:
            made._take(change)
        return made

    def joins(self, other: Tally) -> bool:
        """Tell whether what follows can be taken together with this.

        What an item held and lost must be put aside before a new one can take it up.
        """
        return not any(other.deltas[name].is_new for name in other.deltas.keys() & self.lost.keys())

    def join(self, other: Tally) -> None:
        """Add what follows."""
        for name, delta in other.deltas.items():
            mine = self.deltas.setdefault(name, Delta(delta.schema, delta.owner, delta.change))
            mine.join(delta)
        self.lost |= other.lost

    def _take(self, change: Change[Any]) -> None:
        rules = self.design.brings.get(change.schema.type, ())
        if rules and not _is_same(change, rules):
            before, after = _sides(change)
            self._bring(change, before, rules, comes=False)
            self._bring(change, after, rules, comes=True)
            self.deltas = {name: delta for name, delta in self.deltas.items() if delta}
        held = self.design.holds.get(change.schema.type)
        if held and isinstance(change, Created):
            self._delta(change, change.schema, dict(change.key.fields)).is_new = True
        elif held and isinstance(change, Removed):
            self._lose(change, held)

    def _bring(
        self, change: Change[Any], entity: Entity | None, rules: Rules, *, comes: bool
    ) -> None:
        """Take in what an item brings that comes, or brought that goes."""
        for rule, name, owner in owners_of(entity, rules):
            delta = self._delta(change, rule.parent, owner, name)
            assert entity is not None
            if not rule.is_extreme:
                reckon = EXACT.add if comes else EXACT.subtract
                amount = rule.amount(entity.__dict__)
                delta.sums[rule.field] = reckon(delta.sums[rule.field], amount)
            else:
                take = delta.enter if comes else delta.leave
                take(rule.field, _name(entity), entity.__dict__[rule.declared.field])

    def _lose(self, change: Removed[Any], held: Mapping[str, Aggregate]) -> None:
        """Keep what an item held that is gone; one that holds nothing else is made again."""
        values = change.old.__dict__
        sums = {
            name: Decimal(str(values[name]))
            for name in held
            if not isinstance(held[name], ExtremeOf) and values[name]
        }
        owner = dict(change.key.fields)
        if is_free(change.schema) and not isinstance(change, Expired):
            delta = self._delta(change, change.schema, owner)
            delta.sums.update(sums)
            delta.is_new = True
        elif sums:
            name = identity(change.schema.item_key(owner))
            self.lost[name] = Lost(change.schema, owner, sums)

    def _delta(
        self,
        change: Change[Any],
        schema: Schema,
        owner: dict[str, Any],
        name: Identity | None = None,
    ) -> Delta:
        name = name or identity(schema.item_key(owner))
        delta = self.deltas.get(name)
        if delta is None:
            delta = self.deltas[name] = Delta(schema, owner, change)
        return delta


def _sides(change: Change[Any]) -> tuple[Entity | None, Entity | None]:
    """Give the item before and after."""
    if isinstance(change, Modified):
        return change.old, change.new
    if isinstance(change, Created):
        return None, change.new
    assert isinstance(change, Removed)
    return change.old, None


def _is_same(change: Change[Any], rules: Sequence[AggregateRule]) -> bool:
    """Tell, without reading it, whether what an item brings has stayed the same."""
    old, new = change.record.old, change.record.new
    if not isinstance(change, Modified) or old is None or new is None:
        return False
    if change.schema.items.upgrades:
        return False
    names = {change.schema.attributes[name] for rule in rules for name in rule.fields}
    return all(old.get(name) == new.get(name) for name in names)


def owners_of(
    entity: Entity | None, rules: Rules
) -> Iterator[tuple[AggregateRule, Identity, dict[str, Any]]]:
    """Give each aggregate that an item is part of, once, with the item that holds it.

    One on an entity and on another derived from it, with the same key, is the same.
    """
    if entity is None:
        return
    values = entity.__dict__
    places: dict[Any, tuple[Identity, dict[str, Any]] | None] = {}
    seen: set[tuple[Identity, str]] = set()
    for rule in rules:
        if not rule.takes(values):
            continue
        kind = rule.parent.type, rule.declared.match
        if kind not in places:  # most aggregates of an entity belong to the same item
            owner = rule.place(values)
            if owner is not None:
                places[kind] = identity(rule.parent.item_key(owner)), owner
            else:
                places[kind] = None
        place = places[kind]
        if place is not None and (place[0], rule.field) not in seen:
            seen.add((place[0], rule.field))
            yield rule, *place


def _name(entity: Entity) -> Identity:
    return identity(entity.__schema__.item_key(entity.__dict__))
