"""Global secondary indexes whose keys are made of up to four attributes each."""

from __future__ import annotations

from typing import Any

import pytest

from .support import (
    Client,
    create,
    definitions,
    fill,
    invalid,
    item,
    keys,
    plains,
    refusal,
    unique,
    values,
)

HASH = ["tenant", "region"]
RANGE = ["year", "kind", "title"]


def multi(name: str, hashes: list[str], ranges: list[str]) -> dict[str, Any]:
    return {
        "IndexName": name,
        "KeySchema": [{"AttributeName": each, "KeyType": "HASH"} for each in hashes]
        + [{"AttributeName": each, "KeyType": "RANGE"} for each in ranges],
        "Projection": {"ProjectionType": "ALL"},
    }


ROWS = [
    {"pk": "1", "tenant": "t", "region": 1, "year": 2024, "kind": "a", "title": "x"},
    {"pk": "2", "tenant": "t", "region": 1, "year": 2024, "kind": "b", "title": "x"},
    {"pk": "3", "tenant": "t", "region": 1, "year": 2023, "kind": "b", "title": "y"},
    {"pk": "4", "tenant": "t", "region": 1, "year": 2024, "kind": "b", "title": "a"},
    {"pk": "5", "tenant": "t", "region": 2, "year": 2024, "kind": "b", "title": "a"},
    {"pk": "6", "tenant": "t", "region": 1, "year": 2024, "kind": "b"},
    {"pk": "7", "tenant": "t", "year": 2024, "kind": "b", "title": "z"},
    {"pk": "8", "tenant": "t", "region": 1, "year": -5, "kind": "zz", "title": "zz"},
]


@pytest.fixture(scope="module")
def table(client: Client) -> str:
    name = create(
        client,
        "pk:S",
        indexed="tenant:S region:N year:N kind:S title:S",
        GlobalSecondaryIndexes=[multi("wide", HASH, RANGE)],
    )
    fill(client, name, [item(**row) for row in ROWS])
    return name


NAMES = {"#y": "year", "#r": "region"}


def query(table: str, condition: str, **operands: Any) -> dict[str, Any]:
    base = values(t="t", r=1)
    return {
        "TableName": table,
        "IndexName": "wide",
        "KeyConditionExpression": "tenant = :t AND #r = :r" + condition,
        "ExpressionAttributeNames": {
            name: target for name, target in NAMES.items() if name in "#r" + condition
        },
        "ExpressionAttributeValues": base | values(**operands),
    }


@pytest.mark.parametrize(
    ("condition", "operands", "expected"),
    [
        pytest.param("", {}, "8 3 1 4 2", id="all-hash-parts"),
        pytest.param(" AND #y = :y", {"y": 2024}, "1 4 2", id="first-range-part"),
        pytest.param(" AND #y > :y", {"y": 2023}, "1 4 2", id="inequality-on-the-first"),
        pytest.param(" AND #y < :y", {"y": 2023}, "8", id="less-than"),
        pytest.param(" AND #y BETWEEN :a AND :b", {"a": -5, "b": 2023}, "8 3", id="between"),
        pytest.param(" AND #y = :y AND kind = :k", {"y": 2024, "k": "b"}, "4 2", id="two-parts"),
        pytest.param(
            " AND #y = :y AND kind >= :k", {"y": 2024, "k": "a"}, "1 4 2", id="inequality-on-second"
        ),
        pytest.param(
            " AND #y = :y AND kind = :k AND title = :x",
            {"y": 2024, "k": "b", "x": "x"},
            "2",
            id="all-parts",
        ),
        pytest.param(
            " AND #y = :y AND kind = :k AND begins_with(title, :x)",
            {"y": 2024, "k": "b", "x": "a"},
            "4",
            id="prefix-of-the-last",
        ),
    ],
)
def test_queries(
    client: Client, table: str, condition: str, operands: dict[str, Any], expected: str
) -> None:
    found = plains(client.query(**query(table, condition, **operands))["Items"])
    assert " ".join(each["pk"] for each in found) == expected


def test_backwards_and_in_pages(client: Client, table: str) -> None:
    request = query(table, "") | {"ScanIndexForward": False, "Limit": 2}
    first = client.query(**request)
    assert set(first["LastEvaluatedKey"]) == {"pk", *HASH, *RANGE}
    second = client.query(**request, ExclusiveStartKey=first["LastEvaluatedKey"])
    found = plains(first["Items"] + second["Items"])
    assert [each["pk"] for each in found] == ["2", "4", "1", "3"]


