"""GetRecords: what changed, from a shard iterator on."""

from __future__ import annotations

from singletable.engine.database import Database
from singletable.engine.descriptions import moment
from singletable.engine.iterators import ShardIterator
from singletable.engine.shapes import members as m
from singletable.engine.shards import (
    Record,
    Shard,
    end_of,
    find_shard,
    find_stream,
    read_records,
    sequence_number,
)
from singletable.errors import invalid

from .registry import Answer, Request, operation

LIMIT_MAX = 1000


@operation(
    "GetRecords",
    "DynamoDBStreams",
    ShardIterator=m.SHARD_ITERATOR.required,
    Limit=m.POSITIVE,
)
def get_records(db: Database, request: Request) -> Answer:
    """Read records; the answer has no next iterator when a closed shard was read to its end."""
    limit = request.get("Limit", LIMIT_MAX)
    if limit > LIMIT_MAX:
        raise invalid(f"Limit should be less than or equal to {LIMIT_MAX}")
    now = db.clock()
    iterator = ShardIterator.parse(request["ShardIterator"], now)
    with db.storage.read() as tx:
        stream = find_stream(tx, iterator.stream_arn, now)
        shard = find_shard(tx, stream, iterator.shard, now)
        records = list(read_records(tx, shard, iterator.position, limit, now))
        end = end_of(tx, shard)
    position = (records[-1].number if records else end) + 1
    answer: Answer = {"Records": [_record(db, stream.view, shard, each) for each in records]}
    if shard.closed is None or position <= end:
        following = ShardIterator(iterator.stream_arn, shard.name, position, now)
        answer["NextShardIterator"] = str(following)
    return answer


def _record(db: Database, view: str, shard: Shard, record: Record) -> Answer:
    change: Answer = {
        "ApproximateCreationDateTime": moment(int(record.at)),
        "Keys": db.decode(record.keys),
    }
    if record.new is not None:
        change["NewImage"] = db.decode(record.new)
    if record.old is not None:
        change["OldImage"] = db.decode(record.old)
    change["SequenceNumber"] = sequence_number(record.number)
    change["SizeBytes"] = record.size
    change["StreamViewType"] = view
    answer: Answer = {
        "eventID": f"{shard.id:016x}{record.number:016x}",
        "eventName": record.event,
        "eventVersion": "1.1",
        "eventSource": "aws:dynamodb",
        "awsRegion": db.region,
        "dynamodb": change,
    }
    if record.principal is not None:
        answer["userIdentity"] = {"PrincipalId": record.principal, "Type": record.identity}
    return answer
