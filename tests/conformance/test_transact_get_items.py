"""TransactGetItems: a consistent picture of up to 100 items."""

from __future__ import annotations

from typing import Any

import pytest

from .support import Client, create, fill, invalid, item, refusal, unique


@pytest.fixture(scope="module")
def table(client: Client) -> str:
    name = create(client, "pk:S")
    fill(client, name, [item(pk="a", x=1, y={"z": 2}), item(pk="b", x=3)])
    return name


def get(table: str, pk: Any, **more: Any) -> dict[str, Any]:
    return {"Get": {"TableName": table, "Key": item(pk=pk)} | more}


def test_answers_in_the_order_of_the_request(client: Client, table: str) -> None:
    answer = client.transact_get_items(
        TransactItems=[get(table, "b"), get(table, "none"), get(table, "a")]
    )
    assert answer["Responses"] == [
        {"Item": item(pk="b", x=3)},
        {},
        {"Item": item(pk="a", x=1, y={"z": 2})},
    ]


def test_projections(client: Client, table: str) -> None:
    answer = client.transact_get_items(
        TransactItems=[
            get(
                table,
                "a",
                ProjectionExpression="#y.z",
                ExpressionAttributeNames={"#y": "y"},
            ),
            get(table, "b", ProjectionExpression="y"),
        ]
    )
    assert answer["Responses"] == [{"Item": item(y={"z": 2})}, {"Item": {}}]


def test_100_items_are_the_most(client: Client, table: str) -> None:
    wanted = [get(table, f"k{n}") for n in range(101)]
    assert len(client.transact_get_items(TransactItems=wanted[:100])["Responses"]) == 100
    code, message = refusal(client.transact_get_items, TransactItems=wanted)
    assert code == "ValidationException"
    assert (
        "failed to satisfy constraint: Member must have length less than or equal to 100" in message
    )


def test_4_mb_are_the_most(client: Client) -> None:
    """Of what is answered: parts of larger items may be read."""
    name = create(client, "pk:S")
    for n in range(11):
        client.put_item(TableName=name, Item=item(pk=f"{n}", x=n, body="x" * 390_000))
    wanted = [get(name, f"{n}") for n in range(11)]
    assert len(client.transact_get_items(TransactItems=wanted[:10])["Responses"]) == 10
    code, message = refusal(client.transact_get_items, TransactItems=wanted)
    assert code == "ValidationException"
    assert message.startswith("Payload in response is too large.")
    parts = [get(name, f"{n}", ProjectionExpression="x") for n in range(11)]
    answer = client.transact_get_items(TransactItems=parts)
    assert answer["Responses"] == [{"Item": item(x=n)} for n in range(11)]
    client.delete_table(TableName=name)


def test_one_item_twice_is_refused(client: Client, table: str) -> None:
    refused = refusal(client.transact_get_items, TransactItems=[get(table, "a"), get(table, "a")])
    assert refused == invalid("Transaction request cannot include multiple operations on one item")


def test_a_bad_key_cancels(client: Client, table: str) -> None:
    with pytest.raises(client.exceptions.TransactionCanceledException) as caught:
        client.transact_get_items(TransactItems=[get(table, "a"), get(table, 1)])
    response = caught.value.response
    assert response["Error"]["Message"] == (
        "Transaction cancelled, please refer cancellation reasons for specific reasons "
        "[None, ValidationError]"
    )
    assert response["CancellationReasons"] == [
        {"Code": "None"},
        {
            "Code": "ValidationError",
            "Message": "The provided key element does not match the schema",
        },
    ]


def test_a_bad_projection_is_refused(client: Client, table: str) -> None:
    bad = get(table, "a", ProjectionExpression="x,")
    assert refusal(client.transact_get_items, TransactItems=[bad]) == invalid(
        'Invalid ProjectionExpression: Syntax error; token: "<EOF>", near: ","'
    )


def test_an_unknown_table(client: Client, table: str) -> None:
    refused = refusal(
        client.transact_get_items, TransactItems=[get(table, "a"), get(unique(), "a")]
    )
    assert refused == ("ResourceNotFoundException", "Requested resource not found")
