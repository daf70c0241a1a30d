"""UpdateTimeToLive and DescribeTimeToLive."""

from __future__ import annotations

from typing import Any

import pytest

from singletable.engine import Engine
from singletable.errors import ResourceNotFoundException, ValidationException
from tests.engine.support import create, put


def update(engine: Engine, attribute: str, *, enabled: bool) -> dict[str, Any]:
    specification = {"Enabled": enabled, "AttributeName": attribute}
    request = {"TableName": "things", "TimeToLiveSpecification": specification}
    return engine.call("UpdateTimeToLive", request)


def described(engine: Engine) -> dict[str, Any]:
    answer = engine.call("DescribeTimeToLive", {"TableName": "things"})
    description: dict[str, Any] = answer["TimeToLiveDescription"]
    return description


def expiries(engine: Engine) -> list[int | None]:
    table = engine._db.table("things")
    with engine._db.storage.read() as tx:
        return [at for (at,) in tx.execute(f"SELECT expires FROM {table.rows} ORDER BY key")]


def test_time_to_live_is_off_until_enabled(engine: Engine) -> None:
    create(engine)
    assert described(engine) == {"TimeToLiveStatus": "DISABLED"}
    answer = update(engine, "expires", enabled=True)
    assert answer == {"TimeToLiveSpecification": {"Enabled": True, "AttributeName": "expires"}}
    assert described(engine) == {"TimeToLiveStatus": "ENABLED", "AttributeName": "expires"}
    update(engine, "expires", enabled=False)
    assert described(engine) == {"TimeToLiveStatus": "DISABLED"}


def test_it_holds_for_items_that_were_there(engine: Engine) -> None:
    create(engine)
    put(engine, "things", "a", expires={"N": "5"})
    put(engine, "things", "b", expires={"S": "5"})
    put(engine, "things", "c")
    assert set(expiries(engine)) == {None}
    update(engine, "expires", enabled=True)
    assert sorted(at or 0 for at in expiries(engine)) == [0, 0, 5]
    update(engine, "expires", enabled=False)
    assert set(expiries(engine)) == {None}


def test_a_change_to_what_is_so_already_is_refused(engine: Engine) -> None:
    create(engine)
    with pytest.raises(ValidationException, match=r" operation: TimeToLive is already disabled$"):
        update(engine, "expires", enabled=False)
    update(engine, "expires", enabled=True)
    with pytest.raises(ValidationException, match=r" operation: TimeToLive is already enabled$"):
        update(engine, "expires", enabled=True)


@pytest.mark.parametrize("enabled", [True, False])
def test_another_attribute_is_refused_while_one_is_active(engine: Engine, *, enabled: bool) -> None:
    create(engine)
    update(engine, "expires", enabled=True)
    with pytest.raises(ValidationException) as caught:
        update(engine, "other", enabled=enabled)
    assert caught.value.message == (
        "TimeToLive is active on a different AttributeName: current AttributeName is expires"
    )


def test_a_missing_table_is_named(engine: Engine) -> None:
    with pytest.raises(ResourceNotFoundException, match="Table: things not found"):
        described(engine)
