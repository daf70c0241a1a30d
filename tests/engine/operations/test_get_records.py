"""GetRecords: pages, their bounds, the way from one to the next, and worn-out iterators."""

from __future__ import annotations

from base64 import b64encode

import orjson
import pytest

from singletable.engine import Engine
from singletable.errors import (
    ExpiredIteratorException,
    ResourceNotFoundException,
    TrimmedDataAccessException,
    ValidationException,
)
from tests.engine.stream_reading import (
    HOUR,
    changed_keys,
    create_streamed,
    iterator,
    read,
    records,
    set_stream,
)
from tests.engine.support import Clock, put


def test_pages_go_on_where_the_last_one_ended(engine: Engine) -> None:
    arn = create_streamed(engine, "KEYS_ONLY")
    put(engine, "things", *"abcde")
    found = []
    place = iterator(engine, arn)
    for _ in range(3):
        page = read(engine, place, Limit=2)
        found.append("".join(changed_keys(page["Records"])))
        place = page["NextShardIterator"]
    assert found == ["ab", "cd", "e"]
    put(engine, "things", "f")
    assert changed_keys(read(engine, place)["Records"]) == ["f"]


def test_an_iterator_is_good_by_a_clock_of_whole_seconds() -> None:
    with Engine(clock=lambda: 1_700_000_000) as engine:
        arn = create_streamed(engine, "KEYS_ONLY")
        put(engine, "things", "a")
        page = read(engine, iterator(engine, arn))
        assert changed_keys(page["Records"]) == ["a"]
        assert read(engine, page["NextShardIterator"])["Records"] == []


def test_a_closed_shard_ends_with_its_last_page(engine: Engine) -> None:
    arn = create_streamed(engine, "KEYS_ONLY")
    put(engine, "things", *"abc")
    waiting = read(engine, iterator(engine, arn))["NextShardIterator"]
    set_stream(engine, None)
    first = read(engine, iterator(engine, arn), Limit=2)
    last = read(engine, first["NextShardIterator"], Limit=2)
    assert changed_keys(last["Records"]) == ["c"]
    assert "NextShardIterator" not in last
    assert read(engine, waiting) == {"Records": []}


def test_a_page_has_at_most_a_thousand_records(engine: Engine) -> None:
    arn = create_streamed(engine, "KEYS_ONLY")
    with engine._db.write() as writing:
        for _ in range(1001):
            writing.tx.execute(
                "INSERT INTO records (shard, at, event, size, keys)"
                " SELECT shard, opened, 'INSERT', 1, x'7b7d' FROM streams"
            )
    page = read(engine, iterator(engine, arn))
    assert len(page["Records"]) == 1000
    assert len(read(engine, page["NextShardIterator"])["Records"]) == 1


def test_a_page_ends_at_a_megabyte_but_has_a_record(engine: Engine) -> None:
    arn = create_streamed(engine)
    large = {"S": "x" * 300_000}
    put(engine, "things", *"abcd", large=large)
    put(engine, "things", "a", large=large, more=large | {"S": "y" * 90_000})
    sizes = []
    place = iterator(engine, arn)
    for _ in range(3):
        page = read(engine, place)
        sizes.append([record["dynamodb"]["SizeBytes"] for record in page["Records"]])
        place = page["NextShardIterator"]
    assert [len(each) for each in sizes] == [3, 2, 0]


def test_over_the_wire_bytes_are_base64_and_times_are_numbers(engine: Engine, clock: Clock) -> None:
    arn = create_streamed(engine)
    put(engine, "things", "a", b={"B": b"\x00\xff"})
    body = orjson.dumps({"ShardIterator": iterator(engine, arn)})
    [record] = orjson.loads(engine.call_json("GetRecords", body))["Records"]
    change = record["dynamodb"]
    assert change["NewImage"] == {"pk": {"S": "a"}, "b": {"B": b64encode(b"\x00\xff").decode()}}
    assert change["Keys"] == {"pk": {"S": "a"}}
    assert change["ApproximateCreationDateTime"] == clock.now


def test_an_iterator_is_good_for_15_minutes(engine: Engine, clock: Clock) -> None:
    place = iterator(engine, create_streamed(engine))
    clock.now += 15 * 60
    renewed = read(engine, place)["NextShardIterator"]
    clock.now += 1
    assert read(engine, renewed)["Records"] == []
    with pytest.raises(ExpiredIteratorException, match="expired"):
        read(engine, place)


@pytest.mark.parametrize("place", ["garbage", "a|1|b", "a|1|", "||", "a|1|" + "A" * 100, "é"])
def test_what_is_no_iterator_is_refused(engine: Engine, place: str) -> None:
    with pytest.raises(ValidationException, match=r" operation: Invalid ShardIterator$"):
        read(engine, place)


def test_an_altered_iterator_is_refused(engine: Engine) -> None:
    place = iterator(engine, create_streamed(engine))
    arn, version, rest = place.split("|")
    other = "B" if rest[4] == "A" else "A"
    for altered in (
        f"{arn}|2|{rest}",
        f"{arn}|{version}|{rest[:-8]}",
        f"{arn}|{version}|{rest[:4]}{other}{rest[5:]}",
        place.replace("things", "others"),
    ):
        with pytest.raises(ValidationException, match=r" operation: Invalid ShardIterator$"):
            read(engine, altered)


def test_a_record_trimmed_before_it_was_read_is_reported(engine: Engine, clock: Clock) -> None:
    arn = create_streamed(engine)
    put(engine, "things", *"ab")
    clock.now += 24 * HOUR - 60
    place = read(engine, iterator(engine, arn), Limit=1)["NextShardIterator"]
    clock.now += 60
    with pytest.raises(TrimmedDataAccessException, match="has been trimmed"):
        read(engine, place)
    assert records(engine, arn) == []


def test_the_shard_of_an_iterator_may_be_gone(engine: Engine, clock: Clock) -> None:
    arn = create_streamed(engine)
    set_stream(engine, None)
    clock.now += 24 * HOUR - 60
    place = iterator(engine, arn)
    clock.now += 60
    with pytest.raises(ResourceNotFoundException):
        read(engine, place)


@pytest.mark.parametrize(
    ("limit", "message"),
    [
        (0, "Value '0' at 'limit' failed to satisfy constraint"),
        (1001, "Limit should be less than or equal to 1000"),
    ],
)
def test_a_limit_is_between_1_and_1000(engine: Engine, limit: int, message: str) -> None:
    with pytest.raises(ValidationException, match=message):
        read(engine, iterator(engine, create_streamed(engine)), Limit=limit)
