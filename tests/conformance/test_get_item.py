"""GetItem: one item by its whole key."""

from __future__ import annotations

from typing import Any

import pytest

from .support import Client, create, fill, invalid, item, refusal

ITEM = item(pk="here", sk=1, a=1, b={"c": [1, 2, {"d": 3}]})


@pytest.fixture(scope="module")
def table(client: Client) -> str:
    name = create(client, "pk:S", "sk:N")
    fill(client, name, [ITEM])
    return name


@pytest.mark.parametrize("consistent", [True, False])
def test_returns_the_item(client: Client, table: str, consistent: bool) -> None:
    answer = client.get_item(TableName=table, Key=item(pk="here", sk=1), ConsistentRead=consistent)
    assert answer["Item"] == ITEM
    assert set(answer) == {"Item", "ResponseMetadata"}


def test_nothing_there(client: Client, table: str) -> None:
    assert set(client.get_item(TableName=table, Key=item(pk="here", sk=2))) == {"ResponseMetadata"}


def test_number_keys_are_equal_by_value(client: Client, table: str) -> None:
    key = {"pk": {"S": "here"}, "sk": {"N": "1.00"}}
    assert client.get_item(TableName=table, Key=key)["Item"] == ITEM


def test_a_projection_that_finds_nothing_gives_an_empty_item(client: Client, table: str) -> None:
    answer = client.get_item(TableName=table, Key=item(pk="here", sk=1), ProjectionExpression="zzz")
    assert answer["Item"] == {}


MISMATCH = "The provided key element does not match the schema"


@pytest.mark.parametrize(
    ("key", "message"),
    [
        pytest.param({}, MISMATCH, id="empty"),
        pytest.param(item(pk="a"), MISMATCH, id="no-sort-key"),
        pytest.param(item(pk="a", sk=1, x=1), MISMATCH, id="one-too-many"),
        pytest.param(item(pk="a", x=1), MISMATCH, id="wrong-name"),
        pytest.param(item(pk=1, sk=1), MISMATCH, id="partition-key-type"),
        pytest.param(item(pk="a", sk="1"), MISMATCH, id="sort-key-type"),
        pytest.param(
            {"pk": {"S": "a"}, "sk": {}},
            "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes",
            id="empty-value",
        ),
        pytest.param(
            item(pk="", sk=1),
            "One or more parameter values are not valid. The AttributeValue for a key attribute "
            "cannot contain an empty string value. Key: pk",
            id="empty-string",
        ),
        pytest.param(
            item(pk="", sk="1"),
            "One or more parameter values are not valid. The AttributeValue for a key attribute "
            "cannot contain an empty string value. Key: pk",
            id="empty-string-before-sort-key-type",
        ),
        pytest.param(
            {"pk": {"S": "a"}, "sk": {"N": "x"}},
            "The parameter cannot be converted to a numeric value: x",
            id="not-a-number",
        ),
    ],
)
@pytest.mark.parametrize("operation", ["get_item", "delete_item"])
def test_refused_keys(
    client: Client, table: str, operation: str, key: dict[str, Any], message: str
) -> None:
    assert refusal(getattr(client, operation), TableName=table, Key=key) == invalid(message)


@pytest.mark.parametrize(
    ("part", "message"),
    [
        pytest.param(
            {"ProjectionExpression": ""},
            "Invalid ProjectionExpression: The expression can not be empty;",
            id="empty-projection",
        ),
        pytest.param(
            {"ExpressionAttributeNames": {"#a": "a"}},
            "ExpressionAttributeNames can only be specified when using expressions",
            id="names-without-expression",
        ),
        pytest.param(
            {"ProjectionExpression": "a", "AttributesToGet": ["a"]},
            "Can not use both expression and non-expression parameters in the same request: "
            "Non-expression parameters: {AttributesToGet} Expression parameters: "
            "{ProjectionExpression}",
            id="expression-and-legacy",
        ),
        pytest.param(
            {"ProjectionExpression": "a", "ExpressionAttributeNames": {}},
            "ExpressionAttributeNames must not be empty",
            id="empty-names",
        ),
    ],
)
def test_refused_requests(client: Client, table: str, part: dict[str, Any], message: str) -> None:
    request = {"TableName": table, "Key": item(pk="a", sk=1)} | part
    assert refusal(client.get_item, **request) == invalid(message)


def test_unknown_table(client: Client) -> None:
    assert refusal(client.get_item, TableName="no-such-table", Key=item(pk="a")) == (
        "ResourceNotFoundException",
        "Requested resource not found",
    )
