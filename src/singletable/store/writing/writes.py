"""One write to one item, as a value: what a store means to send, alone or in a transaction.

Writes are planned first and sent afterwards, so that those of several actions can be compared and
joined: DynamoDB refuses two writes to one item in a transaction.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import Any, ClassVar

from singletable.errors import SingletableError
from singletable.expressions import And, Call, Comparison, Condition, Node, Path, Value, encode
from singletable.expressions import Update as Clauses
from singletable.values import AttributeValue, Item

Identity = tuple[str, ...]
"""The texts of a primary key, by which items are told apart."""


def identity(key: Item) -> Identity:
    """Give what tells a key from all others."""
    return tuple(value["S"] for value in key.values())


@dataclass(slots=True, kw_only=True)
class Write:
    """One write to one item, and what must hold for it."""

    kind: ClassVar[str]
    key: Item
    condition: Condition | None = None

    def request(self, table_name: str) -> dict[str, Any]:
        """Give the members that a request of its own and one in a transaction share."""
        request: dict[str, Any] = {"TableName": table_name}
        expressions = self._enter(request)
        if self.condition is not None:
            expressions["ConditionExpression"] = self.condition
            request["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
        if expressions:
            request |= encode(expressions)
        return request

    def _enter(self, request: dict[str, Any]) -> dict[str, Node]:
        """Put into a request what it is about; give the expressions that say what becomes of it."""
        request["Key"] = self.key
        return {}


@dataclass(slots=True, kw_only=True)
class Put(Write):
    """Puts a whole item in place of what is there."""

    kind = "Put"
    item: Item

    def _enter(self, request: dict[str, Any]) -> dict[str, Node]:
        request["Item"] = self.item
        return {}


@dataclass(slots=True, kw_only=True)
class Update(Write):
    """Changes some attributes, or makes an item of them."""

    kind = "Update"
    clauses: Clauses

    def _enter(self, request: dict[str, Any]) -> dict[str, Node]:
        request["Key"] = self.key
        return {"UpdateExpression": self.clauses}


@dataclass(slots=True, kw_only=True)
class Delete(Write):
    """Deletes what is there, if anything."""

    kind = "Delete"


@dataclass(slots=True, kw_only=True)
class Check(Write):
    """Writes nothing, but lets a transaction fail."""

    kind = "ConditionCheck"


@dataclass(frozen=True, slots=True)
class Part:
    """A write among those that belong together.

    ``cause`` tells the item for whose sake it is written. ``failure`` says why it failed where an
    item was found, or None if what it was planned from is no longer so. An ``optional`` one that
    fails is left out, or done in part: ``less`` gives the write that does what can be done to what
    was found. ``spare`` are such that were joined with it.
    """

    write: Write
    cause: Identity
    failure: Callable[[Item | None], SingletableError | None]
    optional: bool = False
    spare: tuple[Part, ...] = ()
    less: Callable[[Item | None], Write | None] = lambda _: None

    def can_spare(self, found: Item | None) -> bool:
        """Tell whether the write could be done here without what is optional in it."""
        return self.optional or not all(part.holds(found) for part in self.spare)

    def holds(self, found: Item | None) -> bool:
        """Tell whether the condition of the write holds of what was found."""
        condition = self.write.condition
        return condition is None or condition.evaluate(found or {}, {})

    def possible(self, found: Item | None) -> Part:
        """Give the part, or, where it cannot be done, less of it, or the check that it cannot."""
        if not self.optional or self.holds(found):
            return self
        if less := self.less(found):
            return replace(self, write=less)
        assert self.write.condition is not None
        check = Check(key=self.write.key, condition=~self.write.condition)
        return Part(check, self.cause, lambda _: None)


@lru_cache(maxsize=4096)
def attribute(name: str) -> Path:
    """Give the path of an attribute."""
    return Path((name,))


@lru_cache(maxsize=4096)
def exists(name: str) -> Condition:
    """Hold where there is such an attribute."""
    return Call("attribute_exists", (attribute(name),))


def missing(name: str) -> Condition:
    """Hold where there is no such attribute, and where there is no item."""
    return Call("attribute_not_exists", (attribute(name),))


def equals(name: str, value: AttributeValue | None) -> Condition:
    """Hold where an attribute has this value; for None, where there is no such attribute."""
    return missing(name) if value is None else Comparison("=", attribute(name), Value(value))


def expired(name: str, at: datetime) -> Condition:
    """Hold where an attribute tells a time of expiry that is over."""
    return Comparison("<=", attribute(name), Value({"N": str(int(at.timestamp()))}))


def every(*conditions: Condition | None) -> Condition | None:
    """Join conditions, those that are there, each once."""
    there = list(filter(None, conditions))
    if len(there) < 2:  # noqa: PLR2004 - as a rule there is nothing to join
        return there[0] if there else None
    given: list[Condition] = []
    for condition in there:
        members = condition.conditions if isinstance(condition, And) else (condition,)
        given += [each for each in members if each not in given]
    return _joined(given)


def _joined(conditions: list[Condition]) -> Condition:
    return And(tuple(conditions)) if len(conditions) > 1 else conditions[0]


@dataclass(frozen=True, slots=True)
class Basis:
    """An item as it was read, or its absence, and what of it must stay so for a plan to hold."""

    pk: str
    item: Item | None
    names: tuple[str, ...]

    @property
    def condition(self) -> Condition:
        """Hold while the basis does, of every copy of the item."""
        if self.item is None:
            return missing(self.pk)
        same = (equals(name, self.item.get(name)) for name in self.names)
        return _joined([exists(self.pk), *same])

    def holds(self, found: Item | None) -> bool:
        """Tell whether an item is still as it was read."""
        if self.item is None or found is None:
            return self.item is found
        return all(self.item.get(name) == found.get(name) for name in self.names)


def unchanged(basis: Basis | None) -> Condition | None:
    """Hold while a basis does, where there is one."""
    return None if basis is None else basis.condition
