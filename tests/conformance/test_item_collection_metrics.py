"""Item collection metrics: only for tables with a local index, only if asked."""

from __future__ import annotations

from typing import Any

import pytest

from .support import Client, create, index, item, unique


@pytest.fixture(scope="module")
def indexed(client: Client) -> str:
    return create(
        client,
        "pk:S",
        "sk:N",
        indexed="t:S",
        LocalSecondaryIndexes=[index("local", "pk", "t", "KEYS_ONLY")],
    )


def check(metrics: dict[str, Any], pk: str) -> None:
    assert metrics["ItemCollectionKey"] == item(pk=pk)
    low, high = metrics["SizeEstimateRangeGB"]
    assert 0.0 <= low < high <= 1.0


def test_each_write_reports_its_collection(client: Client, indexed: str) -> None:
    pk = unique()
    key = item(pk=pk, sk=1)
    request = {"TableName": indexed, "ReturnItemCollectionMetrics": "SIZE"}
    check(client.put_item(Item=key, **request)["ItemCollectionMetrics"], pk)
    check(client.update_item(Key=key, **request)["ItemCollectionMetrics"], pk)
    check(client.delete_item(Key=key, **request)["ItemCollectionMetrics"], pk)


def test_batches_and_transactions_report_by_table(client: Client, indexed: str) -> None:
    pk = unique()
    batch = client.batch_write_item(
        RequestItems={indexed: [{"PutRequest": {"Item": item(pk=pk, sk=1)}}]},
        ReturnItemCollectionMetrics="SIZE",
    )
    (metrics,) = batch["ItemCollectionMetrics"][indexed]
    check(metrics, pk)
    transaction = client.transact_write_items(
        TransactItems=[{"Put": {"TableName": indexed, "Item": item(pk=pk, sk=2)}}],
        ReturnItemCollectionMetrics="SIZE",
    )
    (metrics,) = transaction["ItemCollectionMetrics"][indexed]
    check(metrics, pk)


def test_a_check_affects_no_collection(client: Client, indexed: str) -> None:
    pk, other = unique(), unique()
    transaction = client.transact_write_items(
        TransactItems=[
            {"Put": {"TableName": indexed, "Item": item(pk=pk, sk=1)}},
            {
                "ConditionCheck": {
                    "TableName": indexed,
                    "Key": item(pk=other, sk=1),
                    "ConditionExpression": "attribute_not_exists(pk)",
                }
            },
        ],
        ReturnItemCollectionMetrics="SIZE",
    )
    (metrics,) = transaction["ItemCollectionMetrics"][indexed]
    check(metrics, pk)


def test_nothing_unless_asked(client: Client, indexed: str) -> None:
    for asked in ({}, {"ReturnItemCollectionMetrics": "NONE"}):
        answer = client.put_item(TableName=indexed, Item=item(pk=unique(), sk=1), **asked)
        assert "ItemCollectionMetrics" not in answer


def test_nothing_without_a_local_index(client: Client) -> None:
    answer = client.put_item(
        TableName=create(client, "pk:S"), Item=item(pk="p"), ReturnItemCollectionMetrics="SIZE"
    )
    assert "ItemCollectionMetrics" not in answer
