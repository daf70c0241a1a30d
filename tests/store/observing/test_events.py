"""Each request is told of once, with what it cost; a faulty observer disturbs nobody."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import pytest

from singletable import Engine
from singletable.errors import ThrottlingException, Unreachable
from singletable.store.observing.events import OF_ITEMS, Observers, RequestEvent, event_of, metered

TABLE = "shop"
EVENT = RequestEvent(operation="Query", table=TABLE, latency_s=0.25)


def _seen(operation: str, request: dict[str, Any], answer: dict[str, Any]) -> RequestEvent:
    return event_of(operation, request, answer=answer, latency_s=0.0)


def test_an_answer_becomes_an_event() -> None:
    consumed = {
        "TableName": TABLE,
        "CapacityUnits": 4.5,
        "Table": {"CapacityUnits": 1.0},
        "LocalSecondaryIndexes": {"LSI1": {"CapacityUnits": 1.5}},
        "GlobalSecondaryIndexes": {"GSI1": {"CapacityUnits": 2.0}},
    }
    event = event_of(
        "Query",
        {"TableName": TABLE, "IndexName": "GSI1"},
        answer={"Items": [], "Count": 3, "ScannedCount": 7, "ConsumedCapacity": consumed},
        latency_s=0.5,
        retries=2,
        pattern="sessions",
    )
    assert event == RequestEvent(
        pattern="sessions",
        operation="Query",
        table=TABLE,
        index="GSI1",
        consumed=4.5,
        consumed_by_index={"LSI1": 1.5, "GSI1": 2.0},
        latency_s=0.5,
        retries=2,
        items=3,
        error=None,
    )


@pytest.mark.parametrize(
    ("error", "name"),
    [(ThrottlingException("slow down"), "ThrottlingException"), (Unreachable("?"), "Unreachable")],
)
def test_an_error_becomes_an_event_with_its_code(error: Exception, name: str) -> None:
    event = event_of("GetItem", {"TableName": TABLE}, error=error, latency_s=0.5, retries=7)
    assert event == RequestEvent(
        operation="GetItem", table=TABLE, error=name, latency_s=0.5, retries=7
    )


def test_capacity_is_summed_over_the_tables_of_an_answer() -> None:
    consumed = [
        {"CapacityUnits": 2.0, "GlobalSecondaryIndexes": {"GSI1": {"CapacityUnits": 1.0}}},
        {"CapacityUnits": 6.0, "GlobalSecondaryIndexes": {"GSI1": {"CapacityUnits": 3.0}}},
    ]
    request: dict[str, Any] = {"RequestItems": {"b": {}, "a": {}}}
    event = _seen("BatchGetItem", request, {"Responses": {}, "ConsumedCapacity": consumed})
    assert (event.consumed, event.consumed_by_index, event.table) == (8.0, {"GSI1": 4.0}, "a,b")


def test_capacity_that_was_not_told_is_not_zero() -> None:
    assert _seen("GetItem", {"TableName": TABLE}, {}).consumed is None


@pytest.fixture
def engine() -> Iterator[Engine]:
    """A table with the items 1 to 3."""
    engine = Engine()
    engine.create_table(
        TableName=TABLE,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": "PK", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "PK", "KeyType": "HASH"}],
    )
    for number in "123":
        engine.put_item(TableName=TABLE, Item={"PK": {"S": number}})
    yield engine
    engine.close()


KEYS = [{"PK": {"S": number}} for number in "139"]
GETS = [{"Get": {"TableName": TABLE, "Key": key}} for key in KEYS]
PUTS = [{"PutRequest": {"Item": key}} for key in KEYS]
WRITES = [
    {"Put": {"TableName": TABLE, "Item": KEYS[0]}},
    {"Delete": {"TableName": TABLE, "Key": KEYS[1]}},
    {
        "ConditionCheck": {
            "TableName": TABLE,
            "Key": KEYS[2],
            "ConditionExpression": "attribute_not_exists(PK)",
        }
    },
]


@pytest.mark.parametrize(
    ("operation", "request_made", "items"),
    [
        ("GetItem", {"TableName": TABLE, "Key": KEYS[0]}, 1),
        ("GetItem", {"TableName": TABLE, "Key": KEYS[2]}, 0),
        ("Scan", {"TableName": TABLE}, 3),
        ("Scan", {"TableName": TABLE, "Select": "COUNT"}, 3),
        ("BatchGetItem", {"RequestItems": {TABLE: {"Keys": KEYS}}}, 2),
        ("TransactGetItems", {"TransactItems": GETS}, 2),
        ("PutItem", {"TableName": TABLE, "Item": KEYS[2]}, 1),
        ("UpdateItem", {"TableName": TABLE, "Key": KEYS[2]}, 1),
        ("DeleteItem", {"TableName": TABLE, "Key": KEYS[0]}, 1),
        ("BatchWriteItem", {"RequestItems": {TABLE: PUTS}}, 3),
        ("TransactWriteItems", {"TransactItems": WRITES}, 2),
    ],
)
def test_every_operation_on_items_tells_table_items_and_capacity(
    engine: Engine, operation: str, request_made: dict[str, Any], items: int
) -> None:
    """The answers are the engine's own."""
    answer = engine.call(operation, metered(operation, request_made))
    event = _seen(operation, request_made, answer)
    assert (event.table, event.items, event.error) == (TABLE, items, None)
    assert event.consumed is not None
    assert event.consumed > 0


