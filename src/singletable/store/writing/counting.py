"""Counts on a parent: which parent an item counts for, and what becomes of the parent's count.

The rule stands on the parent (``count_of("Session")``) and is looked up from the child, whose
writes change the count.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from singletable.errors import DesignError, NotFound, SingletableError, UsageError
from singletable.expressions import Arithmetic, Call, Comparison, Set, Value
from singletable.expressions import Update as Clauses
from singletable.model.fields import CountOf
from singletable.model.schema import Schema
from singletable.values import Item

from .actions import alive, keys_of
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
class CountRule:
    """Finds the parent whose count an item of a child entity is part of."""

    parent: Schema
    field: str
    child: Schema
    pairs: tuple[tuple[str, str], ...]
    """Key fields of the parent, each with the field of the child that holds it."""
    when: tuple[tuple[str, tuple[Any, ...]], ...]
    """Fields of the child, each with the values that count."""

    @classmethod
    def of(cls, parent: Schema, field: str, count: CountOf, child: Schema) -> CountRule:
        """Compile the rule of a count for the entity that it counts."""
        match = dict(count.match)
        pairs = tuple((name, match.pop(name, name)) for name in parent.key_fields)
        _check_match(parent, field, match)
        rule = cls(parent, field, child, pairs, count.when)
        for needed in rule.fields:
            if needed not in child.fields:
                raise DesignError(
                    f"{parent.name}.{field}: {child.name} has no field {needed!r}: say in "
                    f"count_of({child.name!r}, ...) which field of it holds which key field"
                )
        _check_unindexed(parent, field)
        return rule

    @property
    def fields(self) -> tuple[str, ...]:
        """Name the fields of the child that decide."""
        return (*(name for _, name in self.pairs), *(name for name, _ in self.when))

    def parent_of(self, values: Mapping[str, Any]) -> Parent | None:
        """Give the parent that an item with these values counts for, if any."""
        if any(values[name] not in allowed for name, allowed in self.when):
            return None
        known = {name: values[mine] for name, mine in self.pairs}
        if None in known.values():
            return None
        return Parent(self, known, identity(self.child.item_key(values)))


def _check_match(parent: Schema, field: str, rest: Mapping[str, Any]) -> None:
    for name, value in rest.items():
        raise DesignError(
            f"{parent.name}.{field}: {name!r} is no key field of {parent.name}, which has "
            f"{', '.join(parent.key_fields)}: if it is the value that counts, say "
            f"when={{{name!r}: {value!r}}}"
        )


def _check_unindexed(parent: Schema, field: str) -> None:
    for keys in parent.all_keys:
        if field in keys.fields:
            raise DesignError(
                f"{parent.name}.{field} stands in a key of {keys.index.name or 'the table'}, which "
                "would be stale with the next item that comes: a count cannot be part of a key"
            )


@dataclass(frozen=True, slots=True)
class Parent:
    """Is an item one of whose counts changes."""

    rule: CountRule
    values: Mapping[str, Any]
    counted_item: Identity

    @property
    def keys(self) -> Iterator[Item]:
        """Give the key of each copy of the parent."""
        return keys_of(self.rule.parent, self.values)

    @property
    def counted(self) -> tuple[Identity, str]:
        """Tell the count apart from all others."""
        return identity(self.rule.parent.item_key(self.values)), self.rule.field

    def change(self, key: Item, by: int, at: datetime) -> Part:
        """Give the write that changes the count of one copy of the parent, never below 0."""
        schema = self.rule.parent
        name = schema.attributes[self.rule.field]
        enough = Comparison(">=", attribute(name), Value({"N": str(-by)})) if by < 0 else None
        condition = every(exists(schema.table.pk), alive(schema, at), enough)
        write = Update(key=key, clauses=Clauses((_sum(name, by),)), condition=condition)
        return Part(
            write,
            self.counted_item,
            lambda _: self._missing(),
            optional=by < 0,
            less=lambda found: self._emptied(key, found, at),
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


def _sum(name: str, by: int) -> Set:
    place = attribute(name)
    operator, amount = ("+", by) if by > 0 else ("-", -by)
    count = Call("if_not_exists", (place, ZERO))
    return Set(place, Arithmetic(operator, count, Value({"N": str(amount)})))
