"""Point-in-time recovery: on, off, and back to any moment in between."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.engine import Engine
from singletable.errors import (
    InvalidRestoreTimeException,
    PointInTimeRecoveryUnavailableException,
    TableNotFoundException,
    ValidationException,
)
from tests.engine.support import Clock, create, definitions, describe, index, keys, put

DAY = 86400


def recover(engine: Engine, *, enabled: bool = True, **members: Any) -> dict[str, Any]:
    specification = {"PointInTimeRecoveryEnabled": enabled, **members}
    request = {"TableName": "things", "PointInTimeRecoverySpecification": specification}
    answer: dict[str, Any] = engine.call("UpdateContinuousBackups", request)
    return _recovery(answer)


def described(engine: Engine) -> dict[str, Any]:
    return _recovery(engine.call("DescribeContinuousBackups", {"TableName": "things"}))


def _recovery(answer: dict[str, Any]) -> dict[str, Any]:
    description = answer["ContinuousBackupsDescription"]
    assert description["ContinuousBackupsStatus"] == "ENABLED"
    recovery: dict[str, Any] = description["PointInTimeRecoveryDescription"]
    return recovery


def restore(engine: Engine, target: str = "restored", **members: Any) -> None:
    request = {"SourceTableName": "things", "TargetTableName": target, **members}
    engine.call("RestoreTableToPointInTime", request)


def delete(engine: Engine, key: str) -> None:
    engine.call("DeleteItem", {"TableName": "things", "Key": {"pk": {"S": key}}})


def test_recovery_is_off_until_enabled(engine: Engine, clock: Clock) -> None:
    create(engine)
    assert described(engine) == {"PointInTimeRecoveryStatus": "DISABLED"}
    recover(engine)
    clock.now += 60
    recovery = described(engine)
    assert recovery["PointInTimeRecoveryStatus"] == "ENABLED"
    assert recovery["RecoveryPeriodInDays"] == 35
    assert recovery["EarliestRestorableDateTime"].timestamp() == clock.now - 60
    assert recovery["LatestRestorableDateTime"].timestamp() == clock.now


def test_recovery_reaches_back_as_many_days_as_asked_for(engine: Engine, clock: Clock) -> None:
    create(engine)
    recover(engine, RecoveryPeriodInDays=2)
    clock.now += 10 * DAY
    assert described(engine)["EarliestRestorableDateTime"].timestamp() == clock.now - 2 * DAY


def test_the_window_begins_with_a_whole_second(engine: Engine, clock: Clock) -> None:
    create(engine)
    put(engine, "things", "before")
    clock.now += 0.7654321
    recover(engine, RecoveryPeriodInDays=1)
    clock.now += 0.1
    put(engine, "things", "later")
    first = described(engine)["EarliestRestorableDateTime"]
    assert first.timestamp() == int(clock.now)
    restore(engine, RestoreDateTime=first)
    assert keys(engine, "restored") == {"before"}
    clock.now += 2 * DAY
    moved = described(engine)["EarliestRestorableDateTime"]
    assert moved.timestamp() == int(clock.now - DAY) + 1


def test_a_longer_period_does_not_reach_what_a_shorter_one_gave_up(
    engine: Engine, clock: Clock
) -> None:
    create(engine)
    recover(engine)
    clock.now += 5 * DAY
    moment = clock.now
    clock.now += DAY
    put(engine, "things", "later")
    clock.now += 20 * DAY
    recover(engine, RecoveryPeriodInDays=1)
    clock.now += DAY
    recovery = recover(engine, RecoveryPeriodInDays=35)
    assert recovery["EarliestRestorableDateTime"].timestamp() == clock.now - 2 * DAY
    with pytest.raises(InvalidRestoreTimeException):
        restore(engine, RestoreDateTime=moment)


def test_a_period_without_recovery_is_refused(engine: Engine) -> None:
    create(engine)
    with pytest.raises(ValidationException, match="RecoveryPeriodInDays can only be specified"):
        recover(engine, enabled=False, RecoveryPeriodInDays=2)


def test_a_table_comes_back_as_it_was(engine: Engine, clock: Clock) -> None:
    create(engine)
    put(engine, "things", "before", "changed", "deleted")
    recover(engine)
    clock.now += 10
    put(engine, "things", "added")
    moment = clock.now
    clock.now += 10
    put(engine, "things", "later")
    put(engine, "things", "changed", extra={"S": "x"})
    put(engine, "things", "changed", extra={"S": "y"})
    delete(engine, "deleted")
    delete(engine, "added")
    restore(engine, RestoreDateTime=moment)
    assert keys(engine, "restored") == {"before", "changed", "deleted", "added"}
    item = {"TableName": "restored", "Key": {"pk": {"S": "changed"}}}
    assert engine.call("GetItem", item)["Item"] == {"pk": {"S": "changed"}}
    assert describe(engine, "restored")["ItemCount"] == 4


def test_the_latest_state_is_the_present_one(engine: Engine, clock: Clock) -> None:
    create(engine)
    recover(engine)
    clock.now += 10
    put(engine, "things", "a", "b")
    delete(engine, "a")
    restore(engine, UseLatestRestorableTime=True)
    assert keys(engine, "restored") == {"b"}


def test_indexes_are_those_of_the_restored_items(engine: Engine, clock: Clock) -> None:
    create(
        engine,
        AttributeDefinitions=definitions("pk", "other"),
        GlobalSecondaryIndexes=[index("gsi", "other")],
    )
    recover(engine)
    put(engine, "things", "a", other={"S": "x"})
    moment = clock.now
    clock.now += 10
    delete(engine, "a")
    restore(engine, RestoreDateTime=moment)
    assert keys(engine, "restored", IndexName="gsi") == {"a"}


def test_a_moment_outside_the_window_is_refused(engine: Engine, clock: Clock) -> None:
    create(engine)
    recover(engine)
    for moment in (clock.now - 1, clock.now + 1):
        with pytest.raises(InvalidRestoreTimeException):
            restore(engine, RestoreDateTime=moment)


def test_recovery_that_was_off_in_between_forgets_what_was_before(
    engine: Engine, clock: Clock
) -> None:
    create(engine)
    recover(engine)
    moment = clock.now
    clock.now += 10
    recover(engine, enabled=False)
    recover(engine)
    with pytest.raises(InvalidRestoreTimeException):
        restore(engine, RestoreDateTime=moment)


def test_what_cannot_be_restored_is_said(engine: Engine) -> None:
    with pytest.raises(TableNotFoundException, match=r" operation: Table not found: things$"):
        restore(engine, UseLatestRestorableTime=True)
    create(engine)
    with pytest.raises(PointInTimeRecoveryUnavailableException) as caught:
        restore(engine, UseLatestRestorableTime=True)
    assert caught.value.message == ("Point in time recovery is not enabled for table 'things'")
    recover(engine)
    with pytest.raises(ValidationException, match="One of UseLatestRestorableTime"):
        restore(engine)


def test_an_index_is_not_warmed_by_a_restore(engine: Engine) -> None:
    create(
        engine,
        AttributeDefinitions=definitions("pk", "color"),
        GlobalSecondaryIndexes=[index("by_color", "color")],
    )
    recover(engine)
    warm = index("by_color", "color", WarmThroughput={"ReadUnitsPerSecond": 20_000})
    with pytest.raises(ValidationException, match="not supported by this restore"):
        restore(engine, UseLatestRestorableTime=True, GlobalSecondaryIndexOverride=[warm])


STEPS = st.lists(
    st.tuples(st.sampled_from("abc"), st.one_of(st.none(), st.integers(0, 3))), max_size=12
)


@given(steps=STEPS, cut=st.integers(0, 12))
def test_every_moment_can_be_restored(steps: list[tuple[str, int | None]], cut: int) -> None:
    """Puts (a number) and deletes (None) in any order: the state after ``cut`` of them returns."""
    clock = Clock()
    with Engine(clock=clock) as engine:
        create(engine)
        recover(engine)
        expected: dict[str, str] = {}
        moment = clock.now
        for number, (key, value) in enumerate(steps):
            clock.now += 1
            if value is None:
                delete(engine, key)
            else:
                put(engine, "things", key, value={"N": str(value)})
            if number < cut:
                moment = clock.now
                expected.pop(key, None)
                expected |= {} if value is None else {key: str(value)}
        restore(engine, RestoreDateTime=moment)
        items = engine.call("Scan", {"TableName": "restored"})["Items"]
        assert {item["pk"]["S"]: item["value"]["N"] for item in items} == expected
