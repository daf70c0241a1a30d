"""Consumed capacity: exact units for reads, writes, transactions and index writes."""

from __future__ import annotations

from typing import Any

import pytest

from .support import Client, create, fill, index, item, unique, values

KB = 1024


@pytest.fixture(scope="module")
def table(client: Client) -> str:
    return create(client, "pk:S", "sk:N")


def sized(size: int, **key: Any) -> dict[str, Any]:
    """An item of so many bytes whose key is given by strings and one-digit numbers."""
    taken = sum(
        len(name) + (len(each) if isinstance(each, str) else 2) for name, each in key.items()
    )
    return item(**key, body="x" * (size - taken - len("body")))


def units(answer: dict[str, Any]) -> float:
    consumed: float = answer["ConsumedCapacity"]["CapacityUnits"]
    return consumed


@pytest.mark.parametrize(
    ("size", "expected"),
    [(100, 1.0), (KB, 1.0), (KB + 1, 2.0), (10 * KB, 10.0), (10 * KB + 1, 11.0)],
)
def test_a_put_costs_its_kilobytes(client: Client, table: str, size: int, expected: float) -> None:
    whole = sized(size, pk=unique(), sk=1)
    assert (
        units(client.put_item(TableName=table, Item=whole, ReturnConsumedCapacity="TOTAL"))
        == expected
    )


def test_a_write_costs_the_larger_of_before_and_after(client: Client, table: str) -> None:
    pk = unique()
    big, small = sized(5 * KB, pk=pk, sk=1), sized(100, pk=pk, sk=1)
    client.put_item(TableName=table, Item=big)
    costed = {"TableName": table, "ReturnConsumedCapacity": "TOTAL"}
    assert units(client.put_item(Item=small, **costed)) == 5.0
    assert units(client.put_item(Item=big, **costed)) == 5.0
    key = item(pk=pk, sk=1)
    shrink = {"UpdateExpression": "REMOVE body"}
    assert units(client.update_item(Key=key, **shrink, **costed)) == 5.0
    assert units(client.update_item(Key=key, **shrink, **costed)) == 1.0
    client.put_item(TableName=table, Item=big)
    assert units(client.delete_item(Key=key, **costed)) == 5.0
    assert units(client.delete_item(Key=key, **costed)) == 1.0


@pytest.mark.parametrize(
    ("size", "eventual", "strong"),
    [(100, 0.5, 1.0), (4 * KB, 0.5, 1.0), (4 * KB + 1, 1.0, 2.0), (20 * KB, 2.5, 5.0)],
)
def test_a_get_costs_its_4_kilobytes(
    client: Client, table: str, size: int, eventual: float, strong: float
) -> None:
    whole = sized(size, pk=unique(), sk=1)
    client.put_item(TableName=table, Item=whole)
    request = {
        "TableName": table,
        "Key": {"pk": whole["pk"], "sk": whole["sk"]},
        "ReturnConsumedCapacity": "TOTAL",
    }
    assert units(client.get_item(**request)) == eventual
    assert units(client.get_item(**request, ConsistentRead=True)) == strong
    assert units(client.get_item(**request, ProjectionExpression="pk")) == eventual


def test_a_get_of_nothing(client: Client, table: str) -> None:
    request = {
        "TableName": table,
        "Key": item(pk=unique(), sk=1),
        "ReturnConsumedCapacity": "TOTAL",
    }
    assert units(client.get_item(**request)) == 0.5
    assert units(client.get_item(**request, ConsistentRead=True)) == 1.0


def test_a_query_rounds_its_sum(client: Client, table: str) -> None:
    pk = unique()
    fill(client, table, [sized(KB, pk=pk, sk=n) for n in range(9)])
    request = {
        "TableName": table,
        "KeyConditionExpression": "pk = :pk",
        "ExpressionAttributeValues": values(pk=pk),
        "ReturnConsumedCapacity": "TOTAL",
    }
    assert units(client.query(**request)) == 1.5
    assert units(client.query(**request, ConsistentRead=True)) == 3.0
    assert units(client.query(**request, Limit=4)) == 0.5
    assert units(client.query(**request, Select="COUNT")) == 1.5
    assert units(client.query(**request, FilterExpression="attribute_not_exists(body)")) == 1.5


