"""UpdateItem: upserts, conditions and what it returns. The operators have their own file."""

from __future__ import annotations

from typing import Any

import pytest

from .support import CONDITION_FAILED, Client, create, invalid, item, plain, refusal, unique, values

BEFORE = item(a=1, b="x", m={"p": 1, "q": 2}, l=[1, 2, 3])


@pytest.fixture(scope="module")
def table(client: Client) -> str:
    return create(client, "pk:S", "sk:N")


@pytest.fixture
def there(client: Client, table: str) -> dict[str, Any]:
    """The table and key of an item which exists."""
    key = item(pk=unique(), sk=1)
    client.put_item(TableName=table, Item=key | BEFORE)
    return {"TableName": table, "Key": key}


def test_creates_the_item(client: Client, table: str) -> None:
    request: dict[str, Any] = {"TableName": table, "Key": item(pk=unique(), sk=1)}
    client.update_item(
        **request, UpdateExpression="SET a = :a", ExpressionAttributeValues=values(a=1)
    )
    assert client.get_item(**request)["Item"] == request["Key"] | item(a=1)


def test_without_an_expression_creates_the_bare_key(client: Client, table: str) -> None:
    request = {"TableName": table, "Key": item(pk=unique(), sk=1)}
    client.update_item(**request)
    assert client.get_item(**request)["Item"] == request["Key"]


def test_without_an_expression_leaves_an_item_alone(client: Client, there: dict[str, Any]) -> None:
    client.update_item(**there)
    assert client.get_item(**there)["Item"] == there["Key"] | BEFORE


def test_condition_guards_the_update(client: Client, there: dict[str, Any]) -> None:
    request = there | {"UpdateExpression": "SET a = a + :n", "ConditionExpression": "a = :n"}
    operands = {"ExpressionAttributeValues": values(n=1)}
    client.update_item(**request, **operands)
    assert refusal(client.update_item, **request, **operands) == CONDITION_FAILED
    assert plain(client.get_item(**there)["Item"])["a"] == 2


def test_condition_sees_a_missing_item_as_empty(client: Client, table: str) -> None:
    request = {"TableName": table, "Key": item(pk=unique(), sk=1)}
    refused = refusal(client.update_item, **request, ConditionExpression="attribute_exists(pk)")
    assert refused == CONDITION_FAILED
    assert "Item" not in client.get_item(**request)


def test_failed_condition_shows_the_item_if_asked(client: Client, there: dict[str, Any]) -> None:
    with pytest.raises(client.exceptions.ConditionalCheckFailedException) as caught:
        client.update_item(
            **there,
            UpdateExpression="REMOVE a",
            ConditionExpression="attribute_not_exists(a)",
            ReturnValuesOnConditionCheckFailure="ALL_OLD",
        )
    assert caught.value.response["Item"] == there["Key"] | BEFORE


@pytest.mark.parametrize(
    ("expression", "returned", "expected"),
    [
        pytest.param("SET a = :v", "NONE", None, id="none"),
        pytest.param("SET a = :v", "ALL_OLD", BEFORE, id="all-old"),
        pytest.param("SET a = :v", "ALL_NEW", BEFORE | item(a="new"), id="all-new"),
        pytest.param("SET a = :v", "UPDATED_OLD", item(a=1), id="updated-old"),
        pytest.param("SET a = :v", "UPDATED_NEW", item(a="new"), id="updated-new"),
        pytest.param("SET c = :v", "UPDATED_OLD", None, id="updated-old-of-new-attribute"),
        pytest.param("SET c = :v", "UPDATED_NEW", item(c="new"), id="updated-new-of-new-attribute"),
        pytest.param("SET m.p = :v", "UPDATED_OLD", item(m={"p": 1}), id="updated-old-nested"),
        pytest.param("SET m.p = :v", "UPDATED_NEW", item(m={"p": "new"}), id="updated-new-nested"),
        pytest.param(
            "SET m.p = :v, m.z = :v",
            "UPDATED_OLD",
            item(m={"p": 1}),
            id="updated-old-nested-partly-new",
        ),
        pytest.param("SET l[1] = :v", "UPDATED_OLD", item(l=[2]), id="updated-old-list"),
        pytest.param("SET l[1] = :v", "UPDATED_NEW", item(l=["new"]), id="updated-new-list"),
        pytest.param(
            "SET l[2] = :v, l[0] = :v",
            "UPDATED_OLD",
            item(l=[1, 3]),
            id="updated-old-list-in-order-of-the-list",
        ),
        pytest.param("SET a = :v, b = :v", "UPDATED_OLD", item(a=1, b="x"), id="updated-old-two"),
    ],
)
def test_return_values(
    client: Client,
    there: dict[str, Any],
    expression: str,
    returned: str,
    expected: dict[str, Any] | None,
) -> None:
    if expected and returned.startswith("ALL"):
        expected = there["Key"] | expected
    answer = client.update_item(
        **there,
        UpdateExpression=expression,
        ExpressionAttributeValues=values(v="new"),
        ReturnValues=returned,
    )
    assert answer.get("Attributes") == expected


