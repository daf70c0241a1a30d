"""Time travel: ``fork(as_of=…)`` gives the items that there were at a moment."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.engine import Engine
from singletable.errors import ResourceNotFoundException, SerializationException, UsageError
from tests.engine.stream_reading import create_streamed, shard_ids
from tests.engine.support import Clock, create, definitions, describe, index, key_schema, keys, put
from tests.engine.test_history import contents, enable

BY_N = {
    "AttributeDefinitions": definitions("pk", "sk", "n:N"),
    "KeySchema": key_schema("pk", "sk:RANGE"),
    "GlobalSecondaryIndexes": [index("by_n", "n")],
    "LocalSecondaryIndexes": [index("within", "pk", "n:RANGE")],
}
SK = {"sk": {"S": "s"}}

changes = st.lists(st.tuples(st.sampled_from("abc"), st.none() | st.integers(0, 3)), max_size=12)


def moment(clock: Clock) -> datetime:
    return datetime.fromtimestamp(clock.now, UTC)


def state(engine: Engine) -> dict[str, Any]:
    """Give all that follows from the items of a table: entries of indexes, statistics, sizes."""
    table = engine._db.table("things")
    trees = [table.rows, *(each.tree for each in table.indexes.values())]
    with engine._db.storage.read() as tx:
        statistics = [engine._db.catalog.statistics(tx, tree) for tree in trees]
        sizes = tx.execute(f"SELECT * FROM {table.collections}").fetchall()
    scans = [contents(engine, "things", IndexName=name) for name in ("by_n", "within")]
    return {
        "items": contents(engine, "things"),
        "indexes": scans,
        "statistics": statistics,
        "sizes": sizes,
    }


@given(changes)
def test_every_moment_can_be_visited(made: list[tuple[str, int | None]]) -> None:
    """Puts and deletes, one a second: a fork has what was there after each, indexes and all."""
    clock = Clock()
    with Engine(clock=clock) as engine:
        create(engine, **BY_N)
        enable(engine)
        seen = {moment(clock): state(engine)}
        for key, number in made:
            clock.now += 1
            if number is None:
                request = {"TableName": "things", "Key": {"pk": {"S": key}, **SK}}
                engine.call("DeleteItem", request)
            else:
                put(engine, "things", key, n={"N": str(number)}, **SK)
            seen[moment(clock)] = state(engine)
        for at, expected in seen.items():
            with engine.fork(as_of=at) as then:
                assert state(then) == expected
        assert state(engine) == seen[moment(clock)]


def test_a_file_is_left_as_it_is(tmp_path: Path, clock: Clock) -> None:
    with Engine(tmp_path / "things.db", clock=clock) as engine:
        create(engine)
        enable(engine)
        put(engine, "things", "a")
        before = moment(clock)
        clock.now += 60
        put(engine, "things", "b")
        with engine.fork(as_of=before) as then:
            put(then, "things", "c")
            assert keys(then, "things") == {"a", "c"}
        assert keys(engine, "things") == {"a", "b"}


def test_the_clock_goes_on_from_the_moment(engine: Engine, clock: Clock) -> None:
    """So what has expired since is not deleted, and what is written has a time of then."""
    create(engine)
    enable(engine)
    specification = {"Enabled": True, "AttributeName": "ends"}
    engine.call(
        "UpdateTimeToLive", {"TableName": "things", "TimeToLiveSpecification": specification}
    )
    put(engine, "things", "a", ends={"N": str(int(clock.now) + 30)})
    before = moment(clock)
    clock.now += 60
    assert engine.expire() == 1
    with engine.fork(as_of=before) as then:
        assert then.expire() == 0
        assert keys(then, "things") == {"a"}
        assert create(then, TableName="made")["CreationDateTime"] == before
        clock.now += 31
        assert then.expire() == 1


def test_the_past_of_a_fork_ends_at_its_moment(engine: Engine, clock: Clock) -> None:
    """A fork of the fork, and its streams, know nothing of what came later."""
    arn = create_streamed(engine)
    enable(engine)
    first = moment(clock)
    for key in "ab":
        clock.now += 1
        put(engine, "things", key)
    second = moment(clock)
    clock.now += 1
    put(engine, "things", "c")
    with engine.fork(as_of=second) as then, then.fork(as_of=first) as earlier:
        assert keys(then, "things") == {"a", "b"}
        assert keys(earlier, "things") == set()
        [shard] = shard_ids(then, arn)
        request = {"StreamArn": arn, "ShardId": shard, "ShardIteratorType": "TRIM_HORIZON"}
        iterator = then.call("GetShardIterator", request)["ShardIterator"]
        records = then.call("GetRecords", {"ShardIterator": iterator})["Records"]
        assert [record["dynamodb"]["Keys"]["pk"]["S"] for record in records] == ["a", "b"]


def test_tables_made_later_or_without_a_past_are_not_there(engine: Engine, clock: Clock) -> None:
    create(engine)
    create(engine, TableName="forgetful")
    enable(engine)
    before = moment(clock)
    clock.now += 1
    create(engine, TableName="later")
    enable(engine, "later")
    with engine.fork(as_of=before) as then:
        assert then.list_tables()["TableNames"] == ["things"]
        with pytest.raises(ResourceNotFoundException):
            describe(then, "later")


def test_where_no_table_keeps_its_past_it_is_told_how(engine: Engine, clock: Clock) -> None:
    create(engine)
    with pytest.raises(UsageError, match=r"things keeps no past.*point-in-time recovery"):
        engine.fork(as_of=moment(clock))


def test_moments_that_are_not_kept_are_told(engine: Engine, clock: Clock) -> None:
    create(engine)
    clock.now += 60
    enable(engine)
    reach = moment(clock).isoformat()
    clock.now -= 1
    before = moment(clock)
    clock.now += 2
    after = datetime.fromtimestamp(clock.now + 1, UTC)
    with pytest.raises(UsageError, match=r"table things reaches back to .*, and not to") as raised:
        engine.fork(as_of=before)
    assert reach in str(raised.value)
    with pytest.raises(UsageError, match="is yet to come"):
        engine.fork(as_of=after)
    with pytest.raises(SerializationException):
        engine.fork(as_of="yesterday")  # type: ignore[arg-type] # a mistake, on purpose
