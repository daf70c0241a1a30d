"""Pages: Limit, LastEvaluatedKey, ExclusiveStartKey and the 1 MB page."""

from __future__ import annotations

from typing import Any

import pytest

from .support import Client, create, fill, index, invalid, item, pages, plains, refusal, values

BIG = "x" * 100_000


@pytest.fixture(scope="module")
def table(client: Client) -> str:
    """Ten small items, and twelve of about 100 KB, in two partitions."""
    name = create(
        client,
        "pk:S",
        "sk:N",
        indexed="g:S",
        GlobalSecondaryIndexes=[index("by-g", "g")],
    )
    fill(client, name, [item(pk="small", sk=n, g="same", parity=n % 2) for n in range(10)])
    for n in range(12):
        client.put_item(TableName=name, Item=item(pk="big", sk=n, body=BIG))
    return name


def query(table: str, pk: str = "small", **more: Any) -> dict[str, Any]:
    return {
        "TableName": table,
        "KeyConditionExpression": "pk = :pk",
        "ExpressionAttributeValues": values(pk=pk),
    } | more


def sort_keys(answer: dict[str, Any]) -> list[int]:
    return [int(each["sk"]) for each in plains(answer["Items"])]


def test_a_limit_cuts_pages(client: Client, table: str) -> None:
    got = list(pages(client.query, **query(table, Limit=4)))
    assert [sort_keys(each) for each in got] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    assert got[0]["LastEvaluatedKey"] == item(pk="small", sk=3)


def test_a_full_last_page_has_a_key_and_the_next_is_empty(client: Client, table: str) -> None:
    got = list(pages(client.query, **query(table, Limit=5)))
    assert [each["Count"] for each in got] == [5, 5, 0]
    assert got[1]["LastEvaluatedKey"] == item(pk="small", sk=9)


@pytest.mark.parametrize(
    ("condition", "forward", "found"),
    [
        ("sk <= :three", True, [0, 1, 2, 3]),
        ("sk BETWEEN :three AND :six", True, [3, 4, 5, 6]),
        ("sk BETWEEN :three AND :six", False, [6, 5, 4, 3]),
        ("sk >= :six", False, [9, 8, 7, 6]),
    ],
)
def test_nothing_follows_on_the_end_that_a_condition_names(
    client: Client, table: str, condition: str, forward: bool, found: list[int]
) -> None:
    """A page that ends there has no key, and such a key is refused."""
    used = {name: value for name, value in values(three=3, six=6).items() if name in condition}
    request = query(
        table,
        KeyConditionExpression=f"pk = :pk AND {condition}",
        ExpressionAttributeValues=values(pk="small") | used,
        ScanIndexForward=forward,
    )
    got = list(pages(client.query, **request, Limit=2))
    assert [sort_keys(each) for each in got] == [found[:2], found[2:]]
    end = item(pk="small", sk=found[-1])
    assert refusal(client.query, **request, ExclusiveStartKey=end) == invalid(
        "The provided starting key does not match the range key predicate"
    )


@pytest.mark.parametrize(
    ("condition", "forward"), [("sk < :six", True), ("sk > :five", False), ("sk = :five", True)]
)
def test_something_may_follow_on_other_conditions(
    client: Client, table: str, condition: str, forward: bool
) -> None:
    used = {name: value for name, value in values(five=5, six=6).items() if name in condition}
    request = query(
        table,
        KeyConditionExpression=f"pk = :pk AND {condition}",
        ExpressionAttributeValues=values(pk="small") | used,
        ScanIndexForward=forward,
        Limit=1,
    )
    *_, last, after = pages(client.query, **request)
    assert (last["Count"], after["Count"]) == (1, 0)


def test_nothing_follows_on_the_item_of_a_key_without_sort_key(client: Client) -> None:
    name = create(client, "pk:S")
    client.put_item(TableName=name, Item=item(pk="a"))
    request = query(name, "a", Limit=1)
    answer = client.query(**request)
    assert (answer["Count"], answer.get("LastEvaluatedKey")) == (1, None)
    assert client.query(**request, ExclusiveStartKey=item(pk="a"))["Items"] == []


def test_an_entry_of_an_index_may_follow_on_one_with_the_same_key(client: Client) -> None:
    name = create(
        client,
        "pk:S",
        "sk:N",
        indexed="n:N",
        LocalSecondaryIndexes=[index("by-n", "pk", "n", "KEYS_ONLY")],
    )
    fill(client, name, [item(pk="a", sk=sk, n=1) for sk in range(3)])
    request = query(
        name,
        IndexName="by-n",
        KeyConditionExpression="pk = :pk AND n <= :one",
        ExpressionAttributeValues=values(pk="a", one=1),
        Limit=1,
    )
    assert [each["Count"] for each in pages(client.query, **request)] == [1, 1, 1, 0]


def test_backwards_pages(client: Client, table: str) -> None:
    got = list(pages(client.query, **query(table, Limit=6, ScanIndexForward=False)))
    assert [sort_keys(each) for each in got] == [[9, 8, 7, 6, 5, 4], [3, 2, 1, 0]]


def test_a_start_key_need_not_exist(client: Client, table: str) -> None:
    request = query(table, ExclusiveStartKey={"pk": {"S": "small"}, "sk": {"N": "6.5"}})
    assert sort_keys(client.query(**request)) == [7, 8, 9]


