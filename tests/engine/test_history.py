"""Tables as they were at a moment, and how long that is known."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from singletable.engine import Engine, history
from tests.engine.support import Clock, create, keys, put

DAY = 86400


def enable(engine: Engine, name: str = "things", *, enabled: bool = True) -> None:
    specification = {"PointInTimeRecoveryEnabled": enabled}
    request = {"TableName": name, "PointInTimeRecoverySpecification": specification}
    engine.call("UpdateContinuousBackups", request)


def contents(engine: Engine, name: str, **members: Any) -> dict[str, Any]:
    """Give the items of a table by their keys."""
    items = engine.call("Scan", {"TableName": name, **members})["Items"]
    return {item["pk"]["S"]: item for item in items}


def restore(engine: Engine, moment: float, target: str) -> dict[str, Any]:
    request = {"SourceTableName": "things", "TargetTableName": target}
    engine.call("RestoreTableToPointInTime", {**request, "RestoreDateTime": moment})
    return contents(engine, target)


def kept_images(engine: Engine) -> int:
    table = engine._db.table("things")
    (count,) = engine._db.storage.fetchone(f"SELECT count(*) FROM {table.history}", ())
    return int(count)


changes = st.lists(st.tuples(st.sampled_from("abc"), st.none() | st.integers(0, 9)), max_size=12)


@given(changes)
def test_every_moment_can_be_restored(made: list[tuple[str, int | None]]) -> None:
    """Puts and deletes, one a second: the table after each is what a restore gives."""
    clock = Clock()
    with Engine(clock=clock) as engine:
        create(engine)
        enable(engine)
        seen = {clock.now: contents(engine, "things")}
        for key, value in made:
            clock.now += 1
            if value is None:
                engine.call("DeleteItem", {"TableName": "things", "Key": {"pk": {"S": key}}})
            else:
                put(engine, "things", key, n={"N": str(value)})
            seen[clock.now] = contents(engine, "things")
        for number, (moment, items) in enumerate(seen.items()):
            assert restore(engine, moment, f"restored-{number}") == items


def test_changes_of_one_moment_are_all_in_or_all_out(engine: Engine, clock: Clock) -> None:
    create(engine)
    enable(engine)
    before = clock.now
    clock.now += 1
    put(engine, "things", "a", n={"N": "1"})
    put(engine, "things", "a", n={"N": "2"})
    assert restore(engine, before, "restored-before") == {}
    assert restore(engine, clock.now, "restored-after")["a"]["n"] == {"N": "2"}


def test_images_are_forgotten_after_35_days(engine: Engine, clock: Clock) -> None:
    create(engine)
    enable(engine)
    put(engine, "things", *"abcd")
    clock.now += 35 * DAY
    put(engine, "things", "e")
    assert kept_images(engine) == 5
    clock.now += 1
    put(engine, "things", "f")
    assert kept_images(engine) == 6 - history.FORGOTTEN_AT_ONCE
    put(engine, "things", "g")
    put(engine, "things", "h")
    assert kept_images(engine) == 4


def test_nothing_is_kept_while_recovery_is_off(engine: Engine) -> None:
    create(engine)
    put(engine, "things", "a")
    assert kept_images(engine) == 0
    enable(engine)
    put(engine, "things", "a", n={"N": "1"})
    assert kept_images(engine) == 1
    enable(engine, enabled=False)
    assert kept_images(engine) == 0
    assert keys(engine, "things") == {"a"}
