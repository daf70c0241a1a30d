"""Short ways to make and read a stream."""

from __future__ import annotations

from typing import Any

from singletable.engine import Engine
from tests.engine.support import Answer, create

HOUR = 3600


def create_streamed(engine: Engine, view: str = "NEW_AND_OLD_IMAGES", **members: Any) -> str:
    """Create a table with a stream; give the stream's ARN."""
    specification = {"StreamEnabled": True, "StreamViewType": view}
    arn: str = create(engine, StreamSpecification=specification, **members)["LatestStreamArn"]
    return arn


def set_stream(engine: Engine, view: str | None, name: str = "things") -> Answer:
    """Enable a table's stream with a view, or disable it."""
    specification: Answer = {"StreamEnabled": view is not None}
    if view:
        specification["StreamViewType"] = view
    request = {"TableName": name, "StreamSpecification": specification}
    answer: Answer = engine.call("UpdateTable", request)["TableDescription"]
    return answer


def describe_stream(engine: Engine, arn: str, **members: Any) -> Answer:
    """Describe a stream."""
    answer = engine.call("DescribeStream", {"StreamArn": arn, **members})
    description: Answer = answer["StreamDescription"]
    return description


def shard_ids(engine: Engine, arn: str) -> list[str]:
    """Name the shards of a stream, oldest first."""
    return [shard["ShardId"] for shard in describe_stream(engine, arn)["Shards"]]


def iterator(
    engine: Engine, arn: str, kind: str = "TRIM_HORIZON", shard: int = -1, **members: Any
) -> str:
    """Get an iterator into the last shard, or another."""
    request = {"StreamArn": arn, "ShardId": shard_ids(engine, arn)[shard], **members}
    answer = engine.call("GetShardIterator", {**request, "ShardIteratorType": kind})
    text: str = answer["ShardIterator"]
    return text


def read(engine: Engine, shard_iterator: str, **members: Any) -> Answer:
    """Read a page of records."""
    return engine.call("GetRecords", {"ShardIterator": shard_iterator, **members})


def records(engine: Engine, arn: str) -> list[Answer]:
    """Read what is in all shards of a stream."""
    shards = range(len(shard_ids(engine, arn)))
    pages = [read(engine, iterator(engine, arn, shard=shard))["Records"] for shard in shards]
    return [record for page in pages for record in page]


def changed_keys(found: list[Answer]) -> list[str]:
    """Give the partition keys that records are about."""
    return [record["dynamodb"]["Keys"]["pk"]["S"] for record in found]


def numbers(found: list[Answer]) -> list[str]:
    """Give the sequence numbers of records."""
    return [record["dynamodb"]["SequenceNumber"] for record in found]
