"""A meter tells which keys were hot, when and what for, within bounds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from singletable import Hardships, Meter
from singletable.engine import Engine
from singletable.engine.metering.meter import STEPS_MAX
from singletable.errors import AccessDeniedException, ThrottlingException
from tests.engine.support import Clock, create, definitions, index, put

PUT = {"Action": "dynamodb:PutItem", "Resource": "*", "Effect": "Allow"}


@pytest.fixture
def meter() -> Meter:
    return Meter()


@pytest.fixture
def metered(engine: Engine, meter: Meter) -> Engine:
    """Give an engine with a meter, and a table with an index by ``g``."""
    create(
        engine,
        AttributeDefinitions=definitions("pk", "g"),
        GlobalSecondaryIndexes=[index("by_g", "g")],
    )
    return engine.metered(meter)


def get(engine: Engine, key: str) -> None:
    request = {"TableName": "things", "Key": {"pk": {"S": key}}, "ConsistentRead": True}
    engine.call("GetItem", request)


def test_keys_are_told_with_the_hottest_first(metered: Engine, meter: Meter) -> None:
    put(metered, "things", "a", "b", "b", g={"S": "all"})
    get(metered, "b")
    hottest = meter.hottest()
    assert [(heat.index, heat.key) for heat in hottest] == [
        (None, "b"),
        ("by_g", "all"),
        (None, "a"),
    ]
    b = hottest[0]
    assert (b.table, b.reads, b.writes, b.requests) == ("things", 1, 2, 3)
    assert b.load == pytest.approx(2 / 1000 + 1 / 3000)
    assert sum(heat.share for heat in hottest) == pytest.approx(1)
    assert meter.hottest(1) == hottest[:1]
    assert (meter.reads, meter.writes) == (1, 5)  # the same item again leaves the index alone


def test_a_peak_is_the_most_of_one_second(metered: Engine, meter: Meter, clock: Clock) -> None:
    put(metered, "things", *"aaa")
    clock.now += 0.5
    put(metered, "things", "a")
    get(metered, "a")
    clock.now += 0.5
    put(metered, "things", "a")
    [heat] = meter.hottest()
    assert (heat.peak_reads, heat.peak_writes) == (1, 4)
    assert heat.times == {1_700_000_000: pytest.approx(4 / 1000 + 1 / 3000), 1_700_000_001: 0.001}


def test_a_key_is_too_hot_above_what_a_partition_has(
    metered: Engine, meter: Meter, clock: Clock
) -> None:
    for _ in range(2):
        put(metered, "things", "busy", *["hot"] * 500)
        clock.now += 0.4
    assert meter.too_hot() == []
    put(metered, "things", "hot")
    assert [heat.key for heat in meter.too_hot()] == ["hot"]


def test_scans_make_no_key_too_hot(metered: Engine, meter: Meter) -> None:
    put(metered, "things", *map(str, range(30)), body={"S": "x" * 300_000})
    for _ in range(40):
        metered.call("Scan", {"TableName": "things", "ConsistentRead": True})
    scans = next(heat for heat in meter.hottest() if heat.key is None)
    assert scans.peak_reads > 3000
    assert meter.too_hot() == []


def test_units_are_told_by_operation_or_by_purpose(metered: Engine, meter: Meter) -> None:
    put(metered, "things", "a")
    with meter.purpose("report"):
        get(metered, "a")
        with meter.purpose("detail"):
            get(metered, "a")
        get(metered, "a")
    get(metered, "a")
    [heat] = meter.hottest()
    assert heat.purposes == pytest.approx(
        {"PutItem": 0.001, "report": 2 / 3000, "detail": 1 / 3000, "GetItem": 1 / 3000}
    )


def test_steps_grow_with_the_time(metered: Engine, meter: Meter, clock: Clock) -> None:
    for _ in range(10 * STEPS_MAX):
        put(metered, "things", "a")
        clock.now += 1
    assert meter.step_s == 16
    [heat] = meter.hottest()
    assert len(heat.times) <= STEPS_MAX + 1
    assert all(start % meter.step_s == 0 for start in heat.times)
    assert sum(heat.times.values()) == pytest.approx(heat.load)
    clock.now -= 10**9
    put(metered, "things", "a")
    assert len(meter.hottest()[0].times) <= STEPS_MAX + 1


def test_of_many_keys_the_hottest_are_held(metered: Engine, clock: Clock) -> None:
    meter = Meter(keys_max=10)
    engine = metered.metered(meter)
    put(engine, "things", *["burst"] * 1001)
    clock.now += 1
    for number in range(1100):
        put(engine, "things", f"cold {number}")
        if number % 5 == 0:
            put(engine, "things", *["steady"] * 20)
        assert len(meter.hottest()) <= 20
    hottest = {heat.key: heat.writes for heat in meter.hottest()}
    assert hottest["burst"] == 1001
    assert hottest["steady"] == 20 * 220
    assert meter.writes == 1001 + 1100 + 20 * 220


def test_a_key_that_was_too_hot_is_held_before_others(metered: Engine, clock: Clock) -> None:
    meter = Meter(keys_max=1)
    engine = metered.metered(meter)
    for _ in range(2):
        put(engine, "things", *["warm"] * 900)
        clock.now += 1
    put(engine, "things", *["burst"] * 1001)
    put(engine, "things", "cold", "colder")
    assert "burst" in {heat.key for heat in meter.hottest()}


def test_threads_share_a_meter(metered: Engine, meter: Meter) -> None:
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda _: put(metered, "things", *"aaaaa"), range(40)))
    [heat] = meter.hottest()
    assert (heat.writes, heat.requests, heat.peak_writes) == (200, 200, 200)


def test_engines_share_a_meter(metered: Engine, meter: Meter) -> None:
    with metered.fork() as other:
        put(other, "things", "a")
        put(other.metered(meter), "things", "a")
    put(metered, "things", "a")
    assert meter.hottest()[0].writes == 2


def test_the_engine_below_counts_nothing(engine: Engine, metered: Engine, meter: Meter) -> None:
    put(engine, "things", "a")
    metered.call("DescribeTable", {"TableName": "things"})
    assert meter.hottest() == []
    assert metered.is_metered
    assert not engine.is_metered


def test_requests_of_the_wire_are_counted(metered: Engine, meter: Meter) -> None:
    request = {"TableName": "things", "Item": {"pk": {"S": "a"}}}
    assert metered.call_json("PutItem", json.dumps(request).encode()) == b"{}"
    assert meter.hottest()[0].writes == 1


@pytest.fixture(params=["inside", "outside"])
def throttled(request: pytest.FixtureRequest, engine: Engine, meter: Meter) -> Iterator[Engine]:
    """Give an engine that has limits and a meter, the one around the other."""
    create(engine)
    limits = Hardships(limits=True)
    if request.param == "inside":
        yield engine.metered(meter).under(limits)
    else:
        yield engine.under(limits).metered(meter)


def test_what_is_throttled_is_not_counted(throttled: Engine, meter: Meter) -> None:
    with pytest.raises(ThrottlingException):
        put(throttled, "things", *["a"] * 1100)
    [heat] = meter.hottest()
    assert heat.writes == 1000
    asked = {"TableName": "things", "Key": {"pk": {"S": "a"}}, "ReturnConsumedCapacity": "TOTAL"}
    answer = throttled.call("GetItem", asked)
    assert answer["ConsumedCapacity"] == {"TableName": "things", "CapacityUnits": 0.5}


def test_what_a_role_may_not_do_is_not_counted(metered: Engine, meter: Meter) -> None:
    role = metered.as_role({"Statement": PUT})
    put(role, "things", "a")
    with pytest.raises(AccessDeniedException):
        get(role, "a")
    [heat] = meter.hottest()
    assert (heat.reads, heat.writes) == (0, 1)


def test_a_meter_holds_some_keys() -> None:
    with pytest.raises(ValueError, match="keys_max is 0"):
        Meter(keys_max=0)
