"""Every unit is put down to the partition key that it was consumed at, whatever the operation."""

from __future__ import annotations

from collections import defaultdict
from contextlib import closing
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from singletable import Meter
from singletable.engine import Engine
from singletable.errors import ServiceError
from tests.differential.scenario import THEMES, Scenario, scenarios
from tests.engine.support import create, definitions, index, key_schema

Units = dict[tuple[str | None, str | None], tuple[float, float]]
"""Index and partition key → read and write units."""

TABLE = {"TableName": "things"}
ASKED = {"ReturnConsumedCapacity": "INDEXES"}
KB = 1024


def item(pk: str, sk: str, size: int = 0, **more: Any) -> dict[str, Any]:
    """An item of a little more than that size."""
    made = {"pk": {"S": pk}, "sk": {"S": sk}, "l": {"S": "l"}, **more}
    return {**made, "body": {"S": "x" * size}} if size else made


def key(pk: str, sk: str) -> dict[str, Any]:
    return {"pk": {"S": pk}, "sk": {"S": sk}}


@pytest.fixture
def things(engine: Engine) -> Engine:
    """An engine with a table that has indexes of every kind, and some items.

    ``p1`` has two items of 3 KB, and one of 20 KB that is in no global index; ``p2`` has a small
    one, which shares its status with the first two.
    """
    create(
        engine,
        AttributeDefinitions=definitions("pk", "sk", "l", "status", "tenant", "day:N", "blob:B"),
        KeySchema=key_schema("pk", "sk:RANGE"),
        LocalSecondaryIndexes=[
            index("by_l", "pk", "l:RANGE", Projection={"ProjectionType": "KEYS_ONLY"})
        ],
        GlobalSecondaryIndexes=[
            index("by_status", "status", "sk:RANGE"),
            index("by_day", "tenant", "day", "sk:RANGE"),
            index("by_blob", "blob", Projection={"ProjectionType": "KEYS_ONLY"}),
        ],
    )
    status: dict[str, Any] = {"status": {"S": "OPEN"}}
    day: dict[str, Any] = {"tenant": {"S": "t"}, "day": {"N": "-1.50"}}
    for each in (
        item("p1", "a", 3 * KB, **status, **day),
        item("p1", "b", 3 * KB, **status),
        item("p1", "c", 20 * KB),
        item("p2", "a", **status, blob={"B": b"\x00\xff"}),
    ):
        engine.call("PutItem", {**TABLE, "Item": each})
    return engine


def query(expression: str, **values: Any) -> dict[str, Any]:
    named = {f":{name}": value for name, value in values.items()}
    return {
        **TABLE,
        "KeyConditionExpression": expression,
        "ExpressionAttributeValues": named,
    }


def select(where: str) -> dict[str, Any]:
    return {"Statement": f"SELECT * FROM things WHERE {where}"}


def update(expression: str, pk: str = "p1", sk: str = "a", **values: str) -> dict[str, Any]:
    """An update in which ``#status`` is an attribute, and values are strings."""
    request: dict[str, Any] = {**TABLE, "Key": key(pk, sk), "UpdateExpression": expression}
    if "#status" in expression:
        request["ExpressionAttributeNames"] = {"#status": "status"}
    if values:
        named = {f":{name}": {"S": text} for name, text in values.items()}
        request["ExpressionAttributeValues"] = named
    return request


