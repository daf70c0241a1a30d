"""The kinds of a DynamoDB source and their rows.

Rows are read by parallel scans, whose order is the hash of the partition key.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any
from urllib.parse import quote

from singletable.backends.address import as_backend
from singletable.errors import UsageError
from singletable.migrate.sources.errors import SourceUnusable
from singletable.migrate.sources.showing import shown, without_passwords
from singletable.migrate.sources.source import (
    Broken,
    Changed,
    Id,
    Kind,
    Parents,
    Related,
    Row,
    Span,
)
from singletable.model.fields import now
from singletable.store.retries import Retries
from singletable.values import AttributeValue, Item

from .following import Follower, TableRecord, lag_of
from .ids import id_value, key_value
from .kinds import UNTYPED, Part, data_of, holder_of, item_of, scanned, type_of
from .lately import Lately
from .tables import SourceTable, table_names

SCHEME = "dynamodb:"
SEGMENTS_MAX = 1_000_000
NO_FILES = (":memory:", "aws:", "http://", "https://")


class DynamoSource:
    """Reads tables, all or those named; of one with a ``type_attribute``, each type as a kind.

    It can be written to, and is followed by the streams of its tables. Of types that are not
    named, it finds out by a scan of the table. With ``related``, the column of the other kind holds
    the partition key of the row, and is the partition key there or of an index; an index with a
    sort key does not have the items without one. An id may be without its sort key where only one
    row of the kind has the partition key.
    """

    def __init__(
        self,
        where: Any,
        tables: Iterable[str] | None = None,
        *,
        table: str | None = None,
        type_attribute: str | None = None,
        types: Iterable[str] | None = None,
        retries: Retries | None = None,
        clock: Callable[[], datetime] = now,
    ) -> None:
        of_one = table is not None and type_attribute is not None and tables is None
        if not of_one and (table, type_attribute, types) != (None, None, None):
            raise UsageError(
                "Kinds are tables, DynamoSource(…, tables=[…]), or the types in one of them, "
                'DynamoSource(…, table="app", type_attribute="Type")'
            )
        _check_file(where)
        self._where = where
        self._names = [table] if table else None if tables is None else list(tables)
        self._attribute = type_attribute
        self._types = None if types is None else list(types)
        self._retries = retries or Retries()
        with without_passwords(where):
            self._backend = as_backend(where)
        self._follower = Follower(self._streamed, clock)
        self._lately = Lately()

    def __repr__(self) -> str:
        return f"DynamoSource({shown(self._where)}, {', '.join(self._names or ['all tables'])})"

    @property
    def address(self) -> str:
        """Tell how to open the same source in another process; nothing where that cannot be."""
        if not isinstance(self._where, str | PathLike):
            return ""
        options = {"tables": self._names, "types": self._types}
        if self._attribute:
            options |= {"tables": None, "table": self._names, "type_attribute": [self._attribute]}
        texts = [f"{name}={','.join(map(_quoted, of))}" for name, of in options.items() if of]
        return f"{SCHEME}{self._where}{'?' if texts else ''}{'&'.join(texts)}"

    def kinds(self) -> Mapping[str, Kind]:
        """Name the tables, or the types of the one table."""
        if self._attribute:
            key = self._typed_table.key
            names = self._counted if self._types is None else self._types
            return {name: Kind(name, key, ()) for name in names}
        return {name: Kind(name, table.key, ()) for name, table in self._tables.items()}

    def count(self, kind: str) -> int:
        """Count items: of a type by a scan, of a table as it is described.

        In AWS that number is up to six hours old.
        """
        if self._attribute:
            return self._counted[kind]
        table = self._part(kind).table
        described: int = table.send("DescribeTable", {})["Table"].get("ItemCount", 0)
        # A table that is said to be empty may have been filled since: what a page has, it has.
        return described or int(table.send("Scan", {"Select": "COUNT"})["Count"])

    def split(self, kind: str, parts: int) -> list[Span]:
        """Divide a scan into segments."""
        self._part(kind)
        total = max(1, min(parts, SEGMENTS_MAX))
        return [Span(upto=(segment, total)) for segment in range(total)]

    def read(
        self, kind: str, span: Span, limit: int, related: Related | None = None
    ) -> tuple[list[Row], Span | None]:
        """Read the first items of a segment; ``span.after`` is the id of the last one before."""
        part = self._part(kind)
        segment, total = span.upto or (0, 1)
        request: dict[str, Any] = {"Segment": segment, "TotalSegments": total, **part.filter}
        if span.after:
            request["ExclusiveStartKey"] = part.table.key_of(span.after)
        items, last = scanned(part.table, request, limit)
        rest = None if last is None else Span(part.table.id_of(last), (segment, total))
        return self._rows(part, items, related), rest

    def fetch(
        self, kind: str, ids: Sequence[Id], related: Related | None = None
    ) -> list[Row | None]:
        """Read items by their ids; one that is of another type now is not there."""
        part = self._part(kind)
        whole = [self._whole(part, tuple(one)) for one in ids]
        items = part.table.get([one for one in whole if one])
        found = {part.table.id_of(item): item for item in items if item and part.has(item)}
        rows = {row.id: row for row in self._rows(part, list(found.values()), related)}
        return [rows.get(part.own_form(one)) if one else None for one in whole]

    def read_orphans(
        self, kind: str, parents: Parents, span: Span, limit: int
    ) -> tuple[list[Row | Broken], Span | None]:
        """Read the first items of a segment, and keep those that no parent has, or can find."""
        rows, rest = self.read(kind, span, limit)
        return [self._unfound(row, parents) or row for row in self._orphans(rows, parents)], rest

    def fetch_orphans(self, kind: str, parents: Parents, ids: Sequence[Id]) -> list[Row | None]:
        """Read items by their ids; None for one that is not there, or that a parent has."""
        rows = self.fetch(kind, ids)
        orphans = {row.id for row in self._orphans([row for row in rows if row], parents)}
        return [row if row and row.id in orphans else None for row in rows]

    def put(self, kind: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Write items in the place of those with their keys."""
        part = self._part(kind)
        typed = {part.attribute: kind} if part.attribute and kind != UNTYPED else {}
        part.table.put([item_of({**typed, **row}) for row in rows])

    def delete(self, kind: str, ids: Sequence[Id]) -> None:
        """Delete items; those that are not there are no error."""
        part = self._part(kind)
        part.table.delete([tuple(one) for one in ids])

    def begin(self, kinds: Collection[str] | None = None) -> str:
        """Have changes noted: turn on the streams of the source's tables where they are off.

        Another object gives a later position for a stream that was on before: keep the first.
        Where indexes lag it waits, until what was written before is found by them.
        """
        position = self._follower.begin()
        if any(table.indexes for table in self._streamed()):
            time.sleep(self.lag_s)
        return position

    @property
    def lag_s(self) -> float:
        """Tell how long after a change it may be told."""
        return lag_of(self._backend)

    def changes(self, position: str, limit: int) -> tuple[list[Changed], str]:
        """Give changes after a position, and the position after them.

        Keep that even when there are no changes: one that is 24 hours old is refused. Where types
        are named, changes of others are passed over, until there are none from before it began.
        """
        began = self._follower.clock()
        while True:
            told, position = self._follower.read(position, limit)
            for one in told:
                if one.record.new is not None:
                    self._lately.note(one.table, one.record.new)
            changes = [changed for one in told for changed in self._changed(one)]
            is_later = len(told) < limit and all(one.record.at >= began for one in told)
            if changes or is_later:
                return changes, position

    def backlog(self, position: str) -> int:
        """Count the changes after a position by reading them, up to ten thousand."""
        reader = Follower(self._streamed, self._follower.clock)
        return reader.count(position, lambda told: bool(self._changed(told)))

    def end(self, position: str | None = None) -> None:
        """Turn off the streams that ``begin`` turned on.

        Which those are is in every position; give one where this object has neither begun nor
        read changes.
        """
        self._follower.end(position)

    def close(self) -> None:
        """Close what the address opened."""
        self._backend.close()

    @cached_property
    def _tables(self) -> dict[str, SourceTable]:
        names = table_names(self._backend, self._retries) if self._names is None else self._names
        return {name: SourceTable.find(self._backend, name, self._retries) for name in names}

    @property
    def _typed_table(self) -> SourceTable:
        (table,) = self._tables.values()
        return table

    @cached_property
    def _counted(self) -> Counter[str]:
        """Count the items of each type; reads the whole table once."""
        assert self._attribute is not None
        counter: Counter[str] = Counter()
        names = {"#type": self._attribute}
        request = {"ProjectionExpression": "#type", "ExpressionAttributeNames": names}
        last: Item | None = {}
        while last is not None:
            start = {"ExclusiveStartKey": last} if last else {}
            page = self._typed_table.send("Scan", {**request, **start})
            counter.update(type_of(item, self._attribute) for item in page["Items"])
            last = page.get("LastEvaluatedKey")
        return counter

    def _streamed(self) -> Iterable[SourceTable]:
        return self._tables.values()

    def _part(self, kind: str) -> Part:
        if self._attribute:
            return Part(kind, self._typed_table, self._attribute)
        if kind not in self._tables:
            known = ", ".join(self._tables) or "none"
            raise UsageError(f"{self!r} has no table {kind!r}; it has {known}")
        return Part(kind, self._tables[kind])

    def _rows(self, part: Part, items: Sequence[Item], related: Related | None) -> list[Row]:
        """Make rows of items, each with those of other kinds that belong to it."""
        others: dict[str, list[list[Row]]] = {}
        for kind, column in (related or {}).items():
            other = self._part(kind)
            wanted = other.table.types.get(column, "S")
            values = [
                key_value(part.table.id_of(item)[0], wanted, f"{kind}.{column}") for item in items
            ]
            found = other.table.matching(column, values, self._lately.keys)
            others[kind] = [[other.row(one) for one in of if other.has(one)] for of in found]
        return [
            part.row(item, {kind: of[place] for kind, of in others.items()})
            for place, item in enumerate(items)
        ]

    def _orphans(self, rows: Sequence[Row], parents: Parents) -> list[Row]:
        """Give those of some rows that belong to none of their parents."""
        left = list(rows)
        for kind, column in parents.items():
            parent = self._part(kind)
            holders = {
                row.id: holder_of(row, column, parent)
                for row in left
                if not self._part(row.kind).table.left_out(column, row.keys())
            }
            wanted = {id_value(one): one for one in holders.values() if one is not None}
            there = parent.table.has_any(list(wanted.values()), parent.filter)
            found = {name for name, is_there in zip(wanted, there, strict=True) if is_there}
            left = [row for row in left if not _is_held(holders.get(row.id), found)]
        return left

    def _unfound(self, row: Row, parents: Parents) -> Broken | None:
        """Say of a row that an index does not have it, by which its parent would find it."""
        for parent, column in parents.items():
            sort = self._part(row.kind).table.left_out(column, row.keys())
            if sort and row.get(column) is not None:
                reason = (
                    f"{parent}/{row[column]} cannot find it by {column}: it has no {sort!r}, the "
                    "sort key of that index"
                )
                return Broken(row.kind, row.id, str(dict(row.data)), reason)
        return None

    def _whole(self, part: Part, one: Id) -> Id | None:
        """Give an id with its sort key, which is looked for where it is not given."""
        table = part.table
        if len(one) == len(table.key):
            return one
        value = key_value(one[0], table.types[table.key[0]], table.key[0])
        (items,) = table.matching(table.key[0], [value])
        found = [table.id_of(item) for item in items if part.has(item)]
        if len(found) > 1:
            raise UsageError(
                f"{len(found)} rows of {part.kind!r} have the partition key {one[0]!r}: "
                f"give {' and '.join(table.key)} of the one that is meant"
            )
        return found[0] if found else None

    def _changed(self, told: TableRecord) -> list[Changed]:
        """Say whose change a record tells: an item may have been of one type and be of another.

        Nobody's, where it is of types that were not asked for.
        """
        record, table = told.record, told.table
        one, old = table.id_of(record.keys), record.old
        data = None if old is None else data_of(old)
        if self._attribute is None:
            return [Changed(table.name, one, data)]
        before = None if old is None else type_of(old, self._attribute)
        after = None if record.new is None else type_of(record.new, self._attribute)
        told_of = [] if before is None else [Changed(before, one, data)]
        told_of += [] if after in (None, before) else [Changed(after or "", one)]
        return [each for each in told_of if self._types is None or each.kind in self._types]


def _check_file(where: Any) -> None:
    """Refuse a file that is not there, which would be made."""
    if not isinstance(where, str | PathLike) or str(where).startswith(NO_FILES):
        return
    if not Path(where).exists():
        raise SourceUnusable(f"There is no file {str(where)!r} with tables to read")


def _is_held(holder: AttributeValue | None, found: Collection[str | int]) -> bool:
    return holder is not None and id_value(holder) in found


def _quoted(text: str) -> str:
    return quote(text, safe="")
