"""BatchWriteItem: up to 25 puts and deletes, each for itself."""

from __future__ import annotations

from typing import Any

import pytest

from .support import Client, create, invalid, item, refusal, unique


@pytest.fixture(scope="module")
def table(client: Client) -> str:
    return create(client, "pk:S", "sk:N")


def put(**attributes: Any) -> dict[str, Any]:
    return {"PutRequest": {"Item": item(**attributes)}}


def delete(**attributes: Any) -> dict[str, Any]:
    return {"DeleteRequest": {"Key": item(**attributes)}}


def stored(client: Client, table: str, pk: str) -> list[dict[str, Any]]:
    answer = client.query(
        TableName=table,
        KeyConditionExpression="pk = :pk",
        ExpressionAttributeValues={":pk": {"S": pk}},
    )
    found: list[dict[str, Any]] = answer["Items"]
    return found


def test_puts_replaces_and_deletes(client: Client, table: str) -> None:
    pk = unique()
    first = [put(pk=pk, sk=1, x="old"), put(pk=pk, sk=2, x="old")]
    answer = client.batch_write_item(RequestItems={table: first})
    assert answer["UnprocessedItems"] == {}
    second = [put(pk=pk, sk=1, y="new"), delete(pk=pk, sk=2), delete(pk=pk, sk=3)]
    client.batch_write_item(RequestItems={table: second})
    assert stored(client, table, pk) == [item(pk=pk, sk=1, y="new")]


def test_several_tables(client: Client, table: str) -> None:
    other, pk = create(client, "id:S"), unique()
    client.batch_write_item(RequestItems={table: [put(pk=pk, sk=1)], other: [put(id="a")]})
    assert stored(client, table, pk) == [item(pk=pk, sk=1)]
    assert client.get_item(TableName=other, Key=item(id="a"))["Item"] == item(id="a")


def test_25_requests_are_the_most(client: Client, table: str) -> None:
    pk = unique()
    writes = [put(pk=pk, sk=n) for n in range(26)]
    code, message = refusal(client.batch_write_item, RequestItems={table: writes})
    assert code == "ValidationException"
    assert message.endswith(
        " at 'requestItems' failed to satisfy constraint: Map value must satisfy constraint: "
        "[Member must have length less than or equal to 25, "
        "Member must have length greater than or equal to 1]"
    )
    assert stored(client, table, pk) == []
    client.batch_write_item(RequestItems={table: writes[:25]})
    assert len(stored(client, table, pk)) == 25


def test_25_requests_are_the_most_over_all_tables(client: Client, table: str) -> None:
    other, pk = create(client, "id:S"), unique()
    request = {
        table: [put(pk=pk, sk=n) for n in range(13)],
        other: [put(id=f"{n}") for n in range(13)],
    }
    assert refusal(client.batch_write_item, RequestItems=request) == invalid(
        "Too many items requested for the BatchWriteItem call"
    )
    assert stored(client, table, pk) == []


@pytest.mark.parametrize(
    ("writes", "message"),
    [
        pytest.param(
            [put(pk="a", sk=1), put(pk="a", sk=1, x=1)],
            "Provided list of item keys contains duplicates",
            id="two-puts-of-a-key",
        ),
        pytest.param(
            [put(pk="a", sk=1), delete(pk="a", sk=1)],
            "Provided list of item keys contains duplicates",
            id="put-and-delete-of-a-key",
        ),
        pytest.param(
            [put(pk="a", sk=1), put(pk="a", sk=1), put(pk="", sk=1)],
            "Provided list of item keys contains duplicates",
            id="two-puts-of-a-key-before-a-bad-one",
        ),
        pytest.param(
            [put(pk="a")],
            "The provided key element does not match the schema",
            id="put-without-sort-key",
        ),
        pytest.param(
            [put(pk="a", sk="1")],
            "The provided key element does not match the schema",
            id="put-key-type",
        ),
        pytest.param(
            [delete(pk="a")],
            "The provided key element does not match the schema",
            id="delete-half-a-key",
        ),
        pytest.param(
            [delete(pk="a", sk=1, x=1)],
            "The provided key element does not match the schema",
            id="delete-more-than-a-key",
        ),
        pytest.param(
            [{}],
            "Supplied AttributeValue has more than one datatypes set, must contain exactly one of "
            "the supported datatypes",
            id="no-request",
        ),
        pytest.param(
            [put(pk="a", sk=1) | delete(pk="a", sk=2)],
            "Supplied AttributeValue has more than one datatypes set, must contain exactly one of "
            "the supported datatypes",
            id="two-requests-in-one",
        ),
        pytest.param(
            [put(pk="", sk=1)],
            "One or more parameter values are not valid. The AttributeValue for a key attribute "
            "cannot contain an empty string value. Key: pk",
            id="empty-key",
        ),
        pytest.param(
            [{"PutRequest": {"Item": item(pk="a", sk=1) | {"x": {"SS": []}}}}],
            "One or more parameter values were invalid: An string set  may not be empty",
            id="bad-value",
        ),
    ],
)
def test_refused(client: Client, table: str, writes: list[dict[str, Any]], message: str) -> None:
    assert refusal(client.batch_write_item, RequestItems={table: writes}) == invalid(message)


def test_a_refused_batch_writes_nothing(client: Client, table: str) -> None:
    pk = unique()
    writes = [put(pk=pk, sk=1), put(pk=pk, sk="x")]
    refusal(client.batch_write_item, RequestItems={table: writes})
    assert stored(client, table, pk) == []


def test_an_unknown_table_refuses_the_whole_batch(client: Client, table: str) -> None:
    """Whatever is wrong with keys of the others."""
    pk = unique()
    refused = refusal(
        client.batch_write_item,
        RequestItems={table: [put(pk=pk, sk=1), put(pk=pk)], unique(): [put(pk=pk)]},
    )
    assert refused == ("ResourceNotFoundException", "Requested resource not found")
    assert stored(client, table, pk) == []
