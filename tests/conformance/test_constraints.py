"""Constraints of the request itself: required members, lengths, ranges, enumerations.

The service collects every violation of a request into one message; Local checks few of them.
"""

from __future__ import annotations

from typing import Any

import pytest

from .support import Client, create, invalid, item, keys, refusal, values


@pytest.fixture(scope="module")
def table(client: Client) -> str:
    return create(client, "pk:S")


KEY = item(pk="a")


def broken(value: str, path: str, rule: str) -> str:
    """Say what the service says about one violation."""
    return f"Value {value} at '{path}' failed to satisfy constraint: Member must {rule}"


def missing(path: str) -> str:
    """Say what the service says about a member that was not sent."""
    return broken("null", path, "not be null")


@pytest.mark.parametrize(
    ("operation", "part", "violations"),
    [
        pytest.param("get_item", {"Key": ...}, [missing("key")], id="get-without-key"),
        pytest.param("put_item", {"Item": ...}, [missing("item")], id="put-without-item"),
        pytest.param(
            "put_item",
            {"Item": ..., "TableName": ...},
            [missing("tableName"), missing("item")],
            id="put-without-anything",
        ),
        pytest.param("delete_item", {"Key": ...}, [missing("key")], id="delete-without-key"),
        pytest.param("update_item", {"Key": ...}, [missing("key")], id="update-without-key"),
        pytest.param("scan", {"TableName": ...}, [missing("tableName")], id="scan-of-nothing"),
        pytest.param(
            "describe_table", {"TableName": ...}, [missing("tableName")], id="describe-nothing"
        ),
        pytest.param(
            "batch_get_item",
            {"RequestItems": {}},
            [broken("'{}'", "requestItems", "have length greater than or equal to 1")],
            id="batch-get-without-requests",
        ),
        pytest.param(
            "batch_write_item",
            {"RequestItems": {}},
            [broken("'{}'", "requestItems", "have length greater than or equal to 1")],
            id="batch-write-without-requests",
        ),
        pytest.param(
            "transact_write_items",
            {},
            [missing("transactItems")],
            id="transaction-without-items",
        ),
        pytest.param("execute_statement", {}, [missing("statement")], id="statement-without-text"),
        pytest.param(
            "query",
            {"Limit": 0},
            [broken("'0'", "limit", "have value greater than or equal to 1")],
            id="limit-zero",
        ),
        pytest.param(
            "scan",
            {"Segment": -1, "TotalSegments": 0},
            [
                broken("'-1'", "segment", "have value greater than or equal to 0"),
                broken("'0'", "totalSegments", "have value greater than or equal to 1"),
            ],
            id="segments-too-small",
        ),
        pytest.param(
            "scan",
            {"Segment": 0, "TotalSegments": 1_000_001},
            [broken("'1000001'", "totalSegments", "have value less than or equal to 1000000")],
            id="too-many-segments",
        ),
        pytest.param(
            "list_tables",
            {"Limit": 101},
            [broken("'101'", "limit", "have value less than or equal to 100")],
            id="list-limit",
        ),
        pytest.param(
            "transact_write_items",
            {"TransactItems": []},
            [broken("'[]'", "transactItems", "have length greater than or equal to 1")],
            id="empty-transaction",
        ),
        pytest.param(
            "transact_write_items",
            {
                "TransactItems": [
                    {"Delete": {"TableName": "abc", "Key": {"pk": {"S": "a"}}}},
                ],
                "ClientRequestToken": "x" * 37,
            },
            [broken(f"'{'x' * 37}'", "clientRequestToken", "have length less than or equal to 36")],
            id="long-token",
        ),
    ],
)
def test_one_message_for_all(
    client: Client, table: str, operation: str, part: dict[str, Any], violations: list[str]
) -> None:
    """The service lists the violations in no order that it promises."""
    request = given(operation, table) | part
    sent = {name: value for name, value in request.items() if value is not ...}
    code, message = refusal(getattr(client, operation), **sent)
    start, _, listed = message.partition(" detected: ")
    count = len(violations)
    plural = "s" if count > 1 else ""
    assert (code, start) == invalid(f"{count} validation error{plural}")
    assert set(listed.split("; ")) == set(violations)


