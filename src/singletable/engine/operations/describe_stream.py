"""DescribeStream: a stream and its shards."""

from __future__ import annotations

import orjson

from singletable.engine.database import Database
from singletable.engine.descriptions import moment
from singletable.engine.shapes import members as m
from singletable.engine.shards import Shard, Stream, find_stream, list_shards, sequence_number
from singletable.errors import ValidationException, invalid

from .registry import Answer, Request, operation

LIMIT_MAX = 100


@operation(
    "DescribeStream",
    "DynamoDBStreams",
    StreamArn=m.STREAM_ARN.required,
    Limit=m.POSITIVE,
    ExclusiveStartShardId=m.SHARD_ID,
    ShardFilter=m.SHARD_FILTER,
)
def describe_stream(db: Database, request: Request) -> Answer:
    """Describe a stream with its shards, page by page, or with the children of one shard."""
    limit = request.get("Limit", LIMIT_MAX)
    _check(request, limit)
    now = db.clock()
    with db.storage.read() as tx:
        stream = find_stream(tx, request["StreamArn"], now)
        shards = _wanted(list_shards(tx, stream, now), request)
    description = _description(db, stream)
    description["Shards"] = [_shard(shard) for shard in shards[:limit]]
    if len(shards) > limit:
        description["LastEvaluatedShardId"] = shards[limit - 1].name
    return {"StreamDescription": description}


def _check(request: Request, limit: int) -> None:
    """Refuse a page that is too long, and what does not go with a filter."""
    if limit > LIMIT_MAX:
        raise invalid(f"Limit cannot be greater than the maximum: {LIMIT_MAX}")
    if "ShardFilter" not in request:
        return
    if "ExclusiveStartShardId" in request:
        raise ValidationException(
            "ShardFilter and ExclusiveStartShardId both should not be specified in the request."
        )
    if "Type" not in request["ShardFilter"]:
        raise ValidationException(
            "1 validation error detected: Value 'null' at 'shardFilter.type' "
            "failed to satisfy constraint: Member must be CHILD_SHARDS"
        )


def _wanted(shards: list[Shard], request: Request) -> list[Shard]:
    """Leave out the shards that the request does not ask for."""
    if "ShardFilter" in request:
        parent = request["ShardFilter"].get("ShardId")
        return [shard for shard in shards if parent is not None and shard.parent == parent]
    # Names begin with the time of opening, in digits of a fixed number: their order is that of age.
    start = request.get("ExclusiveStartShardId", "")
    return [shard for shard in shards if shard.name > start]


def _description(db: Database, stream: Stream) -> Answer:
    return {
        "StreamArn": db.arn_of(stream.table_name, "stream", stream.label),
        "StreamLabel": stream.label,
        "StreamStatus": "ENABLED" if stream.closed is None else "DISABLED",
        "StreamViewType": stream.view,
        "CreationRequestDateTime": moment(stream.opened),
        "TableName": stream.table_name,
        "KeySchema": orjson.loads(stream.key_schema),
    }


def _shard(shard: Shard) -> Answer:
    numbers = {"StartingSequenceNumber": sequence_number(shard.id)}
    if shard.last is not None:
        numbers["EndingSequenceNumber"] = sequence_number(shard.last)
    described: Answer = {"ShardId": shard.name, "SequenceNumberRange": numbers}
    if shard.parent is not None:
        described["ParentShardId"] = shard.parent
    return described