READS: dict[str, tuple[str, dict[str, Any], Units]] = {
    "an item": ("GetItem", {**TABLE, "Key": key("p1", "c")}, {(None, "p1"): (3, 0)}),
    "an item, consistently": (
        "GetItem",
        {**TABLE, "Key": key("p1", "c"), "ConsistentRead": True},
        {(None, "p1"): (6, 0)},
    ),
    "no item": ("GetItem", {**TABLE, "Key": key("p9", "a")}, {(None, "p9"): (0.5, 0)}),
    "items of two keys": (
        "BatchGetItem",
        {
            "RequestItems": {
                "things": {"Keys": [key("p1", "a"), key("p1", "c"), key("p2", "a"), key("p9", "a")]}
            }
        },
        {(None, "p1"): (3.5, 0), (None, "p2"): (0.5, 0), (None, "p9"): (0.5, 0)},
    ),
    "items together": (
        "TransactGetItems",
        {
            "TransactItems": [
                {"Get": {**TABLE, "Key": key("p1", "c")}},
                {"Get": {**TABLE, "Key": key("p2", "a")}},
            ]
        },
        {(None, "p1"): (12, 0), (None, "p2"): (2, 0)},
    ),
    "a query": ("Query", query("pk = :p", p={"S": "p1"}), {(None, "p1"): (3.5, 0)}),
    "a query of nothing": (
        "Query",
        query("pk = :p AND sk > :s", p={"S": "p1"}, s={"S": "z"}),
        {(None, "p1"): (0.5, 0)},
    ),
    "a query of a global index": (
        "Query",
        {**query("#s = :s", s={"S": "OPEN"}), "IndexName": "by_status"}
        | {"ExpressionAttributeNames": {"#s": "status"}},
        {("by_status", "OPEN"): (1, 0)},
    ),
    "a query by several attributes": (
        "Query",
        {
            **query("tenant = :t AND #d = :d", t={"S": "t"}, d={"N": "-1.5"}),
            "IndexName": "by_day",
            "ExpressionAttributeNames": {"#d": "day"},
        },
        {("by_day", "t · -1.5"): (0.5, 0)},
    ),
    "a query by bytes": (
        "Query",
        {
            **query("#b = :b", b={"B": b"\x00\xff"}),
            "IndexName": "by_blob",
            "ExpressionAttributeNames": {"#b": "blob"},
        },
        {("by_blob", "AP8="): (0.5, 0)},
    ),
    "a query of a local index, and what that lacks": (
        "Query",
        {**query("pk = :p", p={"S": "p1"}), "IndexName": "by_l", "Select": "ALL_ATTRIBUTES"},
        {(None, "p1"): (0.5 + 0.5 + 0.5 + 3, 0)},
    ),
    "a scan": ("Scan", TABLE, {(None, None): (3.5, 0)}),
    "a segment of a scan": (
        "Scan",
        {**TABLE, "Segment": 1, "TotalSegments": 2_000, "ConsistentRead": True},
        {(None, None): (1, 0)},
    ),
    "a scan of an index": (
        "Scan",
        {**TABLE, "IndexName": "by_status"},
        {("by_status", None): (1, 0)},
    ),
    "a statement for two keys": (
        "ExecuteStatement",
        select("pk IN ['p1', 'p2']"),
        {(None, "p1"): (3.5, 0), (None, "p2"): (0.5, 0)},
    ),
    "a statement for all": (
        "ExecuteStatement",
        select("body = 'none'"),
        {(None, None): (3.5, 0)},
    ),
    "statements": (
        "BatchExecuteStatement",
        {"Statements": [select("pk = 'p1' AND sk = 'c'"), select("pk = 'p2' AND sk = 'a'")]},
        {(None, "p1"): (3, 0), (None, "p2"): (0.5, 0)},
    ),
    "statements together": (
        "ExecuteTransaction",
        {
            "TransactStatements": [
                select("pk = 'p1' AND sk = 'c'"),
                select("pk = 'p2' AND sk = 'a'"),
            ]
        },
        {(None, "p1"): (12, 0), (None, "p2"): (2, 0)},
    ),
}
OPEN, DONE, DAY = ("by_status", "OPEN"), ("by_status", "DONE"), ("by_day", "t · -1.5")
WRITES: dict[str, tuple[str, dict[str, Any], Units]] = {
    "a new item": (
        "PutItem",
        {**TABLE, "Item": item("p3", "a", KB, status={"S": "OPEN"})},
        {(None, "p3"): (0, 2 + 1), OPEN: (0, 2)},
    ),
    "the same item": (
        "PutItem",
        {**TABLE, "Item": item("p1", "c", 20 * KB)},
        {(None, "p1"): (0, 21)},
    ),
    "another item in its place": (
        "PutItem",
        {**TABLE, "Item": item("p1", "a", status={"S": "DONE"})},
        {(None, "p1"): (0, 4), OPEN: (0, 4), DONE: (0, 1), DAY: (0, 4)},
    ),
    "another status": (
        "UpdateItem",
        update("SET #status = :s", s="DONE"),
        {(None, "p1"): (0, 4), OPEN: (0, 4), DONE: (0, 4), DAY: (0, 4)},
    ),
    "no status": (
        "UpdateItem",
        update("REMOVE #status, body"),
        {(None, "p1"): (0, 4), OPEN: (0, 4), DAY: (0, 4)},
    ),
    "another place under the same status": (
        "UpdateItem",
        update("SET l = :l", l="m"),
        {(None, "p1"): (0, 4 + 2), OPEN: (0, 4), DAY: (0, 4)},
    ),
    "an item deleted": (
        "DeleteItem",
        {**TABLE, "Key": key("p1", "a")},
        {(None, "p1"): (0, 4 + 1), OPEN: (0, 4), DAY: (0, 4)},
    ),
    "nothing deleted": ("DeleteItem", {**TABLE, "Key": key("p9", "a")}, {(None, "p9"): (0, 1)}),
    "a batch": (
        "BatchWriteItem",
        {
            "RequestItems": {
                "things": [
                    {"PutRequest": {"Item": item("p3", "a", blob={"B": b"b"})}},
                    {"DeleteRequest": {"Key": key("p1", "b")}},
                ]
            }
        },
        {(None, "p3"): (0, 2), ("by_blob", "Yg=="): (0, 1), (None, "p1"): (0, 5), OPEN: (0, 4)},
    ),
    "a transaction": (
        "TransactWriteItems",
        {
            "TransactItems": [
                {"Put": {**TABLE, "Item": item("p3", "a")}},
                {"Update": update("SET #status = :s", "p2", s="DONE")},
                {"Delete": {**TABLE, "Key": key("p1", "b")}},
                {
                    "ConditionCheck": {
                        **TABLE,
                        "Key": key("p1", "a"),
                        "ConditionExpression": "attribute_exists(pk)",
                    }
                },
            ]
        },
        {
            (None, "p3"): (0, 4),
            (None, "p2"): (0, 2),
            (None, "p1"): (0, 10 + 8),
            OPEN: (0, 2 + 8),
            DONE: (0, 2),
        },
    ),
    "a statement": (
        "ExecuteStatement",
        {"Statement": "UPDATE things SET status='DONE' WHERE pk='p2' AND sk='a'"},
        {(None, "p2"): (0, 1), OPEN: (0, 1), DONE: (0, 1)},
    ),
    "statements": (
        "BatchExecuteStatement",
        {
            "Statements": [
                {"Statement": "INSERT INTO things VALUE {'pk': 'p3', 'sk': 'a', 'status': 'DONE'}"},
                {"Statement": "DELETE FROM things WHERE pk='p2' AND sk='a'"},
                {"Statement": "INSERT INTO things VALUE {'pk': 'p1', 'sk': 'a'}"},  # is there
            ]
        },
        {
            (None, "p1"): (0, 4),  # what is refused is paid for
            (None, "p3"): (0, 1),
            DONE: (0, 1),
            (None, "p2"): (0, 2),
            OPEN: (0, 1),
            ("by_blob", "AP8="): (0, 1),
        },
    ),
    "statements together": (
        "ExecuteTransaction",
        {
            "TransactStatements": [
                {"Statement": "DELETE FROM things WHERE pk='p1' AND sk='b'"},
                {"Statement": "EXISTS(SELECT * FROM things WHERE pk='p2' AND sk='a' AND l='l')"},
            ]
        },
        {(None, "p1"): (0, 10), OPEN: (0, 8), (None, "p2"): (0, 2)},
    ),
}