@pytest.mark.parametrize(
    ("expression", "returned", "expected"),
    [
        pytest.param("REMOVE a", "UPDATED_OLD", item(a=1), id="old"),
        pytest.param("REMOVE a", "UPDATED_NEW", None, id="new"),
        pytest.param("REMOVE zzz", "UPDATED_OLD", None, id="old-of-nothing"),
        pytest.param("REMOVE m.p", "UPDATED_OLD", item(m={"p": 1}), id="old-nested"),
        pytest.param("REMOVE l[0]", "UPDATED_OLD", item(l=[1]), id="old-list"),
        pytest.param("REMOVE a, b", "UPDATED_OLD", item(a=1, b="x"), id="old-two"),
    ],
)
def test_return_values_of_removals(
    client: Client,
    there: dict[str, Any],
    expression: str,
    returned: str,
    expected: dict[str, Any] | None,
) -> None:
    answer = client.update_item(**there, UpdateExpression=expression, ReturnValues=returned)
    assert answer.get("Attributes") == expected


@pytest.mark.parametrize(
    ("returned", "expected"),
    [
        pytest.param("ALL_OLD", None, id="all-old"),
        pytest.param("UPDATED_OLD", None, id="updated-old"),
        pytest.param("UPDATED_NEW", item(a=1), id="updated-new"),
    ],
)
def test_return_values_of_a_new_item(
    client: Client, table: str, returned: str, expected: dict[str, Any] | None
) -> None:
    answer = client.update_item(
        TableName=table,
        Key=item(pk=unique(), sk=1),
        UpdateExpression="SET a = :a",
        ExpressionAttributeValues=values(a=1),
        ReturnValues=returned,
    )
    assert answer.get("Attributes") == expected


