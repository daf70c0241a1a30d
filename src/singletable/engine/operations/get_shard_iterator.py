"""GetShardIterator: a place in a shard to read from."""

from __future__ import annotations

from singletable.engine import shards
from singletable.engine.connections import Connection
from singletable.engine.database import Database
from singletable.engine.iterators import ShardIterator
from singletable.engine.shapes import members as m
from singletable.engine.shapes import tables as t
from singletable.engine.shards import Shard
from singletable.errors import ValidationException, invalid

from .registry import Answer, Request, operation

_BY_NUMBER = ("AT_SEQUENCE_NUMBER", "AFTER_SEQUENCE_NUMBER")


@operation(
    "GetShardIterator",
    "DynamoDBStreams",
    StreamArn=m.STREAM_ARN.required,
    ShardId=m.SHARD_ID.required,
    ShardIteratorType=m.SHARD_ITERATOR_TYPE.required,
    SequenceNumber=m.SEQUENCE_NUMBER,
    Timestamp=t.TIMESTAMP,
)
def get_shard_iterator(db: Database, request: Request) -> Answer:
    """Give an iterator at an end of a shard, at a record or after it, or at a moment."""
    now = db.clock()
    _check(request, now)
    with db.storage.read() as tx:
        stream = shards.find_stream(tx, request["StreamArn"], now)
        shard = shards.find_shard(tx, stream, request["ShardId"], now)
        position = _position(tx, shard, request, now)
        shards.check_not_trimmed(tx, shard, position, now)
    return {"ShardIterator": str(ShardIterator(request["StreamArn"], shard.name, position, now))}


def _check(request: Request, now: float) -> None:
    """Refuse members that do not go with the type of the iterator."""
    kind = request["ShardIteratorType"]
    if kind in _BY_NUMBER:
        if "SequenceNumber" not in request:
            raise invalid("Invalid SequenceNumber")
    elif "SequenceNumber" in request:
        raise invalid("SequenceNumber should not be passed for this iterator type")
    if kind == "AT_TIMESTAMP":
        if request.get("Timestamp", now + 1) > now:
            raise invalid("Invalid Timestamp")
    elif "Timestamp" in request:
        raise invalid("Timestamp should not be passed for this iterator type")


def _position(tx: Connection, shard: Shard, request: Request, now: float) -> int:
    """Give the number from which the iterator reads on."""
    kind = request["ShardIteratorType"]
    if kind == "TRIM_HORIZON":
        return shards.HORIZON
    if kind == "AT_TIMESTAMP":
        return shards.position_at(tx, shard, request["Timestamp"], now)
    end = shards.end_of(tx, shard)
    if kind == "LATEST":
        return end + 1
    number = shards.parse_sequence_number(request["SequenceNumber"])
    if number is None:
        raise invalid("Invalid SequenceNumber")
    if not shard.id <= number <= end:
        raise ValidationException("Invalid SequenceNumber for the shard")
    return number + 1 if kind == "AFTER_SEQUENCE_NUMBER" else number
