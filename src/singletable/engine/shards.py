"""Streams as their readers see them: which streams and shards there are, and the records in them.

What is older than the retention does not exist for a reader, whether it was removed or not.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from singletable.errors import ResourceNotFoundException, TrimmedDataAccessException

from .arns import parse
from .connections import Connection
from .streams import RETENTION_SECONDS

HORIZON = 0
"""The position of the oldest record that is there at the time of reading, whichever it is."""

RECORDS_BYTES_MAX = 1024 * 1024

# So that a sequence number has its 21 digits even for those who read it as a number.
_NUMBER_BASE = 10**20


class Stream(NamedTuple):
    """A stream, open or closed."""

    table_name: str
    label: str
    view: str
    key_schema: bytes
    opened: float
    closed: float | None


class Shard(NamedTuple):
    """A shard; its records have numbers above ``id`` and, once it is closed, up to ``last``."""

    id: int
    name: str
    parent: str | None
    last: int | None
    trimmed: int
    closed: float | None


class Record(NamedTuple):
    """The record of a change; keys and images are in the stored form of items."""

    number: int
    at: float
    event: str
    size: int
    identity: str | None
    principal: str | None
    keys: bytes
    old: bytes | None
    new: bytes | None


_STREAM = f"SELECT {', '.join(Stream._fields)} FROM streams"
_SHARD = f"SELECT {', '.join(Shard._fields)} FROM shards"
_RECORD = f"SELECT {', '.join(Record._fields)} FROM records"
_KEPT = "(closed IS NULL OR closed > ?)"


def sequence_number(number: int) -> str:
    """Write a number of the log as the API does."""
    return str(_NUMBER_BASE + number)


def parse_sequence_number(text: str) -> int | None:
    """Read a sequence number; None for what cannot be one."""
    return int(text) - _NUMBER_BASE if text.isascii() and text.isdigit() else None


def parse_arn(arn: str) -> tuple[str, str] | None:
    """Give the table's name and the label in the ARN of a stream."""
    found = parse(arn)
    return (found.table, found.name) if found and found.kind == "stream" and found.name else None


def list_streams(
    tx: Connection, now: float, table_name: str | None, start: tuple[str, str], limit: int
) -> list[Stream]:
    """List streams, of one table or all, that come after the name and label of ``start``."""
    found = tx.execute(
        f"{_STREAM} WHERE {_KEPT} AND table_name = coalesce(?, table_name)"
        " AND (table_name, label) > (?, ?) ORDER BY table_name, label LIMIT ?",
        (now - RETENTION_SECONDS, table_name, *start, limit),
    )
    return [Stream(*row) for row in found]


def find_stream(tx: Connection, arn: str, now: float) -> Stream:
    """Find a stream by its ARN."""
    names = parse_arn(arn)
    if names:
        row = tx.execute(
            f"{_STREAM} WHERE table_name = ? AND label = ? AND {_KEPT}",
            (*names, now - RETENTION_SECONDS),
        ).fetchone()
        if row:
            return Stream(*row)
    raise ResourceNotFoundException(f"Requested resource not found: Stream: {arn} not found")


def list_shards(tx: Connection, stream: Stream, now: float) -> list[Shard]:
    """List the shards of a stream, oldest first."""
    found = tx.execute(
        f"{_SHARD} WHERE table_name = ? AND label = ? AND {_KEPT} ORDER BY id",
        (stream.table_name, stream.label, now - RETENTION_SECONDS),
    )
    return [Shard(*row) for row in found]


def find_shard(tx: Connection, stream: Stream, name: str, now: float) -> Shard:
    """Find a shard of a stream by its ShardId."""
    for shard in list_shards(tx, stream, now):
        if shard.name == name:
            return shard
    raise ResourceNotFoundException("Requested resource not found: Shard does not exist")


def end_of(tx: Connection, shard: Shard) -> int:
    """Give the number of the last record that a shard has, or had."""
    if shard.last is not None:
        return shard.last
    (last,) = tx.execute("SELECT max(number) FROM records WHERE shard = ?", (shard.id,)).fetchone()
    return max(shard.id, shard.trimmed, last or 0)


def position_at(tx: Connection, shard: Shard, moment: float, now: float) -> int:
    """Give the position of the first record that was written at a moment or after it."""
    if moment <= now - RETENTION_SECONDS:
        return HORIZON
    row = tx.execute(
        "SELECT number FROM records WHERE shard = ? AND at >= ? ORDER BY number LIMIT 1",
        (shard.id, moment),
    ).fetchone()
    return int(row[0]) if row else end_of(tx, shard) + 1


def check_not_trimmed(tx: Connection, shard: Shard, position: int, now: float) -> None:
    """Raise if the records from a position on begin with one that is past."""
    if position == HORIZON:
        return
    first = tx.execute(
        "SELECT at FROM records WHERE shard = ? AND number >= ? ORDER BY number LIMIT 1",
        (shard.id, position),
    ).fetchone()
    if position <= shard.trimmed or (first and first[0] <= now - RETENTION_SECONDS):
        raise TrimmedDataAccessException("The data you are trying to access has been trimmed")


def read_records(
    tx: Connection, shard: Shard, position: int, limit: int, now: float
) -> Iterator[Record]:
    """Give the records from a position on, up to a number of them and to 1 MB."""
    check_not_trimmed(tx, shard, position, now)
    size = 0
    found = tx.execute(
        f"{_RECORD} WHERE shard = ? AND number >= ? AND at > ? ORDER BY number LIMIT ?",
        (shard.id, position, now - RETENTION_SECONDS, limit),
    )
    for row in found:
        record = Record(*row)
        size += record.size
        if size > RECORDS_BYTES_MAX and size > record.size:
            return
        yield record