@pytest.mark.parametrize(
    ("part", "message"),
    [
        pytest.param(
            {"UpdateExpression": "SET pk = :v", "ExpressionAttributeValues": values(v="x")},
            "One or more parameter values were invalid: Cannot update attribute pk. This attribute "
            "is part of the key",
            id="partition-key",
        ),
        pytest.param(
            {"UpdateExpression": "REMOVE sk"},
            "One or more parameter values were invalid: Cannot update attribute sk. This attribute "
            "is part of the key",
            id="sort-key",
        ),
        pytest.param(
            {
                "UpdateExpression": "REMOVE sk SET pk = :v",
                "ExpressionAttributeValues": values(v="x"),
            },
            "One or more parameter values were invalid: Cannot update attribute pk. This attribute "
            "is part of the key",
            id="both-keys",
        ),
        pytest.param(
            {
                "UpdateExpression": "SET sk.x = pk.y, a = :v",
                "ExpressionAttributeValues": values(v="x"),
            },
            "One or more parameter values were invalid: Cannot update attribute sk. This attribute "
            "is part of the key",
            id="in-a-key",
        ),
        pytest.param(
            {"UpdateExpression": "SET a = sk.x"},
            "Key attributes must be scalars; list random access '[]' and map lookup '.' are not "
            "allowed: Key: sk",
            id="from-a-key",
        ),
        pytest.param(
            {
                "UpdateExpression": "SET sk = :v",
                "ConditionExpression": "pk.x = :v",
                "ExpressionAttributeValues": values(v="x"),
            },
            "Key attributes must be scalars; list random access '[]' and map lookup '.' are not "
            "allowed: Key: pk",
            id="condition-on-a-key",
        ),
        pytest.param(
            {"Key": item(pk="x")},
            "The provided key element does not match the schema",
            id="half-a-key",
        ),
        pytest.param(
            {"Key": item(pk=1, sk=1)},
            "The provided key element does not match the schema",
            id="key-type",
        ),
        pytest.param(
            {"ExpressionAttributeValues": values(v="x")},
            "ExpressionAttributeValues can only be specified when using expressions: "
            "UpdateExpression and ConditionExpression are null",
            id="values-without-expression",
        ),
        pytest.param(
            {
                "UpdateExpression": "SET a = :v",
                "ExpressionAttributeValues": values(v=1),
                "AttributeUpdates": {"a": {"Value": {"N": "1"}}},
            },
            "Can not use both expression and non-expression parameters in the same request: "
            "Non-expression parameters: {AttributeUpdates} Expression parameters: "
            "{UpdateExpression}",
            id="expression-and-legacy",
        ),
        pytest.param(
            {
                "UpdateExpression": "SET a = :v",
                "ExpressionAttributeValues": {":v": {"SS": []}},
            },
            "ExpressionAttributeValues contains invalid value: One or more parameter values were "
            "invalid: An string set  may not be empty for key :v",
            id="bad-value",
        ),
        pytest.param(
            {
                "UpdateExpression": "SET a = :v",
                "ExpressionAttributeValues": {":v": {"N": "x"}},
            },
            "ExpressionAttributeValues contains invalid value: The parameter cannot be converted "
            "to a numeric value: x for key :v",
            id="bad-number",
        ),
        pytest.param(
            {"UpdateExpression": "SET a = :v", "ExpressionAttributeValues": {":v": {}}},
            "ExpressionAttributeValues contains invalid value: Supplied AttributeValue is empty, "
            "must contain exactly one of the supported datatypes for key :v",
            id="empty-value",
        ),
        pytest.param(
            {"UpdateExpression": "SET a = :v", "ExpressionAttributeValues": {}},
            "ExpressionAttributeValues must not be empty",
            id="no-values",
        ),
        pytest.param(
            {"UpdateExpression": "SET a = :v", "ExpressionAttributeValues": {"v": {"S": "x"}}},
            'ExpressionAttributeValues contains invalid key: Syntax error; key: "v"',
            id="value-name",
        ),
        pytest.param(
            {"UpdateExpression": "REMOVE #a", "ExpressionAttributeNames": {"a": "a"}},
            'ExpressionAttributeNames contains invalid key: Syntax error; key: "a"',
            id="name-name",
        ),
        pytest.param(
            {"UpdateExpression": "REMOVE #a", "ExpressionAttributeNames": {"#a": ""}},
            "ExpressionAttributeNames contains invalid value: Empty attribute name for key #a",
            id="empty-name",
        ),
        pytest.param(
            {
                "UpdateExpression": "SET #a = :v",
                "ExpressionAttributeNames": {"#a": ""},
                "ExpressionAttributeValues": {":v": {"SS": []}},
            },
            "ExpressionAttributeValues contains invalid value: One or more parameter values were "
            "invalid: An string set  may not be empty for key :v",
            id="bad-value-before-empty-name",
        ),
        pytest.param(
            {
                "UpdateExpression": "SET #a = :v",
                "ExpressionAttributeNames": {"a": "a"},
                "ExpressionAttributeValues": {":v": {"SS": []}},
            },
            'ExpressionAttributeNames contains invalid key: Syntax error; key: "a"',
            id="name-name-before-bad-value",
        ),
    ],
)
def test_refused(client: Client, there: dict[str, Any], part: dict[str, Any], message: str) -> None:
    assert refusal(client.update_item, **there | part) == invalid(message)
    assert client.get_item(**there)["Item"] == there["Key"] | BEFORE
