"""Put, update, delete and check: one read-modify-write path for every operation that writes.

A mutation says which item, under what condition, and what comes out (``apply``, which writes
nothing). ``modify`` reads, decides and replaces, in the caller's transaction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from singletable.errors import ConditionalCheckFailedException, ValidationException, invalid
from singletable.expressions import BoundCondition, BoundUpdate
from singletable.values import (
    ITEM_BYTES_MAX,
    ITEM_TOO_LARGE,
    Item,
    item_size,
    size_at,
    value_size,
)

from .capacity import Consumed, write_units
from .definitions import LOCAL_INDEXES_MAX
from .images import Image, Row
from .keys import find_index_key_fault, read_key, row_key
from .schema import Table
from .shapes.canonical import admitted
from .writing import EntryChange, Writing

ITEM_BYTES_USUAL = ITEM_BYTES_MAX // (1 + LOCAL_INDEXES_MAX)
"""Up to this size an item is small enough with all the entries it can have in local indexes."""


class Precondition(NamedTuple):
    """The condition of a change, and whether a refusal shows the item that failed it."""

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
    """A change of one item that is yet to be made; this base class only checks a condition."""

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
    places: tuple[tuple[str, ...], ...]
    """The keys that lead to each value that the update touches, in the order of its text."""

    def verify(self) -> None:
        """Raise if the update touches the primary key."""
        updated = [keys[0] for keys in self.places]
        touched = [name for name in self.table.schema.names if name in updated]
        if touched:
            # Observed: an expression's are looked at in the order of the key.
            by_expression = self.update and self.update.tree.by_expression
            name = touched[0] if by_expression else min(touched, key=updated.index)
            raise invalid(f"Cannot update attribute {name}. This attribute is part of the key")

    def apply(self, before: Row | None) -> Image | None:
        """Give the updated item."""
        if before is None and self.update and not self.update.tree.makes_items:
            return None
        base = before.item if before else self.table.key_of(self.key)
        item = self.update.apply(base) if self.update else base
        fault = find_index_key_fault(self.table, item) if self.table.indexes else None
        if fault:
            by_expression = self.update and self.update.tree.by_expression
            raise ValidationException(fault.on_update if by_expression else fault.on_put)
        size = self._size_of(item, before)
        if size > ITEM_BYTES_USUAL and _size_with_entries(self.table, item, size) > ITEM_BYTES_MAX:
            raise ValidationException("Item size to update has exceeded the maximum allowed size")
        return Image(item, size)

    def _size_of(self, item: Item, before: Row | None) -> int:
        """Measure the updated item; of what was there before, only the places that may differ."""
        if before is None:
            return item_size(item)
        size, old = before.size, before.item
        for keys in self.places:
            new, was = item.get(keys[0]), old.get(keys[0])
            if len(keys) > 1 or not (new and was):
                size += size_at(item, keys) - size_at(old, keys)
            elif new != was:
                size += value_size(new) - value_size(was)
            if size > 2 * ITEM_BYTES_MAX:
                break  # what is left takes off no more than the item had: it is too large
        return size


class Outcome(NamedTuple):
    """A change that was made: the item before and after, and what changed in the indexes."""

    before: Row | None
    after: Image | None
    entries: Sequence[EntryChange]

    def charge(self, consumed: Consumed, key: bytes) -> None:
        """Charge what it cost at that key, and in the indexes; what changed nothing costs as much.

        Most requests do not ask for it.
        """
        before, after = self.before, self.after
        size = max(before.size if before else 0, after.size if after else 0)
        consumed.add(key, write_units(size))
        for index, old, new in self.entries:
            if old and new and old.key == new.key:
                consumed.add(new.key, write_units(max(old.size, new.size)), index)
            else:  # deleted here, and put there
                for entry in filter(None, (old, new)):
                    consumed.add(entry.key, write_units(entry.size), index)


def put(table: Table, item: Item, precondition: Precondition = FREE) -> ItemPut:
    """Make the mutation that puts an item, after checking the item."""
    normal = admitted(item)
    key, size = row_key(table, normal), normal.size
    if size > ITEM_BYTES_USUAL:
        check_size(_size_with_entries(table, normal, size))
    return ItemPut(table, normal, key, precondition, Image(normal, size))


def check_size(size: int) -> None:
    """Refuse an item to put that is too large."""
    if size > ITEM_BYTES_MAX:
        raise ValidationException(ITEM_TOO_LARGE)


def _size_with_entries(table: Table, item: Item, size: int) -> int:
    """Add the entries in local indexes to an item's size: the limit is on all together."""
    local = [index for index in table.indexes.values() if index.scope == "LSI"]
    entries = filter(None, (index.entry(item, b"", size) for index in local))
    return size + sum(entry.size for entry in entries)


def delete(table: Table, key: Item, precondition: Precondition = FREE) -> ItemDelete:
    """Make the mutation that deletes the item of a key."""
    return ItemDelete(table, key, read_key(table, key), precondition)


def check(table: Table, key: Item, precondition: Precondition) -> Mutation:
    """Make the mutation that only checks a condition."""
    return Mutation(table, key, read_key(table, key), precondition)


def change(
    table: Table, key: Item, update: BoundUpdate | None, precondition: Precondition = FREE
) -> ItemUpdate:
    """Make the mutation that updates the item of a key."""
    places = update.places if update else ()
    return ItemUpdate(table, key, read_key(table, key), precondition, update, places)


def modify(writing: Writing, mutation: Mutation) -> Outcome:
    """Make a change in a transaction; a false condition or a bad result raises, nothing written."""
    mutation.verify()
    return carry_out(writing, mutation)


def carry_out(writing: Writing, mutation: Mutation) -> Outcome:
    """Make a change that is verified."""
    table, key, precondition = mutation.table, mutation.row_key, mutation.precondition
    if precondition is FREE and isinstance(mutation, ItemPut):
        before, entries = writing.put(table, key, mutation.image)
        return Outcome(before, mutation.image, entries)
    before = writing.find(table, key)
    if precondition is not FREE:
        precondition.check(before)
    after = mutation.apply(before)
    return Outcome(before, after, writing.replace(table, key, before, after))
