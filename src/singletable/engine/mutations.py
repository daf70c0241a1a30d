"""Put, update, delete and check: one read-modify-write path for every operation that writes.

A mutation says which item, under what condition, and what comes out (``apply``, which writes
nothing). ``modify`` reads, decides and replaces, in the caller's transaction.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from singletable.errors import ConditionalCheckFailedException, ValidationException
from singletable.expressions import BoundCondition, BoundUpdate
from singletable.values import Item, admit_item

from .images import Image, Row
from .keys import check_primary_key, find_index_key_fault, read_key
from .schema import Table
from .writing import Units, Writing

ITEM_BYTES_MAX = 400 * 1024


@dataclass(frozen=True, slots=True)
class Guard:
    """Is the condition of a change, and whether its failure shows the item that failed it."""

    condition: BoundCondition | None = None
    shows_item: bool = False

    @classmethod
    def of(cls, request: Mapping[str, Any], condition: BoundCondition | None) -> Guard:
        """Take the guard of a request whose condition is bound."""
        shown = request.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD"
        return cls(condition, shown)

    def check(self, before: Row | None) -> None:
        """Raise unless the condition holds for the item before the change."""
        if self.condition is None or self.condition.evaluate(before.item if before else {}):
            return
        fields = {"Item": before.item} if before and self.shows_item else {}
        raise ConditionalCheckFailedException("The conditional request failed", **fields)


FREE = Guard()


@dataclass(frozen=True)
class Mutation:
    """Is a change of one item, not made yet; of itself it only checks a condition."""

    table: Table
    key: Item
    guard: Guard

    @cached_property
    def row_key(self) -> bytes:
        """Give the key of the row in the table."""
        return self.table.schema.encode(self.key)

    def verify(self) -> None:
        """Raise if the change cannot be right whatever the item is."""

    def apply(self, before: Row | None) -> Image | None:
        """Give the item that the change leaves; writes nothing."""
        return before


@dataclass(frozen=True)
class Put(Mutation):
    """Replaces the item."""

    image: Image

    def verify(self) -> None:
        """Raise if an index cannot take the item."""
        fault = find_index_key_fault(self.table, self.image.item)
        if fault:
            raise ValidationException(fault.on_put)

    def apply(self, before: Row | None) -> Image:
        """Give the new item."""
        return self.image


@dataclass(frozen=True)
class Delete(Mutation):
    """Removes the item."""

    def apply(self, before: Row | None) -> None:
        """Give no item."""
        return


@dataclass(frozen=True)
class Change(Mutation):
    """Updates the item, or makes it from its key."""

    update: BoundUpdate | None

    def verify(self) -> None:
        """Raise if the update touches the primary key."""
        for path in self.update.paths if self.update else ():
            name = path.name
            if name in self.table.schema.names:
                raise ValidationException(
                    f"One or more parameter values were invalid: Cannot update attribute {name}. "
                    "This attribute is part of the key"
                )

    def apply(self, before: Row | None) -> Image | None:
        """Give the updated item."""
        base = before.item if before else self.key
        after = Image(self.update.apply(base) if self.update else base)
        fault = find_index_key_fault(self.table, after.item)
        if fault:
            raise ValidationException(fault.on_update)
        if after.size > ITEM_BYTES_MAX:
            raise ValidationException("Item size to update has exceeded the maximum allowed size")
        return after


class Outcome(NamedTuple):
    """Is a change that was made: the item before and after, and what it cost."""

    before: Row | None
    after: Image | None
    units: Units


def put(table: Table, item: Item, guard: Guard = FREE) -> Put:
    """Make the mutation that puts an item, after checking the item."""
    normal, size = admit_item(item)
    image = Image(normal, size=size)
    check_primary_key(table, image.item)
    if image.size > ITEM_BYTES_MAX:
        raise ValidationException("Item size has exceeded the maximum allowed size")
    return Put(table, table.key_of(image.item), guard, image)


def delete(table: Table, key: Item, guard: Guard = FREE) -> Delete:
    """Make the mutation that deletes the item of a key."""
    return Delete(table, read_key(table, key), guard)


def check(table: Table, key: Item, guard: Guard) -> Mutation:
    """Make the mutation that only checks a condition."""
    return Mutation(table, read_key(table, key), guard)


def change(table: Table, key: Item, update: BoundUpdate | None, guard: Guard = FREE) -> Change:
    """Make the mutation that updates the item of a key."""
    return Change(table, read_key(table, key), guard, update)


def modify(writing: Writing, mutation: Mutation) -> Outcome:
    """Make a change in a transaction; a false condition or a bad result raises, nothing written."""
    table = mutation.table
    mutation.verify()
    before = writing.find(table, mutation.row_key)
    mutation.guard.check(before)
    after = mutation.apply(before)
    return Outcome(before, after, writing.replace(table, mutation.row_key, before, after))
