"""What happened to an item, with its type: a change of one entity, before and after.

    Change
    ├── Created        new
    ├── Modified       old, new
    └── Removed        old
        ├── Deleted    somebody deleted it
        └── Expired    DynamoDB did, as its time was over

Entities are read from the record when they are asked for: a handler that looks at the key alone
pays for nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from functools import cached_property
from typing import Any, Generic, TypeVar, cast

from singletable.errors import UsageError
from singletable.model.entity import Entity
from singletable.model.reads import Key
from singletable.model.schema import Schema
from singletable.model.table import Table
from singletable.store.reading.copies import is_repeated
from singletable.values import Item

from .records import Record

E = TypeVar("E", bound=Entity)


class Change(Generic[E]):
    """What happened to one item."""

    verb = "changed"

    def __init__(self, schema: Schema, record: Record) -> None:
        self.schema = schema
        self.record = record

    @property
    def entity(self) -> type[E]:
        """Give the class of the item."""
        return cast("type[E]", self.schema.entity)

    @property
    def at(self) -> datetime:
        """Tell when it happened, to the second."""
        return self.record.at

    @property
    def position(self) -> str:
        """Tell the place in the stream: of one item, a later change has a greater one."""
        return self.record.position

    @cached_property
    def key(self) -> Key[E]:
        """Name the item, by the fields that its key is made from."""
        fields = self.schema.key_fields
        told = self.schema.keys.parse(self.record.keys) or {}
        if not self.schema.key_names <= told.keys():  # a bucket or a shard does not tell its field
            told = self.schema.items.read(self.record.new or self.record.old or {}).__dict__
        return Key(self.schema, {name: told[name] for name in fields})

    @property
    def id(self) -> str:
        """Tell this change from all others of the table, however often it is delivered."""
        return f"{self.schema.type}-{self.verb}-{self.record.sequence_number}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.key!r})"

    def _read(self, image: Item | None, which: str, view: str) -> E:
        if image is None:
            raise UsageError(
                f"The stream of {self.schema.table} does not tell {self.schema.name} as it was "
                f"{which} the change: declare Table(…, stream={view!r}) and change the table"
            )
        return cast(E, self.schema.items.read(image))


class Created(Change[E]):
    """An item was written where there was none."""

    verb = "created"

    @cached_property
    def new(self) -> E:
        """Give the item as it was written."""
        return self._read(self.record.new, "after", "NEW_IMAGE")


class Modified(Change[E]):
    """An item was changed."""

    verb = "modified"

    @cached_property
    def old(self) -> E:
        """Give the item as it was before."""
        return self._read(self.record.old, "before", "NEW_AND_OLD_IMAGES")

    @cached_property
    def new(self) -> E:
        """Give the item as it was after."""
        return self._read(self.record.new, "after", "NEW_AND_OLD_IMAGES")

    def changed(self, *fields: str) -> bool:
        """Tell whether one of these fields has another value than before."""
        return any(getattr(self.old, name) != getattr(self.new, name) for name in fields)

    def became(self, **values: Any) -> bool:
        """Tell whether fields have these values now, and did not all have them before."""
        return _has(self.new, values) and not _has(self.old, values)


class Removed(Change[E]):
    """An item is gone."""

    verb = "removed"

    @cached_property
    def old(self) -> E:
        """Give the item as it was."""
        return self._read(self.record.old, "before", "OLD_IMAGE")


class Deleted(Removed[E]):
    """Somebody deleted an item."""

    verb = "deleted"


class Expired(Removed[E]):
    """DynamoDB deleted an item whose time was over."""

    verb = "expired"


def changes_of(table: Table, record: Record) -> Iterator[Change[Any]]:
    """Give what a record tells of the entities of a design.

    Mostly that is one change. It is none for items that the design does not know, for those of
    the store's own and for copies of hot items other than the first; it is two where an item of
    one entity was put in the place of another's.
    """
    if record.event == "REMOVE":
        gone = _entity_of(table, record, record.old)
        if gone is not None:
            yield (Expired if record.expired else Deleted)(gone, record)
        return
    after = _entity_of(table, record, record.new)
    if record.event == "INSERT":
        if after is not None:
            yield Created(after, record)
        return
    before = _entity_of(table, record, record.old)
    if before is after:
        if after is not None:
            yield Modified(after, record)
    else:
        if before is not None:
            yield Deleted(before, record)
        if after is not None:
            yield Created(after, record)


def _entity_of(table: Table, record: Record, image: Item | None) -> Schema | None:
    """Tell the entity by the type of the item, or by its key where the stream has no image."""
    item = record.keys if image is None else image
    kind = item.get(table.type_attribute)
    schema = _by_key(table, record.keys) if kind is None else table.entities.get(kind.get("S", ""))
    if schema is None or (schema.copies and is_repeated(record.keys, (schema,))):
        return None
    return schema


def _by_key(table: Table, keys: Item) -> Schema | None:
    found = (one for one in table.entities.values() if one.keys.parse(keys) is not None)
    return next(found, None)


def _has(entity: Entity, values: dict[str, Any]) -> bool:
    return all(getattr(entity, name) == value for name, value in values.items())
