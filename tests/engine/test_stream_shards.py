"""Streams of several shards: what stays together, what follows what, and that nothing is lost."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from singletable.engine import Engine
from tests.engine.stream_reading import (
    HOUR,
    changed_keys,
    create_streamed,
    describe_stream,
    iterator,
    numbers,
    read,
    records,
    set_stream,
    shard_ids,
)
from tests.engine.support import Answer, Clock, definitions, key_schema, put

SHARDS = 4
KEYS = [f"key-{number}" for number in range(40)]


@pytest.fixture
def engine(clock: Clock) -> Iterator[Engine]:
    """Give an engine whose streams have several shards."""
    with Engine(clock=clock, stream_shards=SHARDS) as engine:
        yield engine


def pages(engine: Engine, arn: str) -> list[list[Answer]]:
    """Read each shard."""
    shards = range(len(shard_ids(engine, arn)))
    return [read(engine, iterator(engine, arn, shard=shard))["Records"] for shard in shards]


def write(engine: Engine, *keys: str) -> None:
    for key in keys or KEYS:
        put(engine, "things", key)


def test_a_stream_is_described_with_all_its_shards(engine: Engine) -> None:
    shards = describe_stream(engine, create_streamed(engine))["Shards"]
    assert len({shard["ShardId"] for shard in shards}) == SHARDS
    for shard in shards:
        assert shard.keys() == {"ShardId", "SequenceNumberRange"}
        assert shard["SequenceNumberRange"].keys() == {"StartingSequenceNumber"}


def test_shards_are_described_page_by_page(engine: Engine) -> None:
    arn = create_streamed(engine)
    names = shard_ids(engine, arn)
    first = describe_stream(engine, arn, Limit=3)
    last = describe_stream(engine, arn, ExclusiveStartShardId=first["LastEvaluatedShardId"])
    assert [shard["ShardId"] for shard in first["Shards"] + last["Shards"]] == names


def test_all_changes_are_in_the_shards_together_and_each_once(engine: Engine) -> None:
    arn = create_streamed(engine)
    write(engine)
    found = pages(engine, arn)
    assert sorted(changed_keys([each for page in found for each in page])) == sorted(KEYS)
    assert all(found)


def test_a_partition_stays_in_one_shard_and_in_order(engine: Engine) -> None:
    arn = create_streamed(
        engine,
        AttributeDefinitions=definitions("pk", "sk:N"),
        KeySchema=key_schema("pk", "sk:RANGE"),
    )
    for turn in range(3):
        for key in KEYS:
            put(engine, "things", key, sk={"N": str(turn)})
            put(engine, "things", key, sk={"N": str(turn)}, more={"BOOL": True})
    for page in pages(engine, arn):
        assert numbers(page) == sorted(set(numbers(page)))
        for key in {*changed_keys(page)}:
            mine = [each["dynamodb"] for each in page if each["dynamodb"]["Keys"]["pk"]["S"] == key]
            sort_keys = [change["Keys"]["sk"]["N"] for change in mine]
            assert sort_keys == ["0", "0", "1", "1", "2", "2"]


def test_each_shard_rolls_over_into_its_own_child(engine: Engine, clock: Clock) -> None:
    arn = create_streamed(engine)
    write(engine)
    before = pages(engine, arn)
    clock.now += 4 * HOUR
    write(engine, "late")
    for key in KEYS:
        put(engine, "things", key, more={"BOOL": True})
    shards = describe_stream(engine, arn)["Shards"]
    parents, children = shards[:SHARDS], shards[SHARDS:]
    assert [child["ParentShardId"] for child in children] == [each["ShardId"] for each in parents]
    for parent, child in zip(parents, children, strict=True):
        assert "EndingSequenceNumber" in parent["SequenceNumberRange"]
        assert "EndingSequenceNumber" not in child["SequenceNumberRange"]
        end = int(parent["SequenceNumberRange"]["EndingSequenceNumber"])
        assert end < int(child["SequenceNumberRange"]["StartingSequenceNumber"])
    after = pages(engine, arn)
    assert after[:SHARDS] == before
    for old, new in zip(before, after[SHARDS:], strict=True):
        assert {*changed_keys(old)} == {*changed_keys(new)} - {"late"}


def test_a_closed_stream_is_read_to_the_end_of_every_shard(engine: Engine) -> None:
    arn = create_streamed(engine)
    write(engine)
    set_stream(engine, None)
    write(engine, "late")
    assert len(records(engine, arn)) == len(KEYS)
    for shard in range(SHARDS):
        assert "NextShardIterator" not in read(engine, iterator(engine, arn, shard=shard))


def test_the_file_and_not_the_engine_says_how_many_shards_a_stream_has(
    tmp_path: Path, clock: Clock
) -> None:
    path = tmp_path / "shared.db"
    with (
        Engine(path, durable=False, clock=clock, stream_shards=SHARDS) as several,
        Engine(path, durable=False, clock=clock) as one,
    ):
        arn = create_streamed(several)
        for turn, key in enumerate(KEYS * 2):
            put((one, several)[turn % 2], "things", key, turn={"N": str(turn)})
        clock.now += 5 * HOUR
        write(one, "late")
        assert len(shard_ids(one, arn)) == 2 * SHARDS
        found = pages(several, arn)
        assert sum(map(len, found)) == 2 * len(KEYS) + 1
        places = [{*changed_keys(page)} for page in found[:SHARDS]]
        assert sum(map(len, places)) == len(KEYS)
        set_stream(one, None)
        other = set_stream(one, "KEYS_ONLY")["LatestStreamArn"]
        assert len(shard_ids(several, other)) == 1


def test_a_fork_opens_as_many(engine: Engine) -> None:
    arn = create_streamed(engine)
    write(engine)
    with engine.fork() as fork:
        assert pages(fork, arn) == pages(engine, arn)
        assert len(shard_ids(fork, create_streamed(fork, TableName="others"))) == SHARDS


@pytest.mark.parametrize("number", [0, -1])
def test_a_stream_without_shards_cannot_be_had(number: int) -> None:
    with pytest.raises(ValueError, match=f"stream_shards is {number}"):
        Engine(stream_shards=number)
