"""PutItem: what it stores, what it answers, what it refuses."""

from __future__ import annotations

from typing import Any

import pytest

from .support import CONDITION_FAILED, Client, create, invalid, item, plain, refusal, unique, values


@pytest.fixture(scope="module")
def table(client: Client) -> str:
    return create(client, "pk:S", "sk:N")


@pytest.fixture
def key() -> dict[str, Any]:
    return item(pk=unique(), sk=1)


def test_stores_every_type(client: Client, table: str, key: dict[str, Any]) -> None:
    whole = key | {
        "s": {"S": "text ünï 𝄞"},
        "n": {"N": "-12.5"},
        "b": {"B": b"\x00\xff"},
        "yes": {"BOOL": True},
        "no": {"BOOL": False},
        "nothing": {"NULL": True},
        "l": {"L": [{"S": "a"}, {"L": []}, {"M": {}}]},
        "m": {"M": {"inner": {"M": {"deep": {"N": "1"}}}}},
        "ss": {"SS": ["a"]},
        "ns": {"NS": ["1"]},
        "bs": {"BS": [b"\x01"]},
    }
    answer = client.put_item(TableName=table, Item=whole)
    assert set(answer) == {"ResponseMetadata"}
    assert client.get_item(TableName=table, Key=key)["Item"] == whole


def test_replaces_the_whole_item(client: Client, table: str, key: dict[str, Any]) -> None:
    client.put_item(TableName=table, Item=key | item(a=1, b=2))
    client.put_item(TableName=table, Item=key | item(a=3))
    assert client.get_item(TableName=table, Key=key)["Item"] == key | item(a=3)


def test_returns_the_old_item_only_if_asked_and_there(
    client: Client, table: str, key: dict[str, Any]
) -> None:
    request = {"TableName": table, "ReturnValues": "ALL_OLD"}
    assert "Attributes" not in client.put_item(Item=key | item(a=1), **request)
    assert client.put_item(Item=key | item(a=2), **request)["Attributes"] == key | item(a=1)
    request["ReturnValues"] = "NONE"
    assert "Attributes" not in client.put_item(Item=key | item(a=3), **request)


@pytest.mark.parametrize("returned", ["ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"])
def test_return_values_of_an_update_are_refused(
    client: Client, table: str, key: dict[str, Any], returned: str
) -> None:
    assert refusal(client.put_item, TableName=table, Item=key, ReturnValues=returned) == invalid(
        "ReturnValues can only be ALL_OLD or NONE"
    )


def test_condition_guards_the_write(client: Client, table: str, key: dict[str, Any]) -> None:
    request = {"TableName": table, "ConditionExpression": "attribute_not_exists(pk)"}
    client.put_item(Item=key | item(a=1), **request)
    assert refusal(client.put_item, Item=key | item(a=2), **request) == CONDITION_FAILED
    assert client.get_item(TableName=table, Key=key)["Item"] == key | item(a=1)


def test_failed_condition_shows_the_item_if_asked(
    client: Client, table: str, key: dict[str, Any]
) -> None:
    client.put_item(TableName=table, Item=key | item(a=1))
    with pytest.raises(client.exceptions.ConditionalCheckFailedException) as caught:
        client.put_item(
            TableName=table,
            Item=key,
            ConditionExpression="a = :two",
            ExpressionAttributeValues=values(two=2),
            ReturnValuesOnConditionCheckFailure="ALL_OLD",
        )
    assert caught.value.response["Item"] == key | item(a=1)
    with pytest.raises(client.exceptions.ConditionalCheckFailedException) as caught:
        client.put_item(TableName=table, Item=key, ConditionExpression="attribute_not_exists(pk)")
    assert "Item" not in caught.value.response


