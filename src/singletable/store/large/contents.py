"""Where content lies that is too long for an item: in part items, or in the object store.

What is stored has a new id and never changes, so that it can be read while its item is written.
Parts lie in the partition of their item: whoever may read the one may read the other. The price is
that a query of the whole partition reads over them; then objects are the better place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import TypeVar
from uuid import uuid4

from singletable.errors import (
    LargeBroken,
    LargeMissing,
    ServiceError,
    StoreError,
    Unreachable,
    UsageError,
)
from singletable.model.codec import encode_datetime
from singletable.model.large import (
    InObjects,
    Large,
    Stored,
    as_bytes,
    checksum_of,
    from_bytes,
    kind_of,
)
from singletable.model.large_fields import LargeField
from singletable.model.table import Table, side_key
from singletable.store.batches import chunks, get_items, write_items
from singletable.store.context import Context
from singletable.store.steps import Program
from singletable.values import Item

from .objects import Objects

T = TypeVar("T", str, bytes)

TYPE = "Part"
DATA = "Data"
CREATED = "CreatedAt"
PART_SIZE_BYTES_MAX = 350_000
PARTS_AT_ONCE = 25


def place_of(
    context: Context,
    field: LargeField,
    owner: tuple[str, ...],
    large: Large[T],
    name: str | None = None,
) -> Stored:
    """Choose a place for content, a new one unless it has a name; stores nothing there."""
    stored = Stored(
        id=name or uuid4().hex,
        owner=owner,
        field=field.label,
        length=large.length,
        size_bytes=large.size_bytes,
        checksum=large.checksum,
    )
    if field.place is None:
        in_objects = context.objects is not None
    else:
        in_objects = isinstance(field.place, InObjects)
    if not in_objects:
        return replace(stored, parts=-(-stored.size_bytes // PART_SIZE_BYTES_MAX))
    folder = stored.field.replace(".", "/")
    return replace(stored, path=f"{context.table_name}/{folder}/{stored.id}")


def store_content(context: Context, stored: Stored, content: str | bytes) -> Program[None]:
    """Store content in its place."""
    data = as_bytes(content)
    if stored.path is not None:
        yield _objects(context, stored).put(stored.path, data)
    else:
        yield from _put_parts(context, stored, data)


def _put_parts(context: Context, stored: Stored, data: bytes) -> Program[None]:
    size = PART_SIZE_BYTES_MAX
    content = part_attributes(context.table, stored, context.clock())
    numbered = enumerate(part_keys(context.table, stored))
    # A few at a time: all parts of a film, copied once more, need not be in memory.
    for some in chunks(numbered, PARTS_AT_ONCE):
        items = (
            {**key, **content, DATA: {"B": data[number * size : (number + 1) * size]}}
            for number, key in some
        )
        yield from write_items(context, [{"PutRequest": {"Item": item}} for item in items])


def part_attributes(table: Table, stored: Stored, moment: datetime) -> Item:
    """Give what every part of some content has beside its key and its data."""
    owner = zip(table.primary.attributes, stored.owner, strict=True)
    return {
        table.type_attribute: {"S": TYPE},
        **{f"Owner{name}": {"S": text} for name, text in owner},
        "Field": {"S": stored.field},
        CREATED: encode_datetime(moment),
    }


def load(context: Context, large: Large[T]) -> Program[T]:
    """Give the content; sends nothing where it is in the item."""
    stored = large.stored
    if stored is None:
        assert large.content is not None
        return large.content
    read = _read_parts if stored.path is None else _read_object
    data = yield from read(context, stored)
    if checksum_of(data) != stored.checksum:
        raise LargeBroken(f"{_named(stored)} is not what was stored: its checksum differs")
    content: T = from_bytes(data, kind_of(large.preview))
    return content


def _read_object(context: Context, stored: Stored) -> Program[bytes]:
    assert stored.path is not None
    objects = _objects(context, stored)
    found: bytes | None = yield objects.get(stored.path)
    if found is None:
        raise _missing(stored, f"is not at {stored.path} in {objects.address}")
    return found


def _read_parts(context: Context, stored: Stored) -> Program[bytes]:
    keys = list(part_keys(context.table, stored))
    missing = len(keys)
    # Parts never change, so all of them are right, however they were read; a gap may be lag.
    for consistent in (False, True):
        items = yield from get_items(context, keys, consistent=consistent)
        parts = [bytes(item[DATA]["B"]) for item in items if item is not None]
        missing = len(keys) - len(parts)
        if not missing:
            return b"".join(parts)
    raise _missing(stored, f"lacks {missing} of its {len(keys)} parts")


def delete_contents(context: Context, pointers: Iterable[Stored]) -> Program[None]:
    """Delete content that no item points at; what cannot be deleted now is left to a sweep."""
    for stored in pointers:
        with suppress(StoreError, ServiceError, Unreachable):
            if stored.path is not None:
                yield _objects(context, stored).delete(stored.path)
            else:
                keys = part_keys(context.table, stored)
                yield from write_items(context, [{"DeleteRequest": {"Key": key}} for key in keys])


def part_keys(table: Table, stored: Stored) -> Iterator[Item]:
    """Give the keys of all parts of some content."""
    for number in range(1, (stored.parts or 0) + 1):
        mark = table.delimiter.join(("PART", stored.id, f"{number:05}"))
        yield side_key(table, stored.owner[0], mark)


def part_id(table: Table, item: Item) -> str | None:
    """Give the id of the content that an item is a part of, if it is one."""
    if item.get(table.type_attribute) != {"S": TYPE} or DATA not in item:
        return None
    mark = re.escape(table.delimiter).join(("PART", "([0-9a-f]{32})", r"\d{5,}$"))
    found = re.search(mark, item[table.sk or table.pk]["S"])
    return found[1] if found else None


def _objects(context: Context, stored: Stored) -> Objects:
    """Give the object store; a confined store may touch what belongs to its own items alone."""
    if context.objects is None:
        raise UsageError(
            f"{stored.field} is kept in an object store, and this store has none: "
            'connect(…, objects="./files")'
        )
    if context.guard is not None:
        owner = zip(context.table.primary.attributes, stored.owner, strict=True)
        context.guard.check("GetItem", {"Key": {name: {"S": text} for name, text in owner}})
    return context.objects


def _missing(stored: Stored, how: str) -> LargeMissing:
    return LargeMissing(f"{_named(stored)} {how}: if it was replaced since, read the item again")


def _named(stored: Stored) -> str:
    return f"The content of {stored.field} of the item {' / '.join(stored.owner)}"
