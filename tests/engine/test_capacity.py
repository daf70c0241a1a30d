"""Capacity units follow the service's rules, to the unit."""

from __future__ import annotations

from typing import Any

import pytest

from singletable.engine import Engine
from singletable.engine.capacity import read_units, write_units
from tests.engine.support import create, definitions, index, key_schema

KEYS_ONLY = {"ProjectionType": "KEYS_ONLY"}


@pytest.mark.parametrize(
    ("size", "eventual", "consistent"),
    [(0, 0.5, 1), (1, 0.5, 1), (4096, 0.5, 1), (4097, 1, 2), (8192, 1, 2), (400 * 1024, 50, 100)],
)
def test_reads_are_counted_in_4_kb(size: int, eventual: float, consistent: float) -> None:
    assert read_units(size) == eventual
    assert read_units(size, consistent=True) == consistent


@pytest.mark.parametrize(("size", "units"), [(0, 1), (1, 1), (1024, 1), (1025, 2), (2560, 3)])
def test_writes_are_counted_in_1_kb(size: int, units: float) -> None:
    assert write_units(size) == units


@pytest.fixture
def indexed(engine: Engine) -> Engine:
    """An engine with a table that has an index of keys and one of everything."""
    create(
        engine,
        AttributeDefinitions=definitions("pk", "k", "a"),
        KeySchema=key_schema("pk"),
        GlobalSecondaryIndexes=[
            index("keys", "k", Projection=KEYS_ONLY),
            index("all", "a"),
        ],
    )
    return engine


def item(**attributes: str) -> dict[str, Any]:
    """An item of 2.5 KB that both indexes have."""
    texts = {"pk": "1", "k": "key", "a": "all", "body": "x" * 2500} | attributes
    return {name: {"S": text} for name, text in texts.items() if text}


def units(answer: dict[str, Any]) -> tuple[float, float, float]:
    """Give the units of the table, of the index of keys and of the index of everything."""
    consumed = answer["ConsumedCapacity"]
    indexes = consumed.get("GlobalSecondaryIndexes", {})
    of = [indexes.get(name, {"CapacityUnits": 0.0})["CapacityUnits"] for name in ("keys", "all")]
    assert consumed["CapacityUnits"] == consumed["Table"]["CapacityUnits"] + sum(of)
    return consumed["Table"]["CapacityUnits"], of[0], of[1]


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        pytest.param(item(), (3, 0, 0), id="identical"),
        pytest.param(
            item(body="y" * 2500), (3, 0, 3), id="an attribute that the index of keys lacks"
        ),
        pytest.param(item(k="other", a="others"), (3, 2, 6), id="both index keys"),
        pytest.param(item(k="", a=""), (3, 1, 3), id="index keys removed"),
        pytest.param(item(body="x"), (3, 0, 3), id="smaller"),
    ],
)
def test_index_writes_cost_what_they_change(
    indexed: Engine, after: dict[str, Any], expected: tuple[float, float, float]
) -> None:
    request = {"TableName": "things", "ReturnConsumedCapacity": "INDEXES"}
    assert units(indexed.call("PutItem", {**request, "Item": item()})) == (3, 1, 3)
    assert units(indexed.call("PutItem", {**request, "Item": after})) == expected


def test_a_delete_of_nothing_costs_one(indexed: Engine) -> None:
    request = {"TableName": "things", "Key": {"pk": {"S": "none"}}}
    answer = indexed.call("DeleteItem", {**request, "ReturnConsumedCapacity": "INDEXES"})
    assert units(answer) == (1, 0, 0)


def test_a_transaction_costs_twice(indexed: Engine) -> None:
    put = {"Put": {"TableName": "things", "Item": item()}}
    request = {"TransactItems": [put], "ReturnConsumedCapacity": "INDEXES"}
    (consumed,) = indexed.call("TransactWriteItems", request)["ConsumedCapacity"]
    assert units({"ConsumedCapacity": consumed}) == (6, 2, 6)
    assert consumed["WriteCapacityUnits"] == 14


def test_a_query_rounds_the_sum_and_a_batch_each_item(engine: Engine) -> None:
    create(
        engine,
        AttributeDefinitions=definitions("pk", "sk"),
        KeySchema=key_schema("pk", "sk:RANGE"),
    )
    made = [{"pk": {"S": "p"}, "sk": {"S": str(n)}, "b": {"S": "x" * 1000}} for n in range(4)]
    for each in made:
        engine.call("PutItem", {"TableName": "things", "Item": each})
    capacity = {"ReturnConsumedCapacity": "TOTAL"}
    query = {
        "TableName": "things",
        "KeyConditionExpression": "pk = :p",
        "ExpressionAttributeValues": {":p": {"S": "p"}},
    }
    page = engine.call("Query", {**query, **capacity})
    assert page["ConsumedCapacity"]["CapacityUnits"] == 0.5
    keys = [{name: each[name] for name in ("pk", "sk")} for each in made]
    batch = engine.call("BatchGetItem", {"RequestItems": {"things": {"Keys": keys}}, **capacity})
    assert batch["ConsumedCapacity"][0]["CapacityUnits"] == 2.0
