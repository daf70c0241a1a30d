"""Counts and sums on a parent: what becomes of them with the writes of the parent's children."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Any, Self

from singletable.errors import NotFound, SingletableError, UsageError
from singletable.expressions import Arithmetic, Call, Comparison, Condition, Set, Value
from singletable.expressions import Update as Clauses
from singletable.model.aggregates import AggregateRule
from singletable.model.fields import CountOf
from singletable.model.schema import Schema
from singletable.values import Item

from .actions import alive
from .stored import keys_of
from .writes import (
    Check,
    Delete,
    Identity,
    Part,
    Put,
    Update,
    Write,
    attribute,
    equals,
    every,
    exists,
    identity,
)

NONE = {"N": "0"}
ZERO = Value(NONE)


@dataclass(frozen=True, slots=True)
class Parent:
    """An item one of whose counts or sums changes."""

    rule: AggregateRule
    values: Mapping[str, Any]
    counted_item: Identity
    amount: Decimal
    """What the counted item adds."""

    @classmethod
    def of(cls, rule: AggregateRule, values: Mapping[str, Any]) -> Self | None:
        """Give the parent that an item with these values counts for, if any."""
        owner = rule.owner(values)
        if owner is None:
            return None
        return cls(rule, owner, identity(rule.child.item_key(values)), rule.amount(values))

    @property
    def keys(self) -> Iterator[Item]:
        """Give the key of each copy of the parent."""
        return keys_of(self.rule.parent, self.values)

    @property
    def counted(self) -> tuple[Identity, str]:
        """Tell the count apart from all others."""
        return identity(self.rule.parent.item_key(self.values)), self.rule.field

    def change(self, key: Item, by: Decimal, at: datetime, *, optional: bool) -> Part:
        """Give the write that changes the number of one copy of the parent; no count below 0."""
        schema = self.rule.parent
        name = schema.attributes[self.rule.field]
        falls = by < 0 and isinstance(self.rule.declared, CountOf)
        enough = Comparison(">=", attribute(name), Value({"N": str(-by)})) if falls else None
        condition = every(exists(schema.table.pk), alive(schema, at), enough)
        write = Update(key=key, clauses=Clauses((_sum(name, by),)), condition=condition)
        return Part(
            write,
            self.counted_item,
            lambda _: self._missing(),
            optional=optional,
            less=lambda found: self._emptied(key, found, at) if falls else None,
        )

    def _emptied(self, key: Item, found: Item | None, at: datetime) -> Update | None:
        """Give the write that leaves nothing of a count that is too low for what goes.

        It is so where a parent was deleted before its children, and made anew.
        """
        schema = self.rule.parent
        name = schema.attributes[self.rule.field]
        count = (schema.living(found, at) or {}).get(name, NONE)
        if count == NONE:
            return None
        condition = every(exists(schema.table.pk), alive(schema, at), equals(name, count))
        return Update(key=key, clauses=Clauses((Set(attribute(name), ZERO),)), condition=condition)

    def _missing(self) -> NotFound:
        rule = self.rule
        key = ", ".join(f"{name}={value!r}" for name, value in self.values.items())
        return NotFound(
            f"There is no {rule.parent.name}({key}), whose {rule.field} counts this "
            f"{rule.child.name}: create it first, or in the same transaction"
        )


def childless(schema: Schema, name: str, going: Decimal, at: datetime) -> Condition:
    """Hold where a count is no more than the children that go, too, or the item's time is over."""
    more: Condition = Comparison(">", attribute(name), Value({"N": str(going)}))
    living = alive(schema, at)
    return ~(more if living is None else more & living)


def counted_in(own: Part, part: Part) -> Part:
    """Join the change of a count with a write to the same parent that a caller asked for."""
    write, change = own.write, part.write
    if isinstance(write, Put):
        return replace(own, write=_counted(write, part))
    if isinstance(write, Delete):
        if isinstance(change, Update) and not part.optional:
            raise UsageError(f"{part.failure(None)}: this transaction deletes it")
        return own
    if isinstance(write, Update) and isinstance(change, Update) and not part.optional:
        # The parent's being there is for its own write to demand, which may make it.
        part = replace(part, write=replace(change, condition=None))
    return _together(own, part)


def counted_together(one: Part, other: Part) -> Part:
    """Join the changes of two counts of one parent."""
    if one.optional and not other.optional:
        one, other = other, one
    if not one.optional:
        return _together(one, other)
    return replace(_together(replace(one, optional=False), other), spare=(one, other))


def _counted(put: Put, part: Part) -> Put:
    """Count in an item that is put as a whole; what would be less than none is none."""
    change = part.possible(put.item).write
    if not isinstance(change, Update):
        return put
    return replace(put, item=change.clauses.apply(put.item, {}))


def _together(one: Part, other: Part) -> Part:
    """Join two writes to one item, the second of which may be one that can be spared."""
    first, second = one.write, other.write
    writes = [write for write in (first, second) if isinstance(write, Update)]
    condition = every(first.condition, second.condition)
    spare = (*one.spare, other) if other.optional else one.spare

    def failure(found: Item | None) -> SingletableError | None:
        fault = other if isinstance(second, Check) and not other.holds(found) else one
        return fault.failure(found)

    write: Write = replace(first, condition=condition)
    if writes:
        clauses = tuple(action for write in writes for action in write.clauses.actions)
        write = Update(key=first.key, clauses=Clauses(clauses), condition=condition)
    return replace(one, write=write, failure=failure, spare=spare)


def _sum(name: str, by: Decimal) -> Set:
    place = attribute(name)
    operator, amount = ("+", by) if by > 0 else ("-", -by)
    count = Call("if_not_exists", (place, ZERO))
    return Set(place, Arithmetic(operator, count, Value({"N": str(amount)})))
