"""Strings, binaries, sets, lists and maps: empty ones, big ones, equal ones."""

from __future__ import annotations

from typing import Any

import pytest

from .support import CONDITION_FAILED, Client, create, invalid, item, refusal, unique, values


@pytest.fixture(scope="module")
def table(client: Client) -> str:
    return create(client, "pk:S")


def kept(client: Client, table: str, value: dict[str, Any]) -> dict[str, Any]:
    """Store a value under an attribute and read it back."""
    key = item(pk=unique())
    client.put_item(TableName=table, Item=key | {"v": value})
    got: dict[str, Any] = client.get_item(TableName=table, Key=key)["Item"]["v"]
    return got


@pytest.mark.parametrize(
    "value",
    [
        pytest.param({"S": ""}, id="empty-string"),
        pytest.param({"B": b""}, id="empty-binary"),
        pytest.param({"L": []}, id="empty-list"),
        pytest.param({"M": {}}, id="empty-map"),
        pytest.param({"SS": [""]}, id="empty-string-in-a-set"),
        pytest.param({"BS": [b""]}, id="empty-binary-in-a-set"),
        pytest.param({"S": "\x00"}, id="null-character"),
        pytest.param({"S": "a\nb\t\"'\\"}, id="escapes"),
        pytest.param({"S": "𝄞 ü \u200b"}, id="unicode"),
        pytest.param({"B": bytes(range(256))}, id="every-byte"),
        pytest.param({"L": [{"S": ""}, {"N": "1"}, {"NULL": True}]}, id="mixed-list"),
        pytest.param({"M": {"a.b": {"S": "x"}, " ": {"S": "y"}}}, id="odd-names"),
        pytest.param({"L": [{"SS": ["x"]}, {"M": {"n": {"NS": ["1"]}}}]}, id="sets-inside"),
    ],
)
def test_kept_as_they_are(client: Client, table: str, value: dict[str, Any]) -> None:
    assert kept(client, table, value) == value


@pytest.mark.parametrize(
    ("kind", "members"),
    [("SS", ["b", "a", "c"]), ("NS", ["3", "1", "2"]), ("BS", [b"b", b"a"])],
)
def test_sets_keep_their_members(client: Client, table: str, kind: str, members: list[Any]) -> None:
    assert sorted(kept(client, table, {kind: members})[kind]) == sorted(members)


@pytest.mark.parametrize(
    "value", [pytest.param({"S": ""}, id="string"), pytest.param({"B": b""}, id="binary")]
)
def test_empty_keys_are_refused(client: Client, value: dict[str, Any]) -> None:
    (kind,) = value
    name = create(client, f"pk:{kind}")
    word = {"S": "string", "B": "binary"}[kind]
    message = (
        "One or more parameter values are not valid. The AttributeValue for a key attribute cannot "
        f"contain an empty {word} value. Key: pk"
    )
    assert refusal(client.put_item, TableName=name, Item={"pk": value}) == invalid(message)
    assert refusal(client.get_item, TableName=name, Key={"pk": value}) == invalid(message)


@pytest.mark.parametrize(
    "attributes",
    [
        pytest.param({"": {"S": "x"}}, id="top"),
        pytest.param({"m": {"M": {"": {"S": "x"}}}}, id="nested"),
    ],
)
def test_empty_names_are_refused(client: Client, table: str, attributes: dict[str, Any]) -> None:
    refused = refusal(client.put_item, TableName=table, Item=item(pk="x") | attributes)
    assert refused == invalid("Empty attribute name")


@pytest.mark.parametrize(
    ("stored", "compared", "equal"),
    [
        pytest.param(["a", 1], ["a", 1], True, id="lists"),
        pytest.param(["a", 1], [1, "a"], False, id="list-order-counts"),
        pytest.param({"a": 1, "b": 2}, {"b": 2, "a": 1}, True, id="map-order-does-not"),
        pytest.param({"a": [{1, 2}]}, {"a": [{2, 1}]}, True, id="sets-inside"),
        pytest.param({1, 2}, {1}, False, id="subset"),
        pytest.param("1", 1, False, id="text-and-number"),
        pytest.param("a", b"a", False, id="text-and-binary"),
        pytest.param(None, False, False, id="null-and-false"),
        pytest.param("", None, False, id="empty-and-null"),
    ],
)
def test_equality(client: Client, table: str, stored: Any, compared: Any, equal: bool) -> None:
    key = item(pk=unique())
    client.put_item(TableName=table, Item=key | item(v=stored))
    request = {
        "TableName": table,
        "Key": key,
        "ConditionExpression": "v = :v",
        "ExpressionAttributeValues": values(v=compared),
    }
    if equal:
        client.delete_item(**request)
    else:
        assert refusal(client.delete_item, **request) == CONDITION_FAILED
