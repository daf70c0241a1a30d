"""TransactWriteItems: all or nothing, with a reason for each item."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

import pytest

from .support import TOKEN_USED, Client, create, invalid, item, plain, refusal, unique, values

Action = dict[str, Any]


@pytest.fixture(scope="module")
def table(client: Client) -> str:
    return create(client, "pk:S")


def put(table: str, pk: str, **more: Any) -> Action:
    attributes = more.pop("attributes", {})
    return {"Put": {"TableName": table, "Item": item(pk=pk, **attributes)} | more}


def keyed(kind: str, table: str, pk: str, **more: Any) -> Action:
    return {kind: {"TableName": table, "Key": item(pk=pk)} | more}


def stored(client: Client, table: str, pk: str) -> dict[str, Any] | None:
    found = client.get_item(TableName=table, Key=item(pk=pk)).get("Item")
    return plain(found) if found else None


def cancelled(client: Client, actions: list[Action]) -> tuple[str, list[dict[str, Any]]]:
    """Run a transaction that must be cancelled; return its message and its reasons."""
    with pytest.raises(client.exceptions.TransactionCanceledException) as caught:
        client.transact_write_items(TransactItems=actions)
    response = caught.value.response
    return response["Error"]["Message"], response["CancellationReasons"]


FAILED = {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed"}


def test_writes_all_four_kinds(client: Client, table: str) -> None:
    a, b, c, d = (unique() for _ in range(4))
    client.transact_write_items(
        TransactItems=[put(table, pk, attributes={"n": 1}) for pk in (b, c, d)]
    )
    answer = client.transact_write_items(
        TransactItems=[
            put(table, a, attributes={"x": 1}),
            keyed(
                "Update",
                table,
                b,
                UpdateExpression="ADD n :one",
                ExpressionAttributeValues=values(one=1),
            ),
            keyed("Delete", table, c),
            keyed("ConditionCheck", table, d, ConditionExpression="attribute_exists(n)"),
        ]
    )
    assert set(answer) == {"ResponseMetadata"}
    found = [stored(client, table, pk) for pk in (a, b, c, d)]
    assert found == [{"pk": a, "x": 1}, {"pk": b, "n": 2}, None, {"pk": d, "n": 1}]


def test_several_tables(client: Client, table: str) -> None:
    other, pk = create(client, "pk:S"), unique()
    client.transact_write_items(TransactItems=[put(table, pk), put(other, pk)])
    assert stored(client, table, pk) == stored(client, other, pk) == {"pk": pk}


def test_one_failed_condition_undoes_everything(client: Client, table: str) -> None:
    a, b, c = (unique() for _ in range(3))
    message, reasons = cancelled(
        client,
        [
            put(table, a),
            keyed("ConditionCheck", table, b, ConditionExpression="attribute_exists(pk)"),
            put(table, c),
        ],
    )
    assert message == (
        "Transaction cancelled, please refer cancellation reasons for specific reasons "
        "[None, ConditionalCheckFailed, None]"
    )
    assert reasons == [{"Code": "None"}, FAILED, {"Code": "None"}]
    assert stored(client, table, a) is stored(client, table, c) is None


def test_every_failed_condition_is_reported(client: Client, table: str) -> None:
    there, missing = unique(), unique()
    client.put_item(TableName=table, Item=item(pk=there, n=1))
    condition = {"ConditionExpression": "n > :n", "ExpressionAttributeValues": values(n=5)}
    message, reasons = cancelled(
        client,
        [
            put(table, there, ReturnValuesOnConditionCheckFailure="ALL_OLD", **condition),
            keyed("Delete", table, missing, **condition),
        ],
    )
    assert message.endswith("[ConditionalCheckFailed, ConditionalCheckFailed]")
    assert reasons == [FAILED | {"Item": item(pk=there, n=1)}, FAILED]


@pytest.mark.parametrize("kind", ["Put", "Update", "Delete", "ConditionCheck"])
def test_a_reason_shows_the_item_if_asked(client: Client, table: str, kind: str) -> None:
    pk = unique()
    client.put_item(TableName=table, Item=item(pk=pk, n=1))
    asked = {
        "ConditionExpression": "attribute_not_exists(pk)",
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }
    update = {"UpdateExpression": "REMOVE n"} if kind == "Update" else {}
    action = put(table, pk, **asked) if kind == "Put" else keyed(kind, table, pk, **asked, **update)
    assert cancelled(client, [action])[1] == [FAILED | {"Item": item(pk=pk, n=1)}]


def test_an_update_that_the_item_refuses_cancels(client: Client, table: str) -> None:
    a, b = unique(), unique()
    client.put_item(TableName=table, Item=item(pk=b, s="text"))
    add = {"UpdateExpression": "ADD s :one", "ExpressionAttributeValues": values(one=1)}
    message, reasons = cancelled(client, [put(table, a), keyed("Update", table, b, **add)])
    assert message.endswith("[None, ValidationError]")
    assert reasons == [
        {"Code": "None"},
        {
            "Code": "ValidationError",
            "Message": "An operand in the update expression has an incorrect data type",
        },
    ]
    assert stored(client, table, a) is None


def test_updates_may_create_and_conditions_see_the_time_before(client: Client, table: str) -> None:
    pk = unique()
    client.transact_write_items(
        TransactItems=[
            keyed(
                "Update",
                table,
                pk,
                UpdateExpression="SET n = :n",
                ConditionExpression="attribute_not_exists(pk)",
                ExpressionAttributeValues=values(n=1),
            )
        ]
    )
    assert stored(client, table, pk) == {"pk": pk, "n": 1}


def test_100_actions_are_the_most(client: Client, table: str) -> None:
    prefix = unique()
    actions = [put(table, f"{prefix}{n}") for n in range(101)]
    code, message = refusal(client.transact_write_items, TransactItems=actions)
    assert code == "ValidationException"
    assert (
        "failed to satisfy constraint: Member must have length less than or equal to 100" in message
    )
    client.transact_write_items(TransactItems=actions[:100])
    assert stored(client, table, f"{prefix}99") is not None


def test_4_mb_are_the_most(client: Client, table: str) -> None:
    prefix = unique()
    actions = [put(table, f"{prefix}{n}", attributes={"x": "x" * 390_000}) for n in range(11)]
    code, message = refusal(client.transact_write_items, TransactItems=actions)
    assert (code, "4" in message) == ("ValidationException", True)
    assert stored(client, table, f"{prefix}0") is None


Actions = Callable[[str], list[Action]]


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        pytest.param(
            lambda t: [put(t, "same"), keyed("Delete", t, "same")],
            "Transaction request cannot include multiple operations on one item",
            id="one-item-twice",
        ),
        pytest.param(
            lambda t: [put(t, "a") | keyed("Delete", t, "b")],
            "TransactItems can only contain one of Check, Put, Update or Delete",
            id="two-kinds-in-one",
        ),
        pytest.param(
            lambda t: [{}],
            "Invalid Request: TransactWriteRequest should contain Delete or Put or Update request",
            id="no-kind",
        ),
        pytest.param(
            lambda t: [keyed("ConditionCheck", t, "a", ConditionExpression="")],
            "Invalid ConditionExpression: The expression can not be empty;",
            id="empty-condition",
        ),
        pytest.param(
            lambda t: [keyed("ConditionCheck", t, "a", ConditionExpression="a = :a")],
            "Invalid ConditionExpression: An expression attribute value used in expression is not "
            "defined; attribute value: :a",
            id="undefined-value",
        ),
        pytest.param(
            lambda t: [keyed("Update", t, "a", UpdateExpression="SET a = ")],
            'Invalid UpdateExpression: Syntax error; token: "<EOF>", near: "= "',
            id="update-syntax",
        ),
        pytest.param(
            lambda t: [keyed("Delete", t, "a", ExpressionAttributeValues=values(a=1))],
            "ExpressionAttributeValues can only be specified when using expressions: "
            "ConditionExpression is null",
            id="values-without-condition",
        ),
        pytest.param(
            lambda t: [put(t, "")],
            "One or more parameter values are not valid. The AttributeValue for a key attribute "
            "cannot contain an empty string value. Key: pk",
            id="empty-key",
        ),
    ],
)
def test_refused(client: Client, table: str, actions: Actions, message: str) -> None:
    assert refusal(client.transact_write_items, TransactItems=actions(table)) == invalid(message)


@pytest.mark.parametrize(
    ("actions", "reason"),
    [
        pytest.param(
            lambda t: [{"Put": {"TableName": t, "Item": item(x=1)}}],
            "One or more parameter values were invalid: Missing the key pk in the item",
            id="put-without-key",
        ),
        pytest.param(
            lambda t: [{"Put": {"TableName": t, "Item": item(pk=1)}}],
            "One or more parameter values were invalid: Type mismatch for key pk expected: S "
            "actual: N",
            id="put-key-type",
        ),
        pytest.param(
            lambda t: [{"Delete": {"TableName": t, "Key": item(pk=1)}}],
            "The provided key element does not match the schema",
            id="delete-key-type",
        ),
        pytest.param(
            lambda t: [{"Delete": {"TableName": t, "Key": item(pk="a", x=1)}}],
            "The provided key element does not match the schema",
            id="delete-key-size",
        ),
        pytest.param(
            lambda t: [
                keyed(
                    "Update",
                    t,
                    "a",
                    UpdateExpression="SET pk = :a",
                    ExpressionAttributeValues=values(a="b"),
                )
            ],
            "One or more parameter values were invalid: Cannot update attribute pk. This attribute "
            "is part of the key",
            id="update-of-key",
        ),
        pytest.param(
            lambda t: [
                keyed(
                    "Update",
                    t,
                    "a",
                    UpdateExpression="SET pk.x = :a",
                    ExpressionAttributeValues=values(a="b"),
                )
            ],
            "One or more parameter values were invalid: Cannot update attribute pk. This attribute "
            "is part of the key",
            id="update-in-key",
        ),
    ],
)
def test_what_a_table_refuses_is_a_reason(
    client: Client, table: str, actions: Actions, reason: str
) -> None:
    message, reasons = cancelled(client, actions(table))
    assert message.endswith("[ValidationError]")
    assert reasons == [{"Code": "ValidationError", "Message": reason}]


def test_an_unknown_table(client: Client, table: str) -> None:
    pk = unique()
    refused = refusal(
        client.transact_write_items, TransactItems=[put(table, pk), put(unique(), pk)]
    )
    assert refused == ("ResourceNotFoundException", "Requested resource not found")
    assert stored(client, table, pk) is None


def test_a_token_makes_a_repeat_harmless(client: Client, table: str) -> None:
    pk = unique()
    request = {
        "ClientRequestToken": str(uuid.uuid4()),
        "TransactItems": [
            keyed(
                "Update",
                table,
                pk,
                UpdateExpression="ADD n :one",
                ExpressionAttributeValues=values(one=1),
            )
        ],
    }
    client.transact_write_items(**request)
    client.transact_write_items(**request)
    assert stored(client, table, pk) == {"pk": pk, "n": 1}


def test_a_token_with_another_request_is_refused(client: Client, table: str) -> None:
    token = str(uuid.uuid4())
    client.transact_write_items(TransactItems=[put(table, unique())], ClientRequestToken=token)
    assert (
        refusal(
            client.transact_write_items,
            TransactItems=[put(table, unique())],
            ClientRequestToken=token,
        )
        == TOKEN_USED
    )


def test_a_cancelled_transaction_does_not_use_up_its_token(client: Client, table: str) -> None:
    pk, token = unique(), str(uuid.uuid4())
    guarded = put(table, unique())
    check = keyed("ConditionCheck", table, pk, ConditionExpression="attribute_exists(pk)")
    request = {"TransactItems": [guarded, check], "ClientRequestToken": token}
    with pytest.raises(client.exceptions.TransactionCanceledException):
        client.transact_write_items(**request)
    client.put_item(TableName=table, Item=item(pk=pk))
    client.transact_write_items(**request)
    assert stored(client, table, guarded["Put"]["Item"]["pk"]["S"]) is not None