def test_items_that_lack_a_part_are_not_in_the_index(client: Client, table: str) -> None:
    found = client.scan(TableName=table, IndexName="wide")["Items"]
    assert {each["pk"]["S"] for each in found} == {"1", "2", "3", "4", "5", "8"}


def test_described_as_declared(client: Client, table: str) -> None:
    (described,) = client.describe_table(TableName=table)["Table"]["GlobalSecondaryIndexes"]
    assert described["KeySchema"] == multi("wide", HASH, RANGE)["KeySchema"]


@pytest.mark.parametrize(
    ("part", "operands"),
    [
        pytest.param({"KeyConditionExpression": "tenant = :t"}, {"t": "t"}, id="hash-part-missing"),
        pytest.param(
            {"KeyConditionExpression": "tenant = :t AND #r > :r"},
            {"t": "t", "r": 1},
            id="hash-part-unequal",
        ),
        pytest.param(
            {"KeyConditionExpression": "tenant = :t AND #r = :r AND kind = :k"},
            {"t": "t", "r": 1, "k": "b"},
            id="gap",
        ),
        pytest.param(
            {"KeyConditionExpression": "tenant = :t AND #r = :r AND #y > :y AND kind = :k"},
            {"t": "t", "r": 1, "y": 1, "k": "b"},
            id="inequality-before-the-last",
        ),
    ],
)
def test_refused_queries(
    client: Client, table: str, part: dict[str, Any], operands: dict[str, Any]
) -> None:
    request = {
        "TableName": table,
        "IndexName": "wide",
        "ExpressionAttributeNames": {
            name: target for name, target in NAMES.items() if name in part["KeyConditionExpression"]
        },
        "ExpressionAttributeValues": values(**operands),
    } | part
    if not request["ExpressionAttributeNames"]:
        del request["ExpressionAttributeNames"]
    code, _ = refusal(client.query, **request)
    assert code == "ValidationException"


@pytest.mark.parametrize(
    ("condition", "operands", "message"),
    [
        pytest.param(
            " AND kind = :k",
            {"k": "a"},
            "RANGE key attributes year must have equality conditions specified in the query "
            "because a condition is present on key attribute kind",
            id="range-part-missing",
        ),
        pytest.param(
            " AND kind = :k",
            {"k": "a", "t": 1},
            "One or more parameter values were invalid: Condition parameter type does not match "
            "schema type",
            id="hash-type-before-missing-range-part",
        ),
        pytest.param(
            " AND #y = :r AND kind = :t AND title = :t AND pk = :t",
            {},
            "Query key condition not supported",
            id="too-many",
        ),
    ],
)
def test_which_fault_of_a_query_is_told(
    client: Client, table: str, condition: str, operands: dict[str, Any], message: str
) -> None:
    request = query(table, condition, **operands)
    assert refusal(client.query, **request) == invalid(message)


def test_more_conditions_than_the_key_has_parts(client: Client, table: str) -> None:
    request = query(table, " AND #y = :r AND kind = :t AND title = :t AND pk = :t AND x = :t")
    request["KeyConditionExpression"] = request["KeyConditionExpression"].removeprefix(
        "tenant = :t AND "
    )
    assert refusal(client.query, **request) == invalid("Query key condition not supported")


def table_with(hashes: int, ranges: int) -> dict[str, Any]:
    hash_names = [f"h{n}" for n in range(hashes)]
    range_names = [f"r{n}" for n in range(ranges)]
    declared = [f"{name}:S" for name in ("pk", *hash_names, *range_names)]
    return keys("pk:S") | {
        "TableName": unique(),
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": definitions(*declared),
        "GlobalSecondaryIndexes": [multi("wide", hash_names, range_names)],
    }


def test_four_and_four_are_the_most(client: Client) -> None:
    client.create_table(**table_with(4, 4))
    for hashes, ranges in ((5, 0), (1, 5)):
        code, _ = refusal(client.create_table, **table_with(hashes, ranges))
        assert code == "ValidationException"


def test_a_table_key_has_one_attribute_each(client: Client) -> None:
    bad = keys("a:S", "b:S") | {"TableName": unique(), "BillingMode": "PAY_PER_REQUEST"}
    bad["KeySchema"] = [{"AttributeName": each, "KeyType": "HASH"} for each in "ab"]
    assert refusal(client.create_table, **bad)[0] == invalid("")[0]