def test_a_start_key_within_a_condition(client: Client, table: str) -> None:
    request = query(
        table,
        KeyConditionExpression="pk = :pk AND sk BETWEEN :a AND :b",
        ExpressionAttributeValues=values(pk="small", a=2, b=8),
        Limit=4,
    )
    assert [sort_keys(each) for each in pages(client.query, **request)] == [
        [2, 3, 4, 5],
        [6, 7, 8],
    ]


def test_a_filter_may_leave_a_page_empty(client: Client, table: str) -> None:
    request = query(
        table,
        FilterExpression="parity = :one",
        ExpressionAttributeValues=values(pk="small", one=1),
        Limit=1,
    )
    got = list(pages(client.query, **request))
    assert [each["Count"] for each in got] == [0, 1] * 5 + [0]
    assert all(each["ScannedCount"] == 1 for each in got[:10])


def test_a_page_ends_after_the_item_that_passes_1_mb(client: Client, table: str) -> None:
    got = list(pages(client.query, **query(table, "big")))
    assert [each["Count"] for each in got] == [11, 1]
    assert got[0]["LastEvaluatedKey"] == item(pk="big", sk=10)


def test_the_1_mb_are_counted_before_filter_and_projection(client: Client, table: str) -> None:
    filtered = query(
        table,
        "big",
        FilterExpression="attribute_not_exists(body)",
    )
    got = list(pages(client.query, **filtered))
    assert [(each["Count"], each["ScannedCount"]) for each in got] == [(0, 11), (0, 1)]
    projected = list(pages(client.query, **query(table, "big", ProjectionExpression="sk")))
    assert [each["Count"] for each in projected] == [11, 1]


def test_the_1_mb_are_those_of_items_that_an_index_does_not_have_in_full(client: Client) -> None:
    name = create(
        client,
        "pk:S",
        "sk:N",
        indexed="n:N",
        LocalSecondaryIndexes=[index("by-n", "pk", "n", "KEYS_ONLY")],
    )
    for n in range(12):
        client.put_item(TableName=name, Item=item(pk="big", sk=n, n=n, body=BIG))
    for more in ({"Select": "ALL_ATTRIBUTES"}, {"ProjectionExpression": "body"}):
        got = pages(client.query, **query(name, "big", IndexName="by-n", **more))
        assert [each["Count"] for each in got] == [11, 1]
    statement = f"SELECT body FROM \"{name}\".\"by-n\" WHERE pk IN ['a', 'big']"
    assert len(client.execute_statement(Statement=statement)["Items"]) == 11


def test_items_that_are_fetched_count_by_units_of_4_kb(client: Client) -> None:
    """255 of them and the unit of the index entries are 1 MB."""
    name = create(
        client,
        "pk:S",
        "sk:N",
        indexed="n:N",
        LocalSecondaryIndexes=[index("by-n", "pk", "n", "KEYS_ONLY")],
    )
    fill(client, name, [item(pk="a", sk=n, n=n, body="x" * 100) for n in range(300)])
    for more in ({"Select": "ALL_ATTRIBUTES"}, {"ProjectionExpression": "body"}):
        got = pages(client.query, **query(name, "a", IndexName="by-n", **more))
        assert [each["Count"] for each in got] == [255, 45]
    got = pages(client.query, **query(name, "a", IndexName="by-n"))
    assert [each["Count"] for each in got] == [300]


def test_select_count_counts_by_pages_too(client: Client, table: str) -> None:
    got = list(pages(client.query, **query(table, "big", Select="COUNT")))
    assert [each["Count"] for each in got] == [11, 1]


def test_scan_pages_cover_everything_once(client: Client, table: str) -> None:
    found = [
        (each["pk"]["S"], each["sk"]["N"])
        for answer in pages(client.scan, TableName=table, ProjectionExpression="pk, sk", Limit=7)
        for each in answer["Items"]
    ]
    assert len(found) == len(set(found)) == 22


def test_index_pages_carry_index_and_table_keys(client: Client, table: str) -> None:
    request = {
        "TableName": table,
        "IndexName": "by-g",
        "KeyConditionExpression": "g = :g",
        "ExpressionAttributeValues": values(g="same"),
        "Limit": 4,
    }
    got = list(pages(client.query, **request))
    assert [each["Count"] for each in got] == [4, 4, 2]
    assert set(got[0]["LastEvaluatedKey"]) == {"pk", "sk", "g"}
    assert sorted(n for each in got for n in sort_keys(each)) == list(range(10))


def test_the_boto3_paginator_works(client: Client, table: str) -> None:
    walked = client.get_paginator("query").paginate(
        **query(table), PaginationConfig={"PageSize": 3}
    )
    assert [sort_keys(each) for each in walked] == [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9]]


@pytest.mark.parametrize(
    "start",
    [
        pytest.param(item(pk="small"), id="half"),
        pytest.param(item(pk="small", sk=1, x=1), id="too-much"),
        pytest.param(item(pk="small", x=1), id="another-name"),
    ],
)
def test_refused_start_keys_of_a_scan(client: Client, table: str, start: dict[str, Any]) -> None:
    assert refusal(client.scan, TableName=table, ExclusiveStartKey=start) == invalid(
        "The provided starting key is invalid: The provided key element does not match the schema"
    )
