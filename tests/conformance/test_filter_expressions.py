"""Filter expressions: the same language as conditions, applied after an item was read."""

from __future__ import annotations

from typing import Any

import pytest

from .support import Client, create, fill, invalid, item, plains, refusal, values
from .truths import FAILS, HOLDS, ITEM, parameters


@pytest.fixture(scope="module")
def table(client: Client) -> str:
    name = create(client, "pk:S", "sk:N")
    fill(client, name, [item(pk="truth", sk=0) | ITEM])
    fill(client, name, [item(pk="many", sk=n, even=n % 2 == 0) for n in range(10)])
    return name


def matching(client: Client, table: str, expression: str) -> int:
    """Count the truth items, of which there is one, that pass a filter."""
    found = parameters(expression)
    found.setdefault("ExpressionAttributeValues", {}).update(values(pk="truth"))
    answer = client.query(
        TableName=table, KeyConditionExpression="pk = :pk", FilterExpression=expression, **found
    )
    assert answer["ScannedCount"] == 1
    count: int = answer["Count"]
    return count


@pytest.mark.parametrize("expression", HOLDS[::2])
def test_keeps(client: Client, table: str, expression: str) -> None:
    assert matching(client, table, expression) == 1


@pytest.mark.parametrize("expression", FAILS[::2])
def test_drops(client: Client, table: str, expression: str) -> None:
    assert matching(client, table, expression) == 0


def test_counts_before_and_after(client: Client, table: str) -> None:
    answer = client.query(
        TableName=table,
        KeyConditionExpression="pk = :pk",
        FilterExpression="even = :yes",
        ExpressionAttributeValues=values(pk="many", yes=True),
    )
    assert (answer["Count"], answer["ScannedCount"]) == (5, 10)
    assert [each["sk"] for each in plains(answer["Items"])] == [0, 2, 4, 6, 8]


def test_a_limit_counts_what_was_read(client: Client, table: str) -> None:
    answer = client.query(
        TableName=table,
        KeyConditionExpression="pk = :pk",
        FilterExpression="even = :yes",
        ExpressionAttributeValues=values(pk="many", yes=True),
        Limit=3,
    )
    assert (answer["Count"], answer["ScannedCount"]) == (2, 3)
    assert answer["LastEvaluatedKey"] == item(pk="many", sk=2)


def test_scan_filters_too(client: Client, table: str) -> None:
    answer = client.scan(
        TableName=table,
        FilterExpression="even = :yes AND sk > :low",
        ExpressionAttributeValues=values(yes=True, low=4),
    )
    assert (answer["Count"], answer["ScannedCount"]) == (2, 11)


def test_a_scan_may_filter_on_keys_but_a_query_may_not(client: Client, table: str) -> None:
    scanned = client.scan(
        TableName=table,
        FilterExpression="pk = :pk",
        ExpressionAttributeValues=values(pk="truth"),
    )
    assert scanned["Count"] == 1
    for attribute in ("pk", "sk"):
        refused = refusal(
            client.query,
            TableName=table,
            KeyConditionExpression="pk = :pk",
            FilterExpression=f"{attribute} <> :x",
            ExpressionAttributeValues=values(pk="truth", x="x"),
        )
        assert refused == invalid(
            "Filter Expression can only contain non-primary key attributes: "
            f"Primary key attribute: {attribute}"
        )


def test_of_two_key_attributes_in_a_filter_the_first_of_the_key_is_told(
    client: Client, table: str
) -> None:
    refused = refusal(
        client.query,
        TableName=table,
        KeyConditionExpression="pk = :pk",
        FilterExpression="sk = :pk OR pk = :pk",
        ExpressionAttributeValues=values(pk="truth"),
    )
    assert refused == invalid(
        "Filter Expression can only contain non-primary key attributes: Primary key attribute: pk"
    )


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        pytest.param("", "The expression can not be empty;", id="empty"),
        pytest.param("a = :zzz AND", 'Syntax error; token: "<EOF>", near: "AND"', id="syntax"),
        pytest.param(
            "a = :zzz",
            "An expression attribute value used in expression is not defined; attribute value: "
            ":zzz",
            id="undefined-value",
        ),
        pytest.param(
            "abort = :pk",
            "Attribute name is a reserved keyword; reserved keyword: abort",
            id="reserved",
        ),
    ],
)
@pytest.mark.parametrize("operation", ["query", "scan"])
def test_refused(client: Client, table: str, operation: str, expression: str, message: str) -> None:
    request: dict[str, Any] = {"TableName": table, "FilterExpression": expression}
    if operation == "query":
        request["KeyConditionExpression"] = "pk = :pk"
    request["ExpressionAttributeValues"] = values(pk="x")
    refused = refusal(getattr(client, operation), **request)
    assert refused == invalid(f"Invalid FilterExpression: {message}")
