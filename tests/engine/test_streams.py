"""What is written to a stream, how long it stays, and how it is cut into shards."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from singletable.engine import Engine
from singletable.engine.streams import TIDY_RECORDS
from singletable.errors import ResourceNotFoundException
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
from tests.engine.support import Answer, Clock, create, definitions, key_schema, put


def delete(engine: Engine, name: str, key: str) -> None:
    engine.call("DeleteItem", {"TableName": name, "Key": {"pk": {"S": key}}})


def kept_records(engine: Engine) -> int:
    with engine._db.storage.read() as tx:
        (count,) = tx.execute("SELECT count(*) FROM records").fetchone()
    return int(count)


def test_a_put_an_overwrite_and_a_delete_make_a_record_each(engine: Engine, clock: Clock) -> None:
    arn = create_streamed(engine)
    put(engine, "things", "a", n={"N": "1"})
    put(engine, "things", "a", n={"N": "2"})
    delete(engine, "things", "a")
    key = {"pk": {"S": "a"}}
    one, two = {**key, "n": {"N": "1"}}, {**key, "n": {"N": "2"}}
    found = records(engine, arn)
    assert [record["eventName"] for record in found] == ["INSERT", "MODIFY", "REMOVE"]
    images = [
        (record["dynamodb"].get("OldImage"), record["dynamodb"].get("NewImage")) for record in found
    ]
    assert images == [(None, one), (one, two), (two, None)]
    assert [record["dynamodb"]["Keys"] for record in found] == [key] * 3
    assert len({record["eventID"] for record in found}) == 3


def test_a_record_has_the_members_that_lambda_functions_see(engine: Engine, clock: Clock) -> None:
    clock.now = 1_700_000_000.75
    arn = create_streamed(engine)
    put(engine, "things", "a")
    [record] = records(engine, arn)
    change = record.pop("dynamodb")
    assert record.pop("eventID")
    assert record == {
        "eventName": "INSERT",
        "eventVersion": "1.1",
        "eventSource": "aws:dynamodb",
        "awsRegion": "us-east-1",
    }
    assert change["ApproximateCreationDateTime"].timestamp() == 1_700_000_000
    assert change["StreamViewType"] == "NEW_AND_OLD_IMAGES"
    assert len(change["SequenceNumber"]) >= 21
    assert change["SequenceNumber"].isdigit()


@pytest.mark.parametrize(
    ("view", "images", "sizes"),
    [
        ("KEYS_ONLY", [set(), set(), set()], [3, 3, 3]),
        ("NEW_IMAGE", [{"NewImage"}, {"NewImage"}, set()], [9, 9, 3]),
        ("OLD_IMAGE", [set(), {"OldImage"}, {"OldImage"}], [3, 9, 9]),
        (
            "NEW_AND_OLD_IMAGES",
            [{"NewImage"}, {"NewImage", "OldImage"}, {"OldImage"}],
            [9, 15, 9],
        ),
    ],
)
def test_the_view_type_decides_the_images_and_the_size(
    engine: Engine, view: str, images: list[set[str]], sizes: list[int]
) -> None:
    arn = create_streamed(engine, view)
    put(engine, "things", "a", n={"N": "1"})
    put(engine, "things", "a", n={"N": "2"})
    delete(engine, "things", "a")
    found = [record["dynamodb"] for record in records(engine, arn)]
    assert [change.keys() & {"NewImage", "OldImage"} for change in found] == images
    assert [change["SizeBytes"] for change in found] == sizes


def test_a_write_that_changes_nothing_makes_no_record(engine: Engine) -> None:
    arn = create_streamed(engine)
    put(engine, "things", "a", n={"N": "1"}, s={"SS": ["x", "y"]})
    put(engine, "things", "a", n={"N": "1"}, s={"SS": ["x", "y"]})
    put(engine, "things", "a", s={"SS": ["y", "x"]}, n={"N": "1.0"})
    delete(engine, "things", "nothing")
    assert len(records(engine, arn)) == 1


def test_the_open_shard_is_looked_up_once_for_a_batch(engine: Engine) -> None:
    create_streamed(engine)
    asked: list[str] = []
    writer: Any = engine._db.storage._writer
    writer.set_trace_callback(asked.append)
    puts = [{"PutRequest": {"Item": {"pk": {"S": f"p{number}"}}}} for number in range(25)]
    engine.batch_write_item(RequestItems={"things": puts})
    writer.set_trace_callback(None)
    assert sum(sql.startswith("SELECT shard, tidy_at") for sql in asked) == 1
    assert kept_records(engine) == 25


def test_what_is_rolled_back_makes_no_record(engine: Engine) -> None:
    arn = create_streamed(engine)
    create(engine, TableName="others")
    put(engine, "things", "a")
    writes = [
        {"Put": {"TableName": "things", "Item": {"pk": {"S": "b"}}}},
        {
            "Put": {
                "TableName": "others",
                "Item": {"pk": {"S": "b"}},
                "ConditionExpression": "attribute_exists(pk)",
            }
        },
    ]
    with pytest.raises(engine.exceptions.TransactionCanceledException):
        engine.call("TransactWriteItems", {"TransactItems": writes})
    assert changed_keys(records(engine, arn)) == ["a"]


def test_sequence_numbers_grow_over_all_tables_and_reopenings(engine: Engine) -> None:
    first = create_streamed(engine)
    other = create_streamed(engine, TableName="others")
    found: list[Answer] = []
    for key in "abc":
        put(engine, "things", key)
        put(engine, "others", key)
    set_stream(engine, None)
    second = set_stream(engine, "KEYS_ONLY")["LatestStreamArn"]
    put(engine, "things", "d")
    things, others = records(engine, first), records(engine, other)
    for pair in zip(things, others, strict=True):
        found += pair
    found += records(engine, second)
    in_order = [int(number) for number in numbers(found)]
    assert in_order == sorted(set(in_order))
    assert len(in_order) == 7


def test_all_key_attributes_are_in_the_keys(engine: Engine) -> None:
    arn = create_streamed(
        engine,
        "KEYS_ONLY",
        AttributeDefinitions=definitions("pk", "sk:B"),
        KeySchema=key_schema("pk", "sk:RANGE"),
    )
    put(engine, "things", "a", sk={"B": b"\x00\xff"}, other={"S": "x"})
    [record] = records(engine, arn)
    assert record["dynamodb"]["Keys"] == {"pk": {"S": "a"}, "sk": {"B": b"\x00\xff"}}


def test_a_disabled_stream_can_be_read_to_its_end_for_a_day(engine: Engine, clock: Clock) -> None:
    arn = create_streamed(engine)
    put(engine, "things", "a")
    set_stream(engine, None)
    put(engine, "things", "b")
    description = describe_stream(engine, arn)
    [shard] = description["Shards"]
    assert description["StreamStatus"] == "DISABLED"
    page = read(engine, iterator(engine, arn))
    assert changed_keys(page["Records"]) == ["a"]
    assert [shard["SequenceNumberRange"]["EndingSequenceNumber"]] == numbers(page["Records"])
    assert "NextShardIterator" not in page
    clock.now += 24 * HOUR
    with pytest.raises(ResourceNotFoundException, match="not found"):
        describe_stream(engine, arn)


def test_a_stream_enabled_again_is_another_stream(engine: Engine) -> None:
    old = create_streamed(engine)
    put(engine, "things", "a")
    set_stream(engine, None)
    new = set_stream(engine, "KEYS_ONLY")["LatestStreamArn"]
    put(engine, "things", "b")
    assert new != old
    assert changed_keys(records(engine, old)) == ["a"]
    assert changed_keys(records(engine, new)) == ["b"]


def test_a_stream_outlives_its_table(engine: Engine, clock: Clock) -> None:
    arn = create_streamed(engine)
    put(engine, "things", "a")
    engine.call("DeleteTable", {"TableName": "things"})
    assert describe_stream(engine, arn)["StreamStatus"] == "DISABLED"
    assert changed_keys(records(engine, arn)) == ["a"]
    clock.now += 24 * HOUR
    assert engine.call("ListStreams", {})["Streams"] == []


def test_a_table_made_anew_has_a_stream_of_its_own(engine: Engine) -> None:
    """Even where the clock stood still."""
    first = create_streamed(engine)
    put(engine, "things", "old")
    engine.call("DeleteTable", {"TableName": "things"})
    second = create_streamed(engine)
    put(engine, "things", "new")
    assert first < second
    assert changed_keys(records(engine, first)) == ["old"]
    assert changed_keys(records(engine, second)) == ["new"]
    engine.call("DeleteTable", {"TableName": "things"})
    create(engine)
    assert second < set_stream(engine, "KEYS_ONLY")["LatestStreamArn"]


def test_a_shard_is_followed_by_a_child_after_four_hours(engine: Engine, clock: Clock) -> None:
    arn = create_streamed(engine)
    put(engine, "things", "a")
    clock.now += 4 * HOUR - 1
    put(engine, "things", "b")
    clock.now += 1
    put(engine, "things", "c")
    parent, child = describe_stream(engine, arn)["Shards"]
    assert child["ParentShardId"] == parent["ShardId"]
    assert "EndingSequenceNumber" not in child["SequenceNumberRange"]
    first = read(engine, iterator(engine, arn, shard=0))
    assert changed_keys(first["Records"]) == ["a", "b"]
    assert "NextShardIterator" not in first
    second = read(engine, iterator(engine, arn, shard=1))
    assert changed_keys(second["Records"]) == ["c"]
    ends = [
        int(parent["SequenceNumberRange"]["EndingSequenceNumber"]),
        int(child["SequenceNumberRange"]["StartingSequenceNumber"]),
        int(numbers(second["Records"])[0]),
    ]
    assert ends == sorted(set(ends))


def test_an_idle_shard_rolls_over_empty(engine: Engine, clock: Clock) -> None:
    arn = create_streamed(engine)
    clock.now += 5 * HOUR
    put(engine, "things", "a")
    assert len(shard_ids(engine, arn)) == 2
    assert read(engine, iterator(engine, arn, shard=0)) == {"Records": []}
    assert changed_keys(records(engine, arn)) == ["a"]


def test_closed_shards_are_gone_after_a_day(engine: Engine, clock: Clock) -> None:
    arn = create_streamed(engine)
    for _ in range(10):
        put(engine, "things", f"{clock.now}")
        clock.now += 4 * HOUR
    shards = describe_stream(engine, arn)["Shards"]
    assert len(shards) == 6
    assert "ParentShardId" in shards[0]


def test_records_are_trimmed_after_a_day(engine: Engine, clock: Clock) -> None:
    arn = create_streamed(engine)
    put(engine, "things", "a")
    clock.now += HOUR
    put(engine, "things", "b")
    clock.now += 23 * HOUR - 1
    assert changed_keys(records(engine, arn)) == ["a", "b"]
    clock.now += 1
    assert changed_keys(records(engine, arn)) == ["b"]
    assert kept_records(engine) == 2
    put(engine, "things", "c")
    assert changed_keys(records(engine, arn)) == ["b", "c"]
    assert kept_records(engine) == 2


def test_numbers_are_not_given_again_once_all_is_trimmed(engine: Engine, clock: Clock) -> None:
    arn = create_streamed(engine)
    put(engine, "things", "a")
    [before] = numbers(records(engine, arn))
    clock.now += 48 * HOUR
    put(engine, "things", "b")
    [after] = numbers(records(engine, arn))
    assert int(after) > int(before)


def test_one_write_trims_a_bounded_number_of_records(engine: Engine, clock: Clock) -> None:
    create_streamed(engine, "KEYS_ONLY")
    with engine._db.write() as writing:
        rows = [(clock.now,)] * (TIDY_RECORDS + 10)
        for row in rows:
            writing.tx.execute("INSERT INTO records (shard, at) VALUES (1, ?)", row)
    clock.now += 25 * HOUR
    put(engine, "things", "a")
    assert kept_records(engine) == 11
    put(engine, "things", "b")
    assert kept_records(engine) == 12
    clock.now += 1
    put(engine, "things", "c")
    assert kept_records(engine) == 3


def test_processes_on_one_file_write_one_stream(tmp_path: Path, clock: Clock) -> None:
    path = tmp_path / "shared.db"
    with Engine(path, durable=False, clock=clock) as one, Engine(path, clock=clock) as two:
        arn = create_streamed(one)
        for turn in range(4):
            put((one, two)[turn % 2], "things", str(turn))
            clock.now += 3 * HOUR
        found = records(two, arn)
        assert changed_keys(found) == ["0", "1", "2", "3"]
        assert numbers(found) == sorted(set(numbers(found)))
        assert records(one, arn) == found


def test_a_fork_has_the_stream_and_goes_its_own_way(engine: Engine) -> None:
    arn = create_streamed(engine)
    put(engine, "things", "a")
    with engine.fork() as fork:
        put(fork, "things", "b")
        assert changed_keys(records(fork, arn)) == ["a", "b"]
    assert changed_keys(records(engine, arn)) == ["a"]


def test_the_log_survives_a_restart(tmp_path: Path, clock: Clock) -> None:
    path = tmp_path / "kept.db"
    with Engine(path, clock=clock) as engine:
        arn = create_streamed(engine)
        put(engine, "things", "a", n={"N": "1"})
        before: list[Any] = records(engine, arn)
    with Engine(path, clock=clock) as engine:
        assert records(engine, arn) == before
