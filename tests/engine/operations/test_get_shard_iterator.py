"""GetShardIterator: where each type of iterator begins, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from singletable.engine import Engine
from singletable.errors import (
    ResourceNotFoundException,
    TrimmedDataAccessException,
    ValidationException,
)
from tests.engine.stream_reading import (
    HOUR,
    changed_keys,
    create_streamed,
    iterator,
    numbers,
    read,
    records,
    set_stream,
    shard_ids,
)
from tests.engine.support import Clock, put


@pytest.fixture
def arn(engine: Engine, clock: Clock) -> str:
    """A stream with records of a, b and c, an hour apart."""
    arn = create_streamed(engine)
    for key in "abc":
        put(engine, "things", key)
        clock.now += HOUR
    return arn


def read_keys(engine: Engine, arn: str, kind: str, **members: Any) -> str:
    return "".join(changed_keys(read(engine, iterator(engine, arn, kind, **members))["Records"]))


def test_the_horizon_is_the_oldest_record(engine: Engine, arn: str) -> None:
    assert read_keys(engine, arn, "TRIM_HORIZON") == "abc"


def test_latest_is_after_the_newest_record(engine: Engine, arn: str) -> None:
    latest = iterator(engine, arn, "LATEST")
    assert read(engine, latest)["Records"] == []
    put(engine, "things", "d")
    assert changed_keys(read(engine, latest)["Records"]) == ["d"]


def test_a_sequence_number_is_read_at_or_after(engine: Engine, arn: str) -> None:
    number = numbers(records(engine, arn))[1]
    assert read_keys(engine, arn, "AT_SEQUENCE_NUMBER", SequenceNumber=number) == "bc"
    assert read_keys(engine, arn, "AFTER_SEQUENCE_NUMBER", SequenceNumber=number) == "c"


def test_a_shard_can_be_read_from_the_ends_that_describe_stream_gives(
    engine: Engine, arn: str
) -> None:
    set_stream(engine, None)
    answer = engine.call("DescribeStream", {"StreamArn": arn})
    ends = answer["StreamDescription"]["Shards"][0]["SequenceNumberRange"]
    first, last = ends["StartingSequenceNumber"], ends["EndingSequenceNumber"]
    assert read_keys(engine, arn, "AT_SEQUENCE_NUMBER", SequenceNumber=first) == "abc"
    assert read_keys(engine, arn, "AT_SEQUENCE_NUMBER", SequenceNumber=last) == "c"
    assert read_keys(engine, arn, "AFTER_SEQUENCE_NUMBER", SequenceNumber=last) == ""


def test_a_moment_is_read_from_the_first_record_since(
    engine: Engine, arn: str, clock: Clock
) -> None:
    def since(hours: float) -> str:
        return read_keys(engine, arn, "AT_TIMESTAMP", Timestamp=clock.now - hours * HOUR)

    assert since(30) == "abc"
    assert since(2.5) == "bc"
    assert since(2) == "bc"
    assert since(0.5) == ""


@pytest.mark.parametrize(
    ("kind", "members", "message"),
    [
        ("AT_SEQUENCE_NUMBER", {}, "Invalid SequenceNumber"),
        ("AFTER_SEQUENCE_NUMBER", {"SequenceNumber": "x" * 21}, "Invalid SequenceNumber"),
        ("AT_SEQUENCE_NUMBER", {"SequenceNumber": "9" * 30}, "Invalid SequenceNumber"),
        ("AT_SEQUENCE_NUMBER", {"SequenceNumber": "0" * 21}, "Invalid SequenceNumber"),
        ("LATEST", {"SequenceNumber": "1" * 21}, "SequenceNumber should not be passed"),
        ("AT_TIMESTAMP", {}, "Invalid Timestamp"),
        ("AT_TIMESTAMP", {"Timestamp": 9_999_999_999}, "Invalid Timestamp"),
        ("LATEST", {"Timestamp": 0}, "Timestamp should not be passed"),
        ("EARLIEST", {}, "1 validation error detected: Value 'EARLIEST' at 'shardIteratorType'"),
        ("LATEST", {"SequenceNumber": "1"}, "Member must have length greater than or equal to 21"),
    ],
)
def test_members_that_do_not_go_together_are_refused(
    engine: Engine, arn: str, kind: str, members: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValidationException, match=message):
        iterator(engine, arn, kind, **members)


def test_a_number_of_another_shard_is_refused(engine: Engine, arn: str, clock: Clock) -> None:
    number = numbers(records(engine, arn))[0]
    clock.now += 4 * HOUR
    put(engine, "things", "d")
    with pytest.raises(ValidationException, match="Invalid SequenceNumber"):
        iterator(engine, arn, "AT_SEQUENCE_NUMBER", shard=1, SequenceNumber=number)


@pytest.mark.parametrize("swept", [False, True])
def test_what_is_trimmed_cannot_be_read_from(
    engine: Engine, arn: str, clock: Clock, swept: bool
) -> None:
    """Whether the records are still on the disk or not."""
    first, second, _ = numbers(records(engine, arn))
    clock.now += 22 * HOUR
    if swept:
        put(engine, "things", "d")
    for kind in ("AT_SEQUENCE_NUMBER", "AFTER_SEQUENCE_NUMBER"):
        with pytest.raises(TrimmedDataAccessException, match="has been trimmed"):
            iterator(engine, arn, kind, shard=0, SequenceNumber=first)
    members = {"shard": 0, "SequenceNumber": second}
    assert read_keys(engine, arn, "AFTER_SEQUENCE_NUMBER", **members) == "c"
    assert read_keys(engine, arn, "TRIM_HORIZON", shard=0) == "c"


def test_a_stream_or_shard_that_is_not_there_is_not_found(engine: Engine, arn: str) -> None:
    [shard] = shard_ids(engine, arn)
    request = {"StreamArn": arn, "ShardId": shard, "ShardIteratorType": "LATEST"}
    with pytest.raises(ResourceNotFoundException, match=r"Stream: .*x not found"):
        engine.call("GetShardIterator", {**request, "StreamArn": f"{arn}x"})
    with pytest.raises(ResourceNotFoundException, match="Shard does not exist"):
        engine.call("GetShardIterator", {**request, "ShardId": f"{shard}x"})
