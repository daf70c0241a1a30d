"""Scan: whole tables, indexes, parallel segments."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from .support import Client, create, fill, index, invalid, item, pages, plains, refusal


@pytest.fixture(scope="module")
def table(client: Client) -> str:
    name = create(
        client,
        "pk:S",
        "sk:N",
        indexed="g:S",
        GlobalSecondaryIndexes=[index("sparse", "g", "", "KEYS_ONLY")],
    )
    fill(
        client,
        name,
        [
            item(pk=f"p{p}", sk=s, x="y") | (item(g=f"g{s}") if s == 1 else {})
            for p in range(20)
            for s in range(3)
        ],
    )
    return name


def test_finds_everything_in_order_within_a_partition(client: Client, table: str) -> None:
    answer = client.scan(TableName=table)
    assert (answer["Count"], answer["ScannedCount"]) == (60, 60)
    by_partition: dict[str, list[Any]] = {}
    for each in plains(answer["Items"]):
        by_partition.setdefault(each["pk"], []).append(each["sk"])
    assert set(by_partition) == {f"p{p}" for p in range(20)}
    assert all(sorts == [0, 1, 2] for sorts in by_partition.values())


def test_partitions_are_not_interleaved(client: Client, table: str) -> None:
    seen = [each["pk"]["S"] for each in client.scan(TableName=table)["Items"]]
    changes = sum(1 for one, two in pairwise(seen) if one != two)
    assert changes == 19


def test_an_index_holds_only_items_with_its_keys(client: Client, table: str) -> None:
    answer = client.scan(TableName=table, IndexName="sparse")
    assert answer["Count"] == 20
    assert all(set(each) == {"pk", "sk", "g"} for each in answer["Items"])


@pytest.mark.parametrize("total", [1, 2, 4, 7])
def test_segments_divide_the_table(client: Client, table: str, total: int) -> None:
    found = [
        (each["pk"]["S"], each["sk"]["N"])
        for segment in range(total)
        for answer in pages(
            client.scan, TableName=table, Segment=segment, TotalSegments=total, Limit=11
        )
        for each in answer["Items"]
    ]
    assert len(found) == len(set(found)) == 60


def test_a_partition_lies_in_one_segment(client: Client, table: str) -> None:
    homes: dict[str, set[int]] = {}
    for segment in range(4):
        answer = client.scan(TableName=table, Segment=segment, TotalSegments=4)
        for each in answer["Items"]:
            homes.setdefault(each["pk"]["S"], set()).add(segment)
    assert all(len(segments) == 1 for segments in homes.values())
    assert len(set.union(*homes.values())) > 1


def test_segments_share_the_work(client: Client, table: str) -> None:
    counts = [
        client.scan(TableName=table, Segment=segment, TotalSegments=4)["Count"]
        for segment in range(4)
    ]
    assert sum(1 for count in counts if count) >= 3
    assert max(counts) <= 30


def test_a_start_key_of_another_segment_is_refused(client: Client, table: str) -> None:
    last = [
        client.scan(TableName=table, Segment=segment, TotalSegments=2, Limit=1)["LastEvaluatedKey"]
        for segment in range(2)
    ]
    refused = refusal(
        client.scan, TableName=table, Segment=0, TotalSegments=2, ExclusiveStartKey=last[1]
    )
    assert refused == invalid(
        "The provided starting key is invalid: Invalid ExclusiveStartKey. Please use "
        "ExclusiveStartKey with correct Segment. TotalSegments: 2 Segment: 0"
    )


def test_segments_of_an_index(client: Client, table: str) -> None:
    counts = [
        client.scan(TableName=table, IndexName="sparse", Segment=segment, TotalSegments=3)["Count"]
        for segment in range(3)
    ]
    assert sum(counts) == 20


def test_an_empty_table(client: Client) -> None:
    answer = client.scan(TableName=create(client, "pk:S"))
    assert (answer["Items"], answer["Count"], answer["ScannedCount"]) == ([], 0, 0)
    assert "LastEvaluatedKey" not in answer


def test_select_count(client: Client, table: str) -> None:
    answer = client.scan(TableName=table, Select="COUNT")
    assert answer["Count"] == 60
    assert "Items" not in answer


@pytest.mark.parametrize(
    ("part", "message"),
    [
        pytest.param(
            {"Segment": 0},
            "The TotalSegments parameter is required but was not present in the request when "
            "Segment parameter is present",
            id="no-total",
        ),
        pytest.param(
            {"TotalSegments": 2},
            "The Segment parameter is required but was not present in the request when parameter "
            "TotalSegments is present",
            id="no-segment",
        ),
        pytest.param(
            {"Segment": 2, "TotalSegments": 2},
            "The Segment parameter is zero-based and must be less than parameter TotalSegments: "
            "Segment: 2 is not less than TotalSegments: 2",
            id="segment-too-large",
        ),
        pytest.param(
            {"IndexName": "zzz"}, "The table does not have the specified index: zzz", id="index"
        ),
        pytest.param(
            {"IndexName": "sparse", "ConsistentRead": True},
            "Consistent reads are not supported on global secondary indexes",
            id="consistent-index",
        ),
        pytest.param(
            {"IndexName": "sparse", "Select": "ALL_ATTRIBUTES"},
            "One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not "
            "supported for global secondary index sparse because its projection type is not ALL",
            id="all-of-a-partial-index",
        ),
        pytest.param(
            {"Select": "SPECIFIC_ATTRIBUTES"},
            "Must specify the AttributesToGet or ProjectionExpression when choosing to get "
            "SPECIFIC_ATTRIBUTES",
            id="select-without-projection",
        ),
        pytest.param(
            {"Select": "ALL_PROJECTED_ATTRIBUTES"},
            "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName",
            id="select-projected-without-index",
        ),
        pytest.param(
            {"ExpressionAttributeValues": {":a": {"S": "a"}}},
            "ExpressionAttributeValues can only be specified when using expressions: "
            "FilterExpression is null",
            id="values-without-expression",
        ),
    ],
)
def test_refused(client: Client, table: str, part: dict[str, Any], message: str) -> None:
    assert refusal(client.scan, TableName=table, **part) == invalid(message)
