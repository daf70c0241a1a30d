"""Local secondary indexes: another order within a partition, and fetches from the table."""

from __future__ import annotations

from typing import Any

import pytest

from .support import Client, create, fill, index, invalid, item, pages, plains, refusal, values


@pytest.fixture(scope="module")
def table(client: Client) -> str:
    name = create(
        client,
        "pk:S",
        "sk:N",
        indexed="t:S",
        LocalSecondaryIndexes=[
            index("by-t", "pk", "t"),
            index("keys", "pk", "t", "KEYS_ONLY"),
            index("some", "pk", "t", "INCLUDE", "a"),
        ],
    )
    rows = [(1, "c"), (2, "a"), (3, "b"), (4, None), (5, "a")]
    fill(
        client,
        name,
        [item(pk="p", sk=sk, a=sk * 10, z="z") | (item(t=t) if t else {}) for sk, t in rows],
    )
    return name


def query(table: str, name: str, **more: Any) -> dict[str, Any]:
    return {
        "TableName": table,
        "IndexName": name,
        "KeyConditionExpression": "pk = :pk",
        "ExpressionAttributeValues": values(pk="p"),
    } | more


def test_orders_by_its_own_key_then_by_the_tables(client: Client, table: str) -> None:
    found = plains(client.query(**query(table, "by-t"))["Items"])
    assert [(each["t"], each["sk"]) for each in found] == [("a", 2), ("a", 5), ("b", 3), ("c", 1)]


def test_conditions_on_its_sort_key(client: Client, table: str) -> None:
    answer = client.query(
        **query(
            table,
            "by-t",
            KeyConditionExpression="pk = :pk AND t > :t",
            ExpressionAttributeValues=values(pk="p", t="a"),
        )
    )
    assert [each["sk"] for each in plains(answer["Items"])] == [3, 1]


def test_consistent_reads_are_allowed(client: Client, table: str) -> None:
    assert client.query(**query(table, "by-t", ConsistentRead=True))["Count"] == 4


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        pytest.param("by-t", {"pk", "sk", "t", "a", "z"}, id="all"),
        pytest.param("keys", {"pk", "sk", "t"}, id="keys-only"),
        pytest.param("some", {"pk", "sk", "t", "a"}, id="include"),
    ],
)
def test_projections(client: Client, table: str, name: str, expected: set[str]) -> None:
    answer = client.query(**query(table, name))
    assert all(set(each) == expected for each in answer["Items"])


def test_all_attributes_are_fetched_from_the_table(client: Client, table: str) -> None:
    answer = client.query(**query(table, "keys", Select="ALL_ATTRIBUTES"))
    assert all(set(each) == {"pk", "sk", "t", "a", "z"} for each in answer["Items"])


def test_a_projection_is_fetched_from_the_table(client: Client, table: str) -> None:
    answer = client.query(**query(table, "keys", ProjectionExpression="z, t", Limit=1))
    assert answer["Items"] == [item(z="z", t="a")]


def test_a_filter_on_what_the_index_lacks_is_refused(client: Client, table: str) -> None:
    bad = query(table, "keys", FilterExpression="attribute_exists(z)")
    assert refusal(client.query, **bad) == invalid(
        "One or more parameter values were invalid: Secondary index keys does not project one or "
        "more filter attributes: [z]"
    )


def test_pages_carry_all_keys(client: Client, table: str) -> None:
    got = list(pages(client.query, **query(table, "keys", Limit=1)))
    assert [each["Count"] for each in got] == [1, 1, 1, 1, 0]
    assert got[0]["LastEvaluatedKey"] == item(pk="p", sk=2, t="a")
    assert [int(each["Items"][0]["sk"]["N"]) for each in got[:4]] == [2, 5, 3, 1]


def test_scan_of_an_index(client: Client, table: str) -> None:
    answer = client.scan(TableName=table, IndexName="keys")
    assert answer["Count"] == 4


def test_wrong_index_keys(client: Client, table: str) -> None:
    code, message = refusal(client.put_item, TableName=table, Item=item(pk="p", sk=9, t=1))
    assert code == "ValidationException"
    assert message.startswith(
        "One or more parameter values were invalid: Type mismatch for Index Key t Expected: S "
        "Actual: N IndexName: "
    )


def test_a_condition_on_another_attribute_is_refused(client: Client, table: str) -> None:
    bad = query(
        table,
        "by-t",
        KeyConditionExpression="pk = :pk AND sk = :sk",
        ExpressionAttributeValues=values(pk="p", sk=1),
    )
    assert refusal(client.query, **bad) == invalid("Query condition missed key schema element: t")
