"""Throughput limits of partitions, and of what is provisioned."""

from __future__ import annotations

from typing import Any

import pytest

from singletable import Hardships
from singletable.engine import Engine
from singletable.engine.hardships.ordeal import Ordeal
from singletable.engine.views import View
from singletable.errors import (
    ProvisionedThroughputExceededException,
    ServiceError,
    ThrottlingException,
)
from tests.engine.support import Clock, create, definitions, index

PAYLOAD = {"S": "x" * 99_000}
"""Makes an item of 97 write units, or 25 read units."""


@pytest.fixture
def hard(engine: Engine) -> Engine:
    """Give an engine that keeps to limits, with a table on demand."""
    create(
        engine,
        AttributeDefinitions=definitions("pk", "g"),
        GlobalSecondaryIndexes=[index("by_g", "g")],
    )
    return engine.under(Hardships(limits=True))


def _put(engine: Engine, key: str, **more: Any) -> dict[str, Any]:
    item = {"pk": {"S": key}, "payload": PAYLOAD}
    answer: dict[str, Any] = engine.call("PutItem", {"TableName": "things", "Item": item, **more})
    return answer


def _until_throttled(call: Any, most: int = 1000) -> int:
    for done in range(most):
        try:
            call()
        except (ThrottlingException, ProvisionedThroughputExceededException):
            return done
    return most


def test_a_hot_partition_has_a_thousand_write_units_a_second(hard: Engine, clock: Clock) -> None:
    assert _until_throttled(lambda: _put(hard, "hot")) == 11  # 10 consume 970 of them
    with pytest.raises(ThrottlingException) as caught:
        _put(hard, "hot")
    [reason] = caught.value.response["throttlingReasons"]
    assert reason["reason"] == "TableWriteKeyRangeThroughputExceeded"
    _put(hard, "cold")
    clock.now += 0.5
    assert _until_throttled(lambda: _put(hard, "hot")) == 5
    clock.now += 3600
    assert _until_throttled(lambda: _put(hard, "hot")) == 11


def test_a_hot_partition_has_three_thousand_read_units_a_second(hard: Engine) -> None:
    _put(hard, "hot")
    get = {"TableName": "things", "Key": {"pk": {"S": "hot"}}}
    assert _until_throttled(lambda: hard.call("GetItem", {**get, "ConsistentRead": True})) == 120


def test_an_index_has_partitions_of_its_own(engine: Engine, hard: Engine) -> None:
    for number in range(10):
        item = {"pk": {"S": str(number)}, "g": {"S": "hot"}, "payload": PAYLOAD}
        engine.call("PutItem", {"TableName": "things", "Item": item})
    query = {
        "TableName": "things",
        "IndexName": "by_g",
        "KeyConditionExpression": "g = :g",
        "ExpressionAttributeValues": {":g": {"S": "hot"}},
    }
    assert _until_throttled(lambda: hard.call("Query", query)) == 25  # of 121 units each
    with pytest.raises(ThrottlingException) as caught:
        hard.call("Query", query)
    [reason] = caught.value.response["throttlingReasons"]
    assert reason["reason"] == "IndexReadKeyRangeThroughputExceeded"
    assert reason["resource"].endswith("table/things/index/by_g")
    hard.call("Scan", {"TableName": "things"})


def test_partitions_share_what_a_batch_consumes(hard: Engine) -> None:
    puts = [{"PutRequest": {"Item": {"pk": {"S": str(n)}, "payload": PAYLOAD}}} for n in range(10)]
    batch = {"RequestItems": {"things": puts}}
    assert _until_throttled(lambda: hard.call("BatchWriteItem", batch)) == 11


def test_each_partition_is_charged_what_it_consumed_of_a_batch(hard: Engine) -> None:
    for number in range(11):
        large, small = {"pk": {"S": "large"}, "payload": PAYLOAD}, {"pk": {"S": f"s{number}"}}
        puts = [{"PutRequest": {"Item": item}} for item in (large, small)]
        hard.call("BatchWriteItem", {"RequestItems": {"things": puts}})
    assert _until_throttled(lambda: _put(hard, "large")) == 0
    assert _until_throttled(lambda: _put(hard, "s0")) == 11


def test_what_is_provisioned_lasts_for_a_burst(engine: Engine, clock: Clock) -> None:
    units = {"ReadCapacityUnits": 1, "WriteCapacityUnits": 2}
    create(engine, BillingMode="PROVISIONED", ProvisionedThroughput=units)
    hard = engine.under(Hardships(limits=True))
    assert _until_throttled(lambda: _put(hard, "a")) == 7  # of 300 seconds with 2 units each
    with pytest.raises(ProvisionedThroughputExceededException) as caught:
        _put(hard, "another partition")
    [reason] = caught.value.response["ThrottlingReasons"]
    assert reason["reason"] == "TableWriteProvisionedThroughputExceeded"
    clock.now += 60
    assert _until_throttled(lambda: _put(hard, "a")) == 1


def test_a_starved_index_holds_up_the_writes_of_its_table(engine: Engine) -> None:
    many, few = ({"ReadCapacityUnits": units, "WriteCapacityUnits": units} for units in (1000, 1))
    create(
        engine,
        AttributeDefinitions=definitions("pk", "g"),
        BillingMode="PROVISIONED",
        ProvisionedThroughput=many,
        GlobalSecondaryIndexes=[index("by_g", "g", ProvisionedThroughput=few)],
    )
    hard = engine.under(Hardships(limits=True))
    for number in range(4):
        item = {"pk": {"S": str(number)}, "g": {"S": "g"}, "payload": PAYLOAD}
        hard.call("PutItem", {"TableName": "things", "Item": item})
    with pytest.raises(ProvisionedThroughputExceededException, match="secondary index") as caught:
        _put(hard, "a")
    [reason] = caught.value.response["ThrottlingReasons"]
    assert reason["reason"] == "IndexWriteProvisionedThroughputExceeded"


def test_capacity_is_told_as_it_is_asked_for(engine: Engine, hard: Engine) -> None:
    for mode in ("NONE", "TOTAL", "INDEXES"):
        more = {"ReturnConsumedCapacity": mode}
        assert _put(hard, mode, **more) == _put(engine, mode, **more)
    assert _put(hard, "a") == {}
    statements = {"Statements": [{"Statement": "SELECT * FROM things WHERE pk = 'a'"}]}
    for more in ({}, {"ReturnConsumedCapacity": "TOTAL"}):
        answer = hard.call("BatchExecuteStatement", {**statements, **more})
        assert answer == engine.call("BatchExecuteStatement", {**statements, **more})


def test_a_refused_condition_is_free(hard: Engine) -> None:
    def refused() -> None:
        try:
            _put(hard, "a", ConditionExpression="attribute_exists(pk)")
        except ServiceError as error:
            if isinstance(error, ThrottlingException):
                raise

    assert _until_throttled(refused, most=50) == 50


def test_limits_that_are_full_again_are_forgotten(
    engine: Engine, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("singletable.engine.hardships.limits.LEVELS_MAX", 10)
    create(engine)
    ordeal = Ordeal(Hardships(limits=True))
    hard, limits = View.over(engine, ordeal.hardened), ordeal._limits
    assert limits
    for number in range(30):
        _put(hard, str(number))
        clock.now += 1
    assert len(limits._levels) <= 10
