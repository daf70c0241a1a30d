"""The sweep: finds content that no item points at, as a process that was stopped leaves it.

Items that DynamoDB deletes by itself when their time is over leave their content behind, too.
It reads the whole table, and believes every pointer that it finds there, also in items that the
design no longer knows. What is young is left alone: its writer may be about to point at it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from singletable.model.codec import text_of_datetime
from singletable.model.large import id_in
from singletable.store.batches import write_items
from singletable.store.context import Context
from singletable.store.steps import Program
from singletable.values import Item

from .contents import CREATED, DATA, part_id
from .objects import Found

GRACE = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Swept:
    """Tells what a sweep found: items read, and orphans, which are deleted unless it was dry."""

    items: int
    parts: int
    objects: int
    size_bytes: int
    young: int
    """Parts and objects that no item points at, but that are too young to be orphans."""


@dataclass(slots=True)
class _Seen:
    items: int = 0
    pointed_at: set[str] = field(default_factory=set)
    parts: list[_Part] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Part:
    id: str
    key: Item
    created: str
    size_bytes: int


def sweep(
    context: Context, older_than: timedelta = GRACE, *, dry_run: bool = False
) -> Program[Swept]:
    """Delete the content that no item points at and that is older than the time a write takes."""
    # Objects first: of one that is listed, the pointer is written before the scan or soon after.
    listed = yield from _listed(context)
    seen = yield from _scanned(context)
    before = context.clock() - older_than
    loose = [part for part in seen.parts if part.id not in seen.pointed_at]
    parts = [part for part in loose if part.created <= text_of_datetime(before)]
    adrift = [one for one in listed if _id_of(one) not in seen.pointed_at]
    objects = [one for one in adrift if one.modified <= before]
    if not dry_run:
        yield from _deleted(context, parts, objects)
    return Swept(
        items=seen.items,
        parts=len(parts),
        objects=len(objects),
        size_bytes=sum(part.size_bytes for part in parts) + sum(one.size_bytes for one in objects),
        young=len(loose) + len(adrift) - len(parts) - len(objects),
    )


def _listed(context: Context) -> Program[list[Found]]:
    if context.objects is None:
        return []
    listed: list[Found] = yield context.objects.list(f"{context.table_name}/")
    return listed


def _id_of(found: Found) -> str:
    return found.path.rpartition("/")[2]


def _scanned(context: Context) -> Program[_Seen]:
    """Read every item, strongly: what is deleted must not hang on what a replica had missed."""
    seen = _Seen()
    request: dict[str, Any] = {"TableName": context.table_name, "ConsistentRead": True}
    while True:
        answer = yield from context.send("Scan", request)
        for item in answer["Items"]:
            _note(context, item, seen)
        last = answer.get("LastEvaluatedKey")
        if last is None:
            return seen
        request = {**request, "ExclusiveStartKey": last}


def _note(context: Context, item: Item, seen: _Seen) -> None:
    seen.items += 1
    table = context.table
    part = part_id(table, item)
    if part is None:
        seen.pointed_at.update(id_ for id_ in map(id_in, item.values()) if id_ is not None)
        return
    key = {name: item[name] for name in table.primary.attributes}
    seen.parts.append(_Part(part, key, item[CREATED]["S"], len(item[DATA]["B"])))


def _deleted(context: Context, parts: list[_Part], objects: list[Found]) -> Program[None]:
    yield from write_items(context, [{"DeleteRequest": {"Key": part.key}} for part in parts])
    for one in objects:
        assert context.objects is not None
        yield context.objects.delete(one.path)
