"""The shards of a table's streams, and how one is read from a position on.

A stream is cut into shards, which have parents: all of a parent comes before any of its children.
A table has another stream if its stream was turned off and on again: the older comes first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from singletable.errors import (
    DesignError,
    ExpiredIteratorException,
    ResourceNotFoundException,
    StoreError,
    TrimmedDataAccessException,
)
from singletable.store.store import Store

from .records import Record, from_stream

LIMIT_MAX = 1000
EMPTY_READS = 4
"""After how many reads without a record there are none: AWS gives some such in between."""

Send = Callable[[str, dict[str, Any]], dict[str, Any]]
"""Sends one request: a store's method."""


class RecordsLost(StoreError):
    """Records which were not read yet are gone, as they were older than 24 hours."""

    @classmethod
    def of(cls, shard: str) -> RecordsLost:
        """Name the shard, and what to do."""
        return cls(
            f"Records of the shard {shard} are gone, or may be: a stream keeps them for 24 hours, "
            "and nobody read them in time. Rebuild what the stream keeps "
            "(singletable streams verify --repair), then go on: Worker(…, gaps='accept')"
        )


@dataclass(frozen=True, slots=True)
class Shard:
    """A shard of one of a table's streams."""

    stream_arn: str
    id: str
    parent_id: str | None = None

    @property
    def label(self) -> str:
        """Tell the stream: when it was turned on."""
        return _label(self.stream_arn)

    @property
    def name(self) -> str:
        """Tell the shard from all others of the table; names sort by age of the stream."""
        return f"{self.label}/{self.id}"

    @property
    def parent(self) -> str | None:
        """Name the shard that has to be read before this one."""
        return f"{self.label}/{self.parent_id}" if self.parent_id else None


def _label(arn: str) -> str:
    return arn.rpartition("/")[2]


def find_shards(store: Store) -> list[Shard]:
    """List the shards of a table's streams, oldest stream first; a table without one is refused."""
    arns = sorted(_streams(store.send, store.table_name), key=_label)
    if not arns:
        raise DesignError(
            f"The table {store.table_name!r} has no stream: declare "
            "Table(…, stream='NEW_AND_OLD_IMAGES'), and turn it on with UpdateTable where the "
            "table is there already; where it has one, look at the address and at the table's name"
        )
    return [shard for arn in arns for shard in shards_of(store.send, arn)]


def _streams(send: Send, table_name: str) -> Iterator[str]:
    request: dict[str, Any] = {"TableName": table_name}
    while True:
        answer = send("ListStreams", request)
        yield from (stream["StreamArn"] for stream in answer["Streams"])
        last = answer.get("LastEvaluatedStreamArn")
        if last is None:
            return
        request = {**request, "ExclusiveStartStreamArn": last}


def shards_of(send: Send, arn: str) -> Iterator[Shard]:
    """List the shards of one stream; one that is past has none."""
    request: dict[str, Any] = {"StreamArn": arn}
    while True:
        try:
            described = send("DescribeStream", request)["StreamDescription"]
        except ResourceNotFoundException:  # it was past meanwhile
            return
        for shard in described.get("Shards", ()):
            yield Shard(arn, shard["ShardId"], shard.get("ParentShardId"))
        last = described.get("LastEvaluatedShardId")
        if last is None:
            return
        request = {**request, "ExclusiveStartShardId": last}


@dataclass(slots=True)
class ShardReader:
    """Reads a shard, read by read, from after a position, or from its oldest record."""

    send: Send
    shard: Shard
    sequence_number: str | None = None
    """That of the last record which was read."""
    is_finished: bool = False
    """Whether the shard is closed and was read to its end."""
    _iterator: str | None = field(default=None, init=False)

    def read(self, limit: int = LIMIT_MAX) -> list[Record]:
        """Read the next records, if there are any; raises ``RecordsLost`` where some are gone."""
        answer = self._answer(limit)
        records = [from_stream(record) for record in answer["Records"]]
        if records:
            self.sequence_number = records[-1].sequence_number
        self._iterator = answer.get("NextShardIterator")
        self.is_finished = self._iterator is None
        return records

    def _answer(self, limit: int) -> dict[str, Any]:
        try:
            try:
                return self._records(limit)
            except ExpiredIteratorException:
                self._iterator = None
                return self._records(limit)
        except (TrimmedDataAccessException, ResourceNotFoundException) as error:
            raise RecordsLost.of(self.shard.name) from error

    def _records(self, limit: int) -> dict[str, Any]:
        if self._iterator is None:
            self._iterator = self._begun()
        return self.send("GetRecords", {"ShardIterator": self._iterator, "Limit": limit})

    def _begun(self) -> str:
        where: dict[str, str] = {"ShardIteratorType": "TRIM_HORIZON"}
        if self.sequence_number is not None:
            where = {
                "ShardIteratorType": "AFTER_SEQUENCE_NUMBER",
                "SequenceNumber": self.sequence_number,
            }
        request = {"StreamArn": self.shard.stream_arn, "ShardId": self.shard.id, **where}
        iterator: str = self.send("GetShardIterator", request)["ShardIterator"]
        return iterator