BAD_VALUE = "One or more parameter values were invalid: "
BAD_SUPPLIED = "Supplied AttributeValue "


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        pytest.param(
            {"sk": {"N": "1"}}, BAD_VALUE + "Missing the key pk in the item", id="no-partition-key"
        ),
        pytest.param(
            {"pk": {"S": "a"}}, BAD_VALUE + "Missing the key sk in the item", id="no-sort-key"
        ),
        pytest.param(
            {"pk": {"N": "1"}, "sk": {"N": "1"}},
            BAD_VALUE + "Type mismatch for key pk expected: S actual: N",
            id="partition-key-type",
        ),
        pytest.param(
            {"pk": {"S": "a"}, "sk": {"S": "1"}},
            BAD_VALUE + "Type mismatch for key sk expected: N actual: S",
            id="sort-key-type",
        ),
        pytest.param(
            {"pk": {"NULL": True}, "sk": {"N": "1"}},
            BAD_VALUE + "Type mismatch for key pk expected: S actual: NULL",
            id="null-key",
        ),
        pytest.param(
            {"pk": {"S": ""}, "sk": {"N": "1"}},
            "One or more parameter values are not valid. The AttributeValue for a key attribute "
            "cannot contain an empty string value. Key: pk",
            id="empty-key",
        ),
        pytest.param(
            {"pk": {"S": ""}, "sk": {"S": "1"}},
            "One or more parameter values are not valid. The AttributeValue for a key attribute "
            "cannot contain an empty string value. Key: pk",
            id="empty-key-before-sort-key-type",
        ),
        pytest.param(
            {"a": {}},
            BAD_SUPPLIED + "is empty, must contain exactly one of the supported datatypes",
            id="empty-value",
        ),
        pytest.param(
            {"a": {"S": "x", "N": "1"}},
            BAD_SUPPLIED
            + "has more than one datatypes set, must contain exactly one of the supported "
            "datatypes",
            id="two-types",
        ),
        pytest.param(
            {"a": {"NULL": False}},
            BAD_VALUE + "Null attribute value types must have the value of true",
            id="null-false",
        ),
        pytest.param(
            {"a": {"SS": []}},
            BAD_VALUE + "An string set  may not be empty",
            id="empty-string-set",
        ),
        pytest.param(
            {"a": {"NS": []}}, BAD_VALUE + "An number set  may not be empty", id="empty-number-set"
        ),
        pytest.param(
            {"a": {"BS": []}}, BAD_VALUE + "Binary sets should not be empty", id="empty-binary-set"
        ),
        pytest.param(
            {"a": {"SS": ["x", "y", "x"]}},
            BAD_VALUE + "Input collection [x, y, x] contains duplicates.",
            id="repeated-string",
        ),
        pytest.param(
            {"a": {"NS": ["1", "2", "1.0"]}},
            "Input collection contains duplicates",
            id="repeated-number",
        ),
        pytest.param(
            {"a": {"BS": [b"x", b"x"]}},
            BAD_VALUE + "Input collection [eA==, eA==]of type BS contains duplicates.",
            id="repeated-binary",
        ),
        pytest.param(
            {"a": {"L": [{"M": {"x": {}}}]}},
            BAD_SUPPLIED + "is empty, must contain exactly one of the supported datatypes",
            id="empty-value-deep-inside",
        ),
        pytest.param(
            {"a": {"N": "abc"}},
            "The parameter cannot be converted to a numeric value: abc",
            id="not-a-number",
        ),
        pytest.param(
            {"a": {"N": ""}},
            "The parameter cannot be converted to a numeric value",
            id="empty-number",
        ),
        pytest.param(
            {"a": {"NS": ["1", "x"]}},
            "The parameter cannot be converted to a numeric value: x",
            id="not-a-number-in-a-set",
        ),
    ],
)
def test_refused_items(
    client: Client, table: str, attributes: dict[str, Any], message: str
) -> None:
    whole = attributes if {"pk", "sk"} & set(attributes) else item(pk="x", sk=1) | attributes
    assert refusal(client.put_item, TableName=table, Item=whole) == invalid(message)


def test_unknown_table(client: Client) -> None:
    assert refusal(client.put_item, TableName="no-such-table", Item=item(pk="a")) == (
        "ResourceNotFoundException",
        "Requested resource not found",
    )


@pytest.mark.parametrize(
    ("request_part", "message"),
    [
        pytest.param(
            {"ExpressionAttributeValues": values(a=1)},
            "ExpressionAttributeValues can only be specified when using expressions: "
            "ConditionExpression is null",
            id="values-without-expression",
        ),
        pytest.param(
            {"ExpressionAttributeNames": {"#a": "a"}},
            "ExpressionAttributeNames can only be specified when using expressions",
            id="names-without-expression",
        ),
        pytest.param(
            {"ConditionExpression": "attribute_exists(pk)", "Expected": {"a": {"Exists": False}}},
            "Can not use both expression and non-expression parameters in the same request: "
            "Non-expression parameters: {Expected} Expression parameters: {ConditionExpression}",
            id="expression-and-legacy",
        ),
    ],
)
def test_refused_requests(
    client: Client, table: str, request_part: dict[str, Any], message: str
) -> None:
    whole = {"TableName": table, "Item": item(pk="x", sk=1)} | request_part
    assert refusal(client.put_item, **whole) == invalid(message)


def test_attribute_order_and_unicode_names(client: Client, table: str, key: dict[str, Any]) -> None:
    whole = key | {"ключ": {"S": "v"}, "with space": {"N": "1"}, "dot.ted": {"N": "2"}}
    client.put_item(TableName=table, Item=whole)
    assert plain(client.get_item(TableName=table, Key=key)["Item"]) == plain(whole)
