"""Changes of an entity's fields, as users write them: ``update(key, name="New", reads=add(1))``.

A value sets its field, ``None`` and ``REMOVE`` take it away, and the functions here change what is
there, in one request that reads nothing first. All work whether the attribute is there or not; what
a path leads through (``stats`` in ``stats.reads``) must be there.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

import singletable.expressions as nodes
from singletable.errors import UsageError
from singletable.expressions.update import SETS

from .conditions import F
from .paths import Resolver

Number = int | float | Decimal


@dataclass(frozen=True, slots=True)
class Change:
    """What becomes of one field."""

    def resolve(self, path: str, resolver: Resolver) -> nodes.Action:
        """Give the clause of an update that makes the change."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Removal(Change):
    """Takes the attribute away."""

    def resolve(self, path: str, resolver: Resolver) -> nodes.Action:
        """Give a REMOVE."""
        return nodes.Remove(resolver.path(path))

    def __repr__(self) -> str:
        return "REMOVE"


@dataclass(frozen=True, slots=True)
class Assignment(Change):
    """Puts a value, or the value of another field; only where there is none, if so told."""

    value: Any
    if_missing: bool = False

    def resolve(self, path: str, resolver: Resolver) -> nodes.Action:
        """Give a SET."""
        place = resolver.path(path)
        source = self._source(path, resolver)
        return nodes.Set(place, _or(place, source) if self.if_missing else source)

    def _source(self, path: str, resolver: Resolver) -> nodes.Operand:
        if isinstance(self.value, F):
            return resolver.path(self.value.path)
        return nodes.Value(resolver.value(path, self.value))


@dataclass(frozen=True, slots=True)
class Sum(Change):
    """Adds to a number, or subtracts from it; where there is none, it counts from 0.

    Not by ADD, which is documented for attributes at the top of an item only: the same SET works
    there and inside maps and lists, and is as atomic.
    """

    operator: str
    amount: Number

    def resolve(self, path: str, resolver: Resolver) -> nodes.Action:
        """Give a SET of the sum."""
        place = resolver.path(path)
        amount = _encoded(self, path, self.amount, resolver, NUMBERS)
        return nodes.Set(place, nodes.Arithmetic(self.operator, _or(place, ZERO), amount))


@dataclass(frozen=True, slots=True)
class Extension(Change):
    """Lengthens a list at its end or its front; where there is none, it begins one."""

    members: tuple[Any, ...]
    in_front: bool = False

    def resolve(self, path: str, resolver: Resolver) -> nodes.Action:
        """Give a SET of both lists, one behind the other."""
        place = resolver.path(path)
        old = _or(place, NO_MEMBERS)
        more = _encoded(self, path, list(self.members), resolver, LISTS)
        both = (more, old) if self.in_front else (old, more)
        return nodes.Set(place, nodes.Call("list_append", both))


@dataclass(frozen=True, slots=True)
class Membership(Change):
    """Puts members into a set, or takes them out; a set without members goes away.

    DynamoDB documents ADD and DELETE for attributes at the top of an item only, and has no other
    way to do this; they were seen to work inside maps too.
    """

    clause: type[nodes.Add | nodes.Delete]
    members: frozenset[Any]

    def resolve(self, path: str, resolver: Resolver) -> nodes.Action:
        """Give an ADD or a DELETE."""
        members = _encoded(self, path, set(self.members), resolver, SETS)
        return self.clause(resolver.path(path), members)


def add(amount: Number) -> Change:
    """Add to a number; from 0 where the attribute is missing."""
    return Sum("+", amount)


def subtract(amount: Number) -> Change:
    """Subtract from a number; from 0 where the attribute is missing."""
    return Sum("-", amount)


def append(members: Sequence[Any]) -> Change:
    """Put members at the end of a list."""
    return Extension(_members(members))


def prepend(members: Sequence[Any]) -> Change:
    """Put members at the front of a list, in their order."""
    return Extension(_members(members), in_front=True)


def include(members: AbstractSet[Any]) -> Change:
    """Put members, at least one, into a set."""
    return Membership(nodes.Add, _set_members(members))


def exclude(members: AbstractSet[Any]) -> Change:
    """Take members, at least one, out of a set; those it lacks do not matter."""
    return Membership(nodes.Delete, _set_members(members))


def if_missing(value: Any) -> Change:
    """Set the attribute only where the item has none; another field, ``F(...)``, may stand here."""
    if value is None:
        raise UsageError("if_missing(None) changes nothing: a missing attribute is missing.")
    return Assignment(value, if_missing=True)


REMOVE: Final[Change] = Removal()
"""Takes an attribute away; ``None`` in its place does the same."""


def change_of(value: Any) -> Change:
    """Give the change that a value stands for: to set it, or, for ``None``, to remove."""
    if value is None:
        return REMOVE
    return value if isinstance(value, Change) else Assignment(value)


ZERO = nodes.Value({"N": "0"})
NO_MEMBERS = nodes.Value({"L": []})
NUMBERS = frozenset({"N"})
LISTS = frozenset({"L"})


def _or(place: nodes.Path, default: nodes.Operand) -> nodes.Operand:
    return nodes.Call("if_not_exists", (place, default))


def _encoded(
    change: Change, path: str, value: Any, resolver: Resolver, kinds: frozenset[str]
) -> nodes.Operand:
    content = resolver.value(path, value)
    if kinds.isdisjoint(content):
        raise UsageError(
            f"Field {path!r} cannot be changed by {change!r}: {value!r} is stored as "
            f"{', '.join(content)}, and the change takes {' or '.join(sorted(kinds))}."
        )
    return nodes.Value(content)


def _members(members: Sequence[Any]) -> tuple[Any, ...]:
    # A text is a sequence too, and would be taken apart into its characters.
    if isinstance(members, str | bytes) or not isinstance(members, Sequence):
        raise UsageError(f"A list is changed by a list of members: [{members!r}], not {members!r}.")
    return tuple(members)


def _set_members(members: AbstractSet[Any]) -> frozenset[Any]:
    if not isinstance(members, AbstractSet):
        raise UsageError(f"A set is changed by a set of members, {{...}}, not by {members!r}.")
    if not members:
        raise UsageError("DynamoDB has no empty set: leave out a change by no members.")
    return frozenset(members)
