"""Put, update, delete and check: one read-modify-write path for every operation that writes.

A mutation says which item, under what condition, and what comes out (``apply``, which writes
nothing). ``modify`` reads, decides and replaces, in the caller's transaction.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from singletable.errors import ConditionalCheckFailedException, ValidationException
from singletable.expressions import BoundCondition, BoundUpdate
from singletable.values import Item, item_size

from .images import Image, Row
from .keys import check_primary_key, find_index_key_fault, read_key
from .schema import Table
from .shapes.canonical import admit
from .writing import Units, Writing

ITEM_BYTES_MAX = 400 * 1024


@dataclass(frozen=True, slots=True)
class Precondition:
    """Is the condition of a change, and whether its failure shows the item that failed it."""

    condition: BoundCondition | None = None
    shows_item: bool = False

    @classmethod
    def of(cls, request: Mapping[str, Any], condition: BoundCondition | None) -> Precondition:
        """Take the precondition of a request whose condition is bound."""
        if condition is None:
            return FREE
        shown = request.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD"
        return cls(condition, shown)

    def check(self, before: Row | None) -> None:
        """Raise unless the condition holds for the item before the change."""
        if self.condition is None or self.condition.evaluate(before.item if before else {}):
            return
        fields = {"Item": before.item} if before and self.shows_item else {}
        raise ConditionalCheckFailedException("The conditional request failed", **fields)


FREE = Precondition()


@dataclass(slots=True)
class Mutation:
    """Is a change of one item, not made yet; of itself it only checks a condition."""

    table: Table
    key: Item
    """The primary key, in an item that may have more."""
    row_key: bytes
    precondition: Precondition

    def verify(self) -> None:
        """Raise if the change cannot be right whatever the item is."""

    def apply(self, before: Row | None) -> Image | None:
        """Give the item that the change leaves; writes nothing."""
        return before


@dataclass(slots=True)
class ItemPut(Mutation):
    """Replaces the item."""

    image: Image

    def verify(self) -> None:
        """Raise if an index cannot take the item."""
        fault = find_index_key_fault(self.table, self.key) if self.table.indexes else None
        if fault:
            raise ValidationException(fault.on_put)

    def apply(self, before: Row | None) -> Image:
        """Give the new item."""
        return self.image


@dataclass(slots=True)
class ItemDelete(Mutation):
    """Removes the item."""

    def apply(self, before: Row | None) -> None:
        """Give no item."""
        return


@dataclass(slots=True)
class ItemUpdate(Mutation):
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
        item = self.update.apply(base) if self.update else base
        after = Image(item, size=_size_after(before, item) if before else None)
        fault = find_index_key_fault(self.table, after.item) if self.table.indexes else None
        if fault:
            raise ValidationException(fault.on_update)
        if after.size > ITEM_BYTES_MAX:
            raise ValidationException("Item size to update has exceeded the maximum allowed size")
        return after


def _size_after(before: Row, item: Item) -> int:
    """Give the size of an item that shares most of its values with the one before."""
    old = before.item
    added = {name: value for name, value in item.items() if old.get(name) is not value}
    gone = {name: value for name, value in old.items() if item.get(name) is not value}
    return before.size + item_size(added) - item_size(gone)


class Outcome(NamedTuple):
    """Is a change that was made: the item before and after, and what it cost."""

    before: Row | None
    after: Image | None
    units: Units


def put(table: Table, item: Item, precondition: Precondition = FREE) -> ItemPut:
    """Make the mutation that puts an item, after checking the item."""
    normal, size = admit(item)
    check_primary_key(table, normal)
    if size > ITEM_BYTES_MAX:
        raise ValidationException("Item size has exceeded the maximum allowed size")
    row_key = table.schema.encode(normal)
    return ItemPut(table, normal, row_key, precondition, Image(normal, size=size))


def delete(table: Table, key: Item, precondition: Precondition = FREE) -> ItemDelete:
    """Make the mutation that deletes the item of a key."""
    normal = read_key(table, key)
    return ItemDelete(table, normal, table.schema.encode(normal), precondition)


def check(table: Table, key: Item, precondition: Precondition) -> Mutation:
    """Make the mutation that only checks a condition."""
    normal = read_key(table, key)
    return Mutation(table, normal, table.schema.encode(normal), precondition)


def change(
    table: Table, key: Item, update: BoundUpdate | None, precondition: Precondition = FREE
) -> ItemUpdate:
    """Make the mutation that updates the item of a key."""
    normal = read_key(table, key)
    return ItemUpdate(table, normal, table.schema.encode(normal), precondition, update)


def modify(writing: Writing, mutation: Mutation) -> Outcome:
    """Make a change in a transaction; a false condition or a bad result raises, nothing written."""
    table, row_key, precondition = mutation.table, mutation.row_key, mutation.precondition
    mutation.verify()
    before = writing.find(table, row_key)
    if precondition is not FREE:
        precondition.check(before)
    after = mutation.apply(before)
    return Outcome(before, after, writing.replace(table, row_key, before, after))
