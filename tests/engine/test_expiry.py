"""Deletion of items whose time to live is over."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from singletable.engine import Engine
from singletable.engine.expiry import BATCH_ITEMS, expire, expiry_of
from tests.engine.stream_reading import create_streamed, iterator, read, records
from tests.engine.support import Clock, create, definitions, describe, index, keys, put

YEAR = 365 * 86400


@pytest.fixture
def engine(clock: Clock) -> Iterator[Engine]:
    """An engine that deletes expired items only when told to."""
    with Engine(clock=clock, ttl_interval=None) as engine:
        yield engine


def enable(engine: Engine, name: str = "things", *, enabled: bool = True) -> None:
    specification = {"AttributeName": "expires", "Enabled": enabled}
    request = {"TableName": name, "TimeToLiveSpecification": specification}
    engine.call("UpdateTimeToLive", request)


def put_until(engine: Engine, moment: float, *names: str, **attributes: Any) -> None:
    put(engine, "things", *names, expires={"N": str(int(moment))}, **attributes)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"N": "1700000000"}, 1_700_000_000),
        ({"N": "1700000000.9"}, 1_700_000_000),
        ({"S": "1700000000"}, None),
        ({"N": "0"}, None),
        ({"N": "-5"}, None),
        ({"N": "1E+100"}, None),
        ({"NULL": True}, None),
    ],
)
def test_only_a_number_of_seconds_is_a_time_of_expiry(
    value: dict[str, Any], expected: int | None
) -> None:
    assert expiry_of({"expires": value}, "expires") == expected
    assert expiry_of({}, "expires") is None


def test_an_expired_item_is_there_until_it_is_deleted(engine: Engine, clock: Clock) -> None:
    create(engine)
    enable(engine)
    put_until(engine, clock.now + 60, "soon")
    put_until(engine, clock.now + 61, "later")
    put(engine, "things", "never")
    clock.now += 60.5
    assert keys(engine, "things") == {"soon", "later", "never"}
    assert engine.expire() == 1
    assert keys(engine, "things") == {"later", "never"}
    assert engine.expire() == 0


def test_an_item_put_before_time_to_live_was_enabled_expires_too(
    engine: Engine, clock: Clock
) -> None:
    create(engine)
    put_until(engine, clock.now - 60, "old")
    assert engine.expire() == 0
    enable(engine)
    assert engine.expire() == 1


def test_nothing_expires_once_time_to_live_is_disabled(engine: Engine, clock: Clock) -> None:
    create(engine)
    enable(engine)
    put_until(engine, clock.now - 60, "old")
    enable(engine, enabled=False)
    assert engine.expire() == 0
    assert keys(engine, "things") == {"old"}


def test_an_item_whose_time_was_put_off_stays(engine: Engine, clock: Clock) -> None:
    create(engine)
    enable(engine)
    put_until(engine, clock.now - 60, "a", "b")
    put_until(engine, clock.now + 60, "a")
    put(engine, "things", "b")
    assert engine.expire() == 0


def test_what_expired_more_than_five_years_ago_stays(engine: Engine, clock: Clock) -> None:
    create(engine)
    enable(engine)
    put_until(engine, clock.now - 5 * YEAR, "kept")
    put_until(engine, clock.now - 5 * YEAR + 1, "deleted")
    assert engine.expire() == 1
    assert keys(engine, "things") == {"kept"}


def test_the_stream_says_that_the_service_deleted(engine: Engine, clock: Clock) -> None:
    arn = create_streamed(engine)
    enable(engine)
    put_until(engine, clock.now - 1, "a")
    engine.expire()
    inserted, removed = records(engine, arn)
    assert "userIdentity" not in inserted
    assert removed["eventName"] == "REMOVE"
    assert removed["userIdentity"] == {
        "Type": "Service",
        "PrincipalId": "dynamodb.amazonaws.com",
    }
    assert removed["dynamodb"]["OldImage"]["pk"] == {"S": "a"}


def test_indexes_and_statistics_follow(engine: Engine, clock: Clock) -> None:
    create(
        engine,
        AttributeDefinitions=definitions("pk", "kind"),
        GlobalSecondaryIndexes=[index("by-kind", "kind")],
    )
    enable(engine)
    put_until(engine, clock.now - 1, "a", kind={"S": "x"})
    put_until(engine, clock.now + 1, "b", kind={"S": "x"})
    engine.expire()
    assert keys(engine, "things", IndexName="by-kind") == {"b"}
    description = describe(engine)
    assert description["ItemCount"] == 1
    assert description["GlobalSecondaryIndexes"][0]["ItemCount"] == 1


def test_a_transaction_deletes_a_bounded_number(engine: Engine, clock: Clock) -> None:
    create(engine)
    enable(engine)
    put_until(engine, clock.now - 1, *map(str, range(BATCH_ITEMS + 20)))
    assert list(expire(engine._db)) == [BATCH_ITEMS, 20]
    assert keys(engine, "things") == set()


def test_of_several_processes_each_item_is_deleted_by_one(tmp_path: Path, clock: Clock) -> None:
    path = tmp_path / "shared.db"
    with (
        Engine(path, clock=clock, ttl_interval=None) as one,
        Engine(path, clock=clock, ttl_interval=None) as two,
    ):
        arn = create_streamed(one)
        enable(one)
        put_until(one, clock.now - 1, *map(str, range(BATCH_ITEMS * 2)))
        deleting = expire(one._db)
        assert next(deleting) == BATCH_ITEMS
        assert sum(expire(two._db)) == BATCH_ITEMS
        assert list(deleting) == []
        found = read(two, iterator(two, arn))["Records"]
        assert [record["eventName"] for record in found].count("REMOVE") == BATCH_ITEMS * 2


def test_a_table_that_another_process_dropped_is_passed_over(tmp_path: Path, clock: Clock) -> None:
    path = tmp_path / "shared.db"
    with (
        Engine(path, clock=clock, ttl_interval=None) as one,
        Engine(path, clock=clock, ttl_interval=None) as two,
    ):
        create(one)
        enable(one)
        put_until(one, clock.now - 1, "a")
        keys(two, "things")
        one.call("DeleteTable", {"TableName": "things"})
        create(one)
        assert two.expire() == 0
        assert two.expire() == 0


def test_a_table_that_is_dropped_meanwhile_is_passed_over(
    engine: Engine, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    create(engine)
    enable(engine)
    put_until(engine, clock.now - 1, "a")
    find_expired = engine._db.storage.fetchone

    def find_and_drop(sql: str, parameters: tuple[Any, ...]) -> Any:
        found = find_expired(sql, parameters)
        engine.call("DeleteTable", {"TableName": "things"})
        return found

    monkeypatch.setattr(engine._db.storage, "fetchone", find_and_drop)
    assert engine.expire() == 0