def test_what_was_left_unprocessed_was_not_written() -> None:
    request = {"RequestItems": {TABLE: PUTS}}
    assert _seen("BatchWriteItem", request, {"UnprocessedItems": {TABLE: PUTS[:1]}}).items == 2


def test_an_operation_on_tables_has_neither_items_nor_capacity(engine: Engine) -> None:
    request = metered("DescribeTable", {"TableName": TABLE})
    event = _seen("DescribeTable", request, engine.call("DescribeTable", request))
    assert (event.table, event.items, event.consumed) == (TABLE, None, None)
    assert _seen("ListTables", {}, {"TableNames": [TABLE]}).table == ""


@pytest.mark.parametrize("operation", sorted(OF_ITEMS))
def test_an_answer_that_lacks_its_parts_still_makes_an_event(operation: str) -> None:
    request: dict[str, Any] = {"TableName": TABLE, "RequestItems": {}, "TransactItems": []}
    consumed: dict[str, Any] = {"GlobalSecondaryIndexes": {"GSI1": {}}}
    event = _seen(operation, request, {"ConsumedCapacity": consumed})
    assert (event.operation, event.consumed) == (operation, 0.0)


def test_asking_for_capacity_changes_neither_the_request_nor_what_it_says() -> None:
    request = {"TableName": TABLE}
    assert metered("Query", request) == {"TableName": TABLE, "ReturnConsumedCapacity": "INDEXES"}
    assert request == {"TableName": TABLE}
    assert metered("Query", {"ReturnConsumedCapacity": "NONE"})["ReturnConsumedCapacity"] == "NONE"


def test_an_observer_that_raises_is_logged_once_and_disturbs_nobody(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fail(event: RequestEvent) -> None:
        raise ZeroDivisionError("mine")

    seen: list[RequestEvent] = []
    observers = Observers([fail, seen.append])
    with caplog.at_level(logging.ERROR, "singletable"):
        observers(EVENT)
        observers(EVENT)
    assert seen == [EVENT, EVENT]
    [record] = caplog.records
    assert record.name == "singletable"
    assert "fail" in record.getMessage()
    assert record.exc_info is not None
    assert record.exc_info[0] is ZeroDivisionError


def test_each_faulty_observer_is_logged_in_its_own_right(caplog: pytest.LogCaptureFixture) -> None:
    def fail(event: RequestEvent) -> None:
        raise ZeroDivisionError

    def fail_too(event: RequestEvent) -> None:
        raise KeyError

    Observers([fail, fail_too])(EVENT)
    assert len(caplog.records) == 2


def test_observers_say_whether_there_are_any() -> None:
    assert not Observers()
    assert Observers([print])
