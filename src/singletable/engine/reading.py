"""Pages of items: what Query and Scan share.

A page is a run over a range of key bytes, of the table or of an index, that ends at the limit, at
1 MB read, or at the end of the range. What a local index lacks is fetched from the table, where
each item counts by whole units of 4 KB. Items that no filter or projection touches are handed on as
the bytes they are stored as.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from singletable.expressions import BoundCondition, Projection
from singletable.values import Item, loads, normalize_item

from .capacity import READ_UNIT_BYTES, Consumed, read_units
from .connections import Connection, Cursor
from .database import Database
from .needles import needles_of
from .ranges import Range
from .schema import Index, Table

PAGE_BYTES_MAX = 1024 * 1024
START_INVALID = "The provided starting key is invalid"


@dataclass(frozen=True, kw_only=True)
class PageRequest:
    """What to read, in which order, how much, and what of it to answer."""

    table: Table
    index: Index | None
    range: Range
    start: bytes | None = None
    forward: bool = True
    limit: int | None = None
    room: int = PAGE_BYTES_MAX
    """How many bytes of items to read; the item in which they end is read whole."""
    filter: BoundCondition | None = None
    projection: Projection | None = None
    whole_items: bool = False
    """Fetch attributes from the table that a local index does not have."""
    count_only: bool = False
    consistent: bool = False


@dataclass
class Page:
    """What was read: the items to answer, and the count and size of all that were looked at."""

    items: list[Any] = field(default_factory=list)
    count: int = 0
    scanned: int = 0
    size: int = 0
    fetched_units: float = 0.0
    last: Item | None = None
    room: int = PAGE_BYTES_MAX
    """How many bytes more there may be."""

    def consumed(self, request: PageRequest, name: str) -> Consumed:
        """Give the capacity that reading the page took."""
        consumed, key = Consumed(request.table, name, "Read"), request.range.lower
        consumed.add(key, read_units(self.size, consistent=request.consistent), request.index)
        if self.fetched_units:
            consumed.add(key, self.fetched_units)
        return consumed


def read_page(db: Database, request: PageRequest) -> Page:
    """Read one page."""
    answered, limit, room = _answering(db, request), request.limit, request.room
    scanned = total = spent = 0
    fetched = 0.0
    answers = []
    last = None
    with db.storage.read() as tx:
        for size, row_size, data in _rows(tx, request):
            scanned += 1
            total += size
            spent = total
            if request.whole_items:
                fetched += read_units(row_size, consistent=True)
                spent = int(read_units(total, consistent=True) + fetched) * READ_UNIT_BYTES
            answer = answered(data)
            if answer is not None:
                answers.append(answer)
            if scanned == limit or spent >= room:
                last = _last_key(request, loads(data))
                break
    items = [] if request.count_only else answers
    units = fetched if request.consistent else fetched / 2
    return Page(items, len(answers), scanned, total, units, last, room - spent)


def _rows(tx: Connection, request: PageRequest) -> Cursor:
    """Give the rows in order: what the index has of them in bytes, what the table has, the item."""
    table, index = request.table, request.index
    lower, upper = request.range.lower, request.range.upper
    lower_sign, upper_sign = ">=", "<"
    if request.start is not None and request.forward:
        lower, lower_sign = request.start, ">"
    elif request.start is not None:
        upper = request.start
    source, key = table.rows, "key"
    columns = "size, size, item"
    if index:
        source = f"{index.tree} AS entry JOIN {table.rows} AS item ON item.id = entry.row"
        columns, key = "entry.size, item.size, item.item", "entry.key"
    order = "ASC" if request.forward else "DESC"
    return tx.execute(
        f"SELECT {columns} FROM {source} WHERE {key} {lower_sign} ? AND {key} {upper_sign} ?"
        f" ORDER BY {key} {order} LIMIT ?",
        (lower, upper, request.limit or -1),
    )


def _answering(db: Database, request: PageRequest) -> Callable[[bytes], Any]:
    """Make the function that gives what the answer has of a stored item; None: nothing."""
    index, condition, projection = request.index, request.filter, request.projection
    narrow = index is not None and index.projected is not None and not request.whole_items
    if request.count_only and not condition:
        return bool
    if not (condition or narrow or projection):
        return db.decode

    needles = needles_of(condition) if condition else ()

    def answered(data: bytes) -> Item | None:
        if needles and not any(map(data.__contains__, needles)):
            return None
        item = loads(data)
        if index and narrow:
            item = index.project(item)
        if condition and not condition.evaluate(item):
            return None
        return projection.apply(item) if projection else item

    return answered


def _last_key(request: PageRequest, item: Item) -> Item:
    names = dict.fromkeys(request.table.schema.names)
    if request.index:
        names.update(dict.fromkeys(request.index.schema.names))
    return {name: item[name] for name in names}


def read_start_key(table: Table, index: Index | None, key: Item) -> bytes | None:
    """Give the row key that an ExclusiveStartKey stands for, or None where it is no key here."""
    normal = normalize_item(key)
    attributes = dict(table.schema.attributes)
    if index:
        attributes.update(index.schema.attributes)
    if normal.keys() != attributes.keys():
        return None
    if any(not normal[name].get(kind) for name, kind in attributes.items()):
        return None
    row_key = table.schema.encode(normal)
    return index.schema.encode(normal) + row_key if index else row_key