def given(operation: str, table: str) -> dict[str, Any]:
    """A request that the operation would accept."""
    if operation in {"get_item", "delete_item", "update_item"}:
        return {"TableName": table, "Key": KEY}
    if operation == "put_item":
        return {"TableName": table, "Item": KEY}
    if operation == "query":
        return {
            "TableName": table,
            "KeyConditionExpression": "pk = :pk",
            "ExpressionAttributeValues": values(pk="a"),
        }
    return {"TableName": table} if operation in {"scan", "describe_table"} else {}


@pytest.mark.parametrize(
    ("operation", "member", "choices"),
    [
        pytest.param(
            "get_item", "ReturnConsumedCapacity", "INDEXES TOTAL NONE", id="consumed-capacity"
        ),
        pytest.param(
            "put_item",
            "ReturnValues",
            "NONE ALL_OLD UPDATED_OLD ALL_NEW UPDATED_NEW",
            id="return-values",
        ),
        pytest.param(
            "update_item", "ReturnItemCollectionMetrics", "SIZE NONE", id="collection-metrics"
        ),
        pytest.param(
            "delete_item", "ReturnValuesOnConditionCheckFailure", "ALL_OLD NONE", id="on-failure"
        ),
        pytest.param(
            "query",
            "Select",
            "ALL_ATTRIBUTES ALL_PROJECTED_ATTRIBUTES SPECIFIC_ATTRIBUTES COUNT",
            id="select",
        ),
        pytest.param("scan", "ConditionalOperator", "AND OR", id="conditional-operator"),
    ],
)
def test_enumerations(
    client: Client, table: str, operation: str, member: str, choices: str
) -> None:
    """The service lists the choices in no order that it promises."""
    code, message = refusal(
        getattr(client, operation), **given(operation, table), **{member: "wrong"}
    )
    start, _, listed = message.rstrip("]").partition("[")
    path = member[0].lower() + member[1:]
    assert (code, start) == invalid(
        f"1 validation error detected: Value 'wrong' at '{path}' failed to satisfy constraint: "
        "Member must satisfy enum value set: "
    )
    assert set(listed.split(", ")) == set(choices.split())


@pytest.mark.parametrize(
    ("part", "violation"),
    [
        pytest.param(
            {"KeySchema": [{"AttributeName": "a", "KeyType": "X"}]},
            "Value 'X' at 'keySchema.1.member.keyType' failed to satisfy constraint: Member must "
            "satisfy enum value set: [",
            id="key-type",
        ),
        pytest.param(
            {"AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "BOOL"}]},
            "Value 'BOOL' at 'attributeDefinitions.1.member.attributeType' failed to satisfy "
            "constraint: Member must satisfy enum value set: [",
            id="attribute-type",
        ),
        pytest.param(
            {"BillingMode": "FREE"},
            "Value 'FREE' at 'billingMode' failed to satisfy constraint: Member must satisfy enum "
            "value set: [",
            id="billing-mode",
        ),
        pytest.param(
            {
                "KeySchema": [{"AttributeName": "x" * 256, "KeyType": "HASH"}],
            },
            f"Value '{'x' * 256}' at 'keySchema.1.member.attributeName' failed to satisfy "
            "constraint: Member must have length less than or equal to 255",
            id="long-key-name",
        ),
        pytest.param(
            {
                "BillingMode": "PROVISIONED",
                "ProvisionedThroughput": {"ReadCapacityUnits": 0, "WriteCapacityUnits": 1},
            },
            "Value '0' at 'provisionedThroughput.readCapacityUnits' failed to satisfy constraint: "
            "Member must have value greater than or equal to 1",
            id="no-capacity",
        ),
    ],
)
def test_create_table(client: Client, part: dict[str, Any], violation: str) -> None:
    request = {"TableName": "constraints", **keys("a:S"), "BillingMode": "PAY_PER_REQUEST"} | part
    code, message = refusal(client.create_table, **request)
    assert code == "ValidationException"
    assert message.startswith(f"1 validation error detected: {violation}")


def test_legacy_operator(client: Client, table: str) -> None:
    code, message = refusal(
        client.scan, TableName=table, ScanFilter={"a": {"ComparisonOperator": "LIKE"}}
    )
    assert code == "ValidationException"
    assert message.startswith(
        "1 validation error detected: Value 'LIKE' at 'scanFilter.a.member.comparisonOperator' "
        "failed to satisfy constraint: Member must satisfy enum value set: ["
    )