def test_a_query_of_nothing(client: Client, table: str) -> None:
    request = {
        "TableName": table,
        "KeyConditionExpression": "pk = :pk",
        "ExpressionAttributeValues": values(pk=unique()),
        "ReturnConsumedCapacity": "TOTAL",
    }
    assert units(client.query(**request)) == 0.5
    assert units(client.query(**request, ConsistentRead=True)) == 1.0


def test_a_scan_rounds_its_sum(client: Client) -> None:
    name = create(client, "pk:S")
    request = {"TableName": name, "ReturnConsumedCapacity": "TOTAL"}
    fill(client, name, [sized(KB, pk=f"p{n}") for n in range(9)])
    assert units(client.scan(**request)) == 1.5
    assert units(client.scan(**request, ConsistentRead=True)) == 3.0


def test_batches_round_each_item(client: Client, table: str) -> None:
    pk = unique()
    puts = [{"PutRequest": {"Item": sized(KB + 1, pk=pk, sk=n)}} for n in range(1, 4)]
    written = client.batch_write_item(RequestItems={table: puts}, ReturnConsumedCapacity="TOTAL")
    assert written["ConsumedCapacity"] == [{"TableName": table, "CapacityUnits": 6.0}]
    wanted = [item(pk=pk, sk=n) for n in range(1, 4)]
    read = client.batch_get_item(
        RequestItems={table: {"Keys": wanted}}, ReturnConsumedCapacity="TOTAL"
    )
    assert read["ConsumedCapacity"] == [{"TableName": table, "CapacityUnits": 1.5}]


def test_a_missing_item_costs_as_a_small_one_in_a_batch(client: Client, table: str) -> None:
    wanted = [item(pk=unique(), sk=n) for n in range(3)]
    read = client.batch_get_item(
        RequestItems={table: {"Keys": wanted}}, ReturnConsumedCapacity="TOTAL"
    )
    assert read["ConsumedCapacity"] == [{"TableName": table, "CapacityUnits": 1.5}]


def test_transactions_cost_double(client: Client, table: str) -> None:
    pk = unique()
    puts = [{"Put": {"TableName": table, "Item": sized(KB + 1, pk=pk, sk=n)}} for n in range(1, 3)]
    written = client.transact_write_items(TransactItems=puts, ReturnConsumedCapacity="TOTAL")
    assert [(each["TableName"], each["CapacityUnits"]) for each in written["ConsumedCapacity"]] == [
        (table, 8.0)
    ]
    gets = [{"Get": {"TableName": table, "Key": item(pk=pk, sk=n)}} for n in range(1, 4)]
    read = client.transact_get_items(TransactItems=gets, ReturnConsumedCapacity="TOTAL")
    assert [(each["TableName"], each["CapacityUnits"]) for each in read["ConsumedCapacity"]] == [
        (table, 6.0)
    ]


def test_none_says_nothing(client: Client, table: str) -> None:
    for asked in ({}, {"ReturnConsumedCapacity": "NONE"}):
        answer = client.get_item(TableName=table, Key=item(pk="x", sk=1), **asked)
        assert "ConsumedCapacity" not in answer


def test_a_failed_condition_says_nothing(client: Client, table: str) -> None:
    with pytest.raises(client.exceptions.ConditionalCheckFailedException) as caught:
        client.delete_item(
            TableName=table,
            Key=item(pk=unique(), sk=1),
            ConditionExpression="attribute_exists(pk)",
            ReturnConsumedCapacity="TOTAL",
        )
    assert "ConsumedCapacity" not in caught.value.response


@pytest.fixture(scope="module")
def indexed(client: Client) -> str:
    """A table with a global index over keys, one over everything, and a local index."""
    return create(
        client,
        "pk:S",
        "sk:N",
        indexed="g:S t:S",
        GlobalSecondaryIndexes=[index("keys", "g", "", "KEYS_ONLY"), index("all", "g", "")],
        LocalSecondaryIndexes=[index("local", "pk", "t", "KEYS_ONLY")],
    )