def measured(meter: Meter) -> Units:
    return {(heat.index, heat.key): (heat.reads, heat.writes) for heat in meter.hottest()}


def consumed(answer: dict[str, Any]) -> dict[tuple[str, str | None], float]:
    """Give the units that an answer reports of each table and global index."""
    units: defaultdict[tuple[str, str | None], float] = defaultdict(float)
    reports = answer.get("ConsumedCapacity", [])
    for report in [reports] if isinstance(reports, dict) else reports:
        name = report["TableName"]
        for index_name, each in report.get("GlobalSecondaryIndexes", {}).items():
            units[name, index_name] += each["CapacityUnits"]
        units[name, None] += report["Table"]["CapacityUnits"]
        for each in report.get("LocalSecondaryIndexes", {}).values():
            units[name, None] += each["CapacityUnits"]
    return {place: each for place, each in units.items() if each}


def summed(meter: Meter) -> dict[tuple[str, str | None], float]:
    """Give the units that a meter has of each table and global index."""
    units: defaultdict[tuple[str, str | None], float] = defaultdict(float)
    for heat in meter.hottest():
        units[heat.table, heat.index] += heat.reads + heat.writes
    return dict(units)


@pytest.mark.parametrize(
    ("operation", "request_", "expected"),
    [*READS.values(), *WRITES.values()],
    ids=[*READS, *WRITES],
)
def test_units_are_put_down_to_keys(
    things: Engine, operation: str, request_: dict[str, Any], expected: Units
) -> None:
    meter = Meter()
    told = things.fork().call(operation, {**request_, **ASKED})
    answer = things.metered(meter).call(operation, request_)
    assert measured(meter) == expected
    assert summed(meter) == consumed(told)
    del told["ConsumedCapacity"]
    assert answer == told


