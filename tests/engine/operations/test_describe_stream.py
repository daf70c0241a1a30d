"""DescribeStream: what it says of a stream, and of its shards page by page."""

from __future__ import annotations

import pytest

from singletable.engine import Engine
from singletable.errors import ResourceNotFoundException, ValidationException
from tests.engine.stream_reading import HOUR, create_streamed, describe_stream, shard_ids
from tests.engine.support import Clock, key_schema, put


@pytest.fixture
def arn(engine: Engine, clock: Clock) -> str:
    """A stream of three shards."""
    arn = create_streamed(engine)
    for _ in range(3):
        put(engine, "things", f"{clock.now}")
        clock.now += 4 * HOUR
    return arn


def test_a_stream_is_described_with_its_table(engine: Engine, clock: Clock) -> None:
    arn = create_streamed(engine, "OLD_IMAGE")
    description = describe_stream(engine, arn)
    [shard] = description.pop("Shards")
    assert description.pop("CreationRequestDateTime").timestamp() == clock.now
    assert description == {
        "StreamArn": arn,
        "StreamLabel": arn.rpartition("/")[2],
        "StreamStatus": "ENABLED",
        "StreamViewType": "OLD_IMAGE",
        "TableName": "things",
        "KeySchema": key_schema("pk"),
    }
    assert 28 <= len(shard["ShardId"]) <= 65
    assert list(shard["SequenceNumberRange"]) == ["StartingSequenceNumber"]


def test_shards_come_in_pages(engine: Engine, arn: str) -> None:
    first, second, third = shard_ids(engine, arn)
    page = describe_stream(engine, arn, Limit=2)
    assert [shard["ShardId"] for shard in page["Shards"]] == [first, second]
    assert page["LastEvaluatedShardId"] == second
    page = describe_stream(engine, arn, Limit=2, ExclusiveStartShardId=second)
    assert [shard["ShardId"] for shard in page["Shards"]] == [third]
    assert "LastEvaluatedShardId" not in page


def test_a_filter_gives_the_children_of_a_shard(engine: Engine, arn: str) -> None:
    first, second, third = shard_ids(engine, arn)

    def children(**members: str) -> list[str]:
        page = describe_stream(engine, arn, ShardFilter={"Type": "CHILD_SHARDS", **members})
        return [shard["ShardId"] for shard in page["Shards"]]

    assert children(ShardId=first) == [second]
    assert children(ShardId=third) == []
    assert children() == []


def test_a_limit_is_at_most_100(engine: Engine, arn: str) -> None:
    with pytest.raises(ValidationException, match="cannot be greater than the maximum: 100"):
        describe_stream(engine, arn, Limit=101)


@pytest.mark.parametrize(
    "arn",
    [
        "x" * 40,
        "arn:aws:dynamodb:us-east-1:000000000000:table/nothing/stream/2024-01-01T00:00:00.000",
    ],
)
def test_a_stream_that_is_not_there_is_named(engine: Engine, arn: str) -> None:
    with pytest.raises(ResourceNotFoundException) as caught:
        describe_stream(engine, arn)
    assert caught.value.message == f"Requested resource not found: Stream: {arn} not found"