def by_index(answer: dict[str, Any]) -> dict[str, float]:
    """The units of table and indexes, by name, of which the total must be the sum."""
    consumed = answer["ConsumedCapacity"]
    parts = {"table": consumed["Table"]["CapacityUnits"]}
    for kind in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
        for name, each in consumed.get(kind, {}).items():
            parts[name] = each["CapacityUnits"]
    assert consumed["CapacityUnits"] == sum(parts.values())
    return parts


def test_index_writes(client: Client, indexed: str) -> None:
    """2.5 KB items, as the documentation counts them."""
    pk, size = unique(), 2 * KB + KB // 2
    costed = {"TableName": indexed, "ReturnConsumedCapacity": "INDEXES"}
    whole = sized(size, pk=pk, sk=1, g="g1")
    assert by_index(client.put_item(Item=whole, **costed)) == {
        "table": 3.0,
        "keys": 1.0,
        "all": 3.0,
    }
    assert by_index(client.put_item(Item=whole, **costed)) == {"table": 3.0}
    key = item(pk=pk, sk=1)

    def update(expression: str, **operands: Any) -> dict[str, float]:
        more = {"ExpressionAttributeValues": values(**operands)} if operands else {}
        return by_index(client.update_item(Key=key, UpdateExpression=expression, **more, **costed))

    assert update("SET c = :c", c=1) == {"table": 3.0, "all": 3.0}
    assert update("SET g = :g", g="g2") == {"table": 3.0, "keys": 2.0, "all": 6.0}
    assert update("REMOVE g") == {"table": 3.0, "keys": 1.0, "all": 3.0}
    assert update("SET t = :t", t="x") == {"table": 3.0, "local": 1.0}
    assert update("SET t = :t", t="y") == {"table": 3.0, "local": 2.0}
    assert by_index(client.delete_item(Key=key, **costed)) == {"table": 3.0, "local": 1.0}
    assert by_index(client.delete_item(Key=key, **costed)) == {"table": 1.0}


def test_index_reads(client: Client, indexed: str) -> None:
    pk = unique()
    fill(client, indexed, [sized(3 * KB, pk=pk, sk=n, g=pk, t="t") for n in range(4)])
    costed = {
        "TableName": indexed,
        "ReturnConsumedCapacity": "INDEXES",
        "ExpressionAttributeValues": values(x=pk),
    }
    by_g = {"KeyConditionExpression": "g = :x"}
    assert by_index(client.query(IndexName="all", **by_g, **costed)) == {"table": 0.0, "all": 1.5}
    assert by_index(client.query(IndexName="keys", **by_g, **costed)) == {"table": 0.0, "keys": 0.5}
    by_pk = {"KeyConditionExpression": "pk = :x"}
    assert by_index(client.query(**by_pk, **costed)) == {"table": 1.5}
    assert by_index(client.query(IndexName="local", **by_pk, **costed)) == {
        "table": 0.0,
        "local": 0.5,
    }


def test_fetches_from_the_table_cost_a_get_each(client: Client, indexed: str) -> None:
    """A local index that lacks an attribute reads the table for each item."""
    pk = unique()
    fill(client, indexed, [sized(3 * KB, pk=pk, sk=n, t="t") for n in range(4)])
    answer = client.query(
        TableName=indexed,
        IndexName="local",
        KeyConditionExpression="pk = :x",
        ExpressionAttributeValues=values(x=pk),
        ProjectionExpression="body",
        ReturnConsumedCapacity="INDEXES",
    )
    assert by_index(answer) == {"table": 2.0, "local": 0.5}


def test_total_does_not_name_indexes(client: Client, indexed: str) -> None:
    answer = client.put_item(
        TableName=indexed,
        Item=item(pk=unique(), sk=1, g="g", t="t"),
        ReturnConsumedCapacity="TOTAL",
    )
    assert answer["ConsumedCapacity"] == {"TableName": indexed, "CapacityUnits": 4.0}
