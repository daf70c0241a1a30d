"""DeleteItem: removes an item, if a condition allows it."""

from __future__ import annotations

from typing import Any

import pytest

from .support import CONDITION_FAILED, Client, create, invalid, item, refusal, unique, values


@pytest.fixture(scope="module")
def table(client: Client) -> str:
    return create(client, "pk:S")


@pytest.fixture
def there(client: Client, table: str) -> dict[str, Any]:
    """The request that deletes an item which exists."""
    key = item(pk=unique())
    client.put_item(TableName=table, Item=key | item(a=1))
    return {"TableName": table, "Key": key}


def test_removes_the_item(client: Client, there: dict[str, Any]) -> None:
    assert set(client.delete_item(**there)) == {"ResponseMetadata"}
    assert "Item" not in client.get_item(**there)


def test_deleting_nothing_succeeds(client: Client, table: str) -> None:
    answer = client.delete_item(TableName=table, Key=item(pk=unique()), ReturnValues="ALL_OLD")
    assert set(answer) == {"ResponseMetadata"}


def test_returns_the_old_item(client: Client, there: dict[str, Any]) -> None:
    answer = client.delete_item(**there, ReturnValues="ALL_OLD")
    assert answer["Attributes"] == there["Key"] | item(a=1)


def test_condition_guards_the_delete(client: Client, there: dict[str, Any]) -> None:
    guarded = there | {"ConditionExpression": "a = :a"}
    wrong = guarded | {"ExpressionAttributeValues": values(a=2)}
    assert refusal(client.delete_item, **wrong) == CONDITION_FAILED
    client.delete_item(**guarded, ExpressionAttributeValues=values(a=1))
    assert "Item" not in client.get_item(**there)


def test_condition_on_a_missing_item_fails(client: Client, table: str) -> None:
    assert (
        refusal(
            client.delete_item,
            TableName=table,
            Key=item(pk=unique()),
            ConditionExpression="attribute_exists(pk)",
        )
        == CONDITION_FAILED
    )


def test_failed_condition_shows_the_item_if_asked(client: Client, there: dict[str, Any]) -> None:
    with pytest.raises(client.exceptions.ConditionalCheckFailedException) as caught:
        client.delete_item(
            **there,
            ConditionExpression="attribute_not_exists(pk)",
            ReturnValuesOnConditionCheckFailure="ALL_OLD",
        )
    assert caught.value.response["Item"] == there["Key"] | item(a=1)


@pytest.mark.parametrize("returned", ["ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"])
def test_return_values_of_an_update_are_refused(
    client: Client, there: dict[str, Any], returned: str
) -> None:
    assert refusal(client.delete_item, **there, ReturnValues=returned) == invalid(
        "ReturnValues can only be ALL_OLD or NONE"
    )