@pytest.mark.parametrize(
    ("operation", "request_"), [case[:2] for case in [*READS.values(), *WRITES.values()]]
)
def test_capacity_is_told_as_it_is_asked_for(
    things: Engine, operation: str, request_: dict[str, Any]
) -> None:
    for mode in ("NONE", "TOTAL", "INDEXES"):
        asked = {**request_, "ReturnConsumedCapacity": mode}
        told = things.fork().call(operation, asked)
        assert things.fork().metered(Meter()).call(operation, asked) == told


def test_a_transaction_that_is_repeated_reads(things: Engine) -> None:
    meter = Meter()
    put = {"Put": {**TABLE, "Item": item("p3", "a", 5 * KB)}}
    request = {"TransactItems": [put], "ClientRequestToken": "once"}
    things.call("TransactWriteItems", request)
    things.metered(meter).call("TransactWriteItems", request)
    assert measured(meter) == {(None, "p3"): (4, 0)}


def test_what_is_refused_consumes_nothing(things: Engine) -> None:
    meter = Meter()
    put = {**TABLE, "Item": item("p1", "a"), "ConditionExpression": "attribute_not_exists(pk)"}
    with pytest.raises(ServiceError):
        things.metered(meter).call("PutItem", put)
    assert meter.hottest() == []


@pytest.mark.hypothesis
@pytest.mark.parametrize("theme", THEMES)
def test_the_sum_over_keys_is_what_answers_report(theme: str) -> None:
    @settings(
        max_examples=20,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.large_base_example],
    )
    @given(scenario=scenarios(theme))
    def agree(scenario: Scenario) -> None:
        with closing(Engine(ttl_interval=None)) as engine, closing(engine.fork()) as other:
            for table in scenario.tables:
                for each in (engine, other):
                    each.call("CreateTable", table.document())
            for step in scenario.steps:
                meter = Meter()
                answer = _answer(engine.metered(meter), step.operation, step.request)
                told = _answer(other, step.operation, {**step.request, **ASKED})
                assert summed(meter) == consumed(told)
                answer.pop("ConsumedCapacity", None)
                told.pop("ConsumedCapacity", None)
                assert answer == told

    agree()


def _answer(engine: Engine, operation: str, request: dict[str, Any]) -> dict[str, Any]:
    try:
        return engine.call(operation, request)
    except ServiceError as error:
        return {"Error": str(error)}
