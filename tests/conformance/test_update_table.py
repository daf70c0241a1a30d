"""UpdateTable: throughput, billing, streams, and indexes added with backfill and removed."""

from __future__ import annotations

import time
from typing import Any

import pytest
from botocore.exceptions import ClientError

from .support import (
    Client,
    create,
    definitions,
    fill,
    index,
    invalid,
    item,
    keys,
    plains,
    refusal,
    unique,
    values,
)

THROUGHPUT = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}


def settled(client: Client, table: str) -> dict[str, Any]:
    """Wait until table and indexes are active; return the description."""
    statuses: set[str] = set()
    for _ in range(500):
        try:
            shown: dict[str, Any] = client.describe_table(TableName=table)["Table"]
        except ClientError as error:
            # DynamoDB Local's own word, now and then, while it fills an index; ours is another.
            if error.response["Error"]["Code"] != "InternalFailure":
                raise
        else:
            indexes = shown.get("GlobalSecondaryIndexes", [])
            statuses = {shown["TableStatus"], *(each["IndexStatus"] for each in indexes)}
            if statuses == {"ACTIVE"}:
                return shown
        time.sleep(0.1)
    raise AssertionError(statuses)


def provisioned(client: Client) -> str:
    name = unique()
    client.create_table(TableName=name, **keys("pk:S"), ProvisionedThroughput=THROUGHPUT)
    settled(client, name)
    return name


def add(*made: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"Create": each} for each in made]


def test_throughput(client: Client) -> None:
    name = provisioned(client)
    wanted = {"ReadCapacityUnits": 7, "WriteCapacityUnits": 8}
    client.update_table(TableName=name, ProvisionedThroughput=wanted)
    shown = settled(client, name)["ProvisionedThroughput"]
    assert {key: shown[key] for key in wanted} == wanted


def test_decreases_of_the_day_are_counted(client: Client) -> None:
    name = provisioned(client)
    for read, write in ((4, 4), (3, 5), (6, 6)):
        wanted = {"ReadCapacityUnits": read, "WriteCapacityUnits": write}
        client.update_table(TableName=name, ProvisionedThroughput=wanted)
        settled(client, name)
    shown = settled(client, name)["ProvisionedThroughput"]
    assert shown["NumberOfDecreasesToday"] == 2
    assert shown["LastDecreaseDateTime"] <= shown["LastIncreaseDateTime"]


def test_billing_mode(client: Client) -> None:
    name = provisioned(client)
    client.update_table(TableName=name, BillingMode="PAY_PER_REQUEST")
    shown = settled(client, name)
    assert shown["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    assert shown["ProvisionedThroughput"]["ReadCapacityUnits"] == 0
    client.update_table(TableName=name, BillingMode="PROVISIONED", ProvisionedThroughput=THROUGHPUT)
    assert settled(client, name)["ProvisionedThroughput"]["ReadCapacityUnits"] == 5


def test_indexes_are_provisioned_with_their_table(client: Client) -> None:
    name = create(client, "pk:S", GlobalSecondaryIndexes=[index("by-pk", "pk")])
    refused = refusal(
        client.update_table,
        TableName=name,
        BillingMode="PROVISIONED",
        ProvisionedThroughput=THROUGHPUT,
    )
    assert refused == invalid(
        "One or more parameter values were invalid: "
        "ProvisionedThroughput must be specified for index: by-pk"
    )


def test_throughput_after_on_demand_is_an_increase(client: Client) -> None:
    name = create(client, "pk:S")
    client.update_table(TableName=name, BillingMode="PROVISIONED", ProvisionedThroughput=THROUGHPUT)
    shown = settled(client, name)
    since = shown["BillingModeSummary"]["LastUpdateToPayPerRequestDateTime"]
    assert shown["ProvisionedThroughput"]["LastIncreaseDateTime"] > since
    assert shown["ProvisionedThroughput"]["NumberOfDecreasesToday"] == 0


def test_an_added_index_is_filled_from_the_table(client: Client) -> None:
    name = create(client, "pk:S")
    fill(client, name, [item(pk=f"p{n}", g=f"g{n % 3}", n=n, x="x") for n in range(30)])
    fill(client, name, [item(pk="sparse", x="x")])
    client.update_table(
        TableName=name,
        AttributeDefinitions=definitions("pk:S", "g:S", "n:N"),
        GlobalSecondaryIndexUpdates=add(index("by-g", "g", "n", "INCLUDE", "x")),
    )
    (made,) = settled(client, name)["GlobalSecondaryIndexes"]
    assert made["IndexName"] == "by-g"
    answer = client.query(
        TableName=name,
        IndexName="by-g",
        KeyConditionExpression="g = :g",
        ExpressionAttributeValues=values(g="g1"),
    )
    assert [each["n"] for each in plains(answer["Items"])] == list(range(1, 30, 3))
    assert client.scan(TableName=name, IndexName="by-g")["Count"] == 30
    client.put_item(TableName=name, Item=item(pk="later", g="g9", n=1))
    assert client.scan(TableName=name, IndexName="by-g")["Count"] == 31


@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param({"g": 5}, id="type"),
        pytest.param({"g": ""}, id="empty"),
        pytest.param({"g": "g" * 2049}, id="partition-key-too-large"),
        pytest.param({"g": "g", "h": "h" * 1025}, id="sort-key-too-large"),
    ],
)
def test_items_whose_values_can_be_no_key_are_not_filled_in(
    client: Client, wrong: dict[str, Any]
) -> None:
    name = create(client, "pk:S")
    fill(client, name, [item(pk="right", g="g", h="h"), item(pk="wrong", **{"h": "h", **wrong})])
    client.update_table(
        TableName=name,
        AttributeDefinitions=definitions("pk:S", "g:S", "h:S"),
        GlobalSecondaryIndexUpdates=add(index("by-g", "g", "h")),
    )
    settled(client, name)
    found = client.scan(TableName=name, IndexName="by-g")["Items"]
    assert plains(found) == [{"pk": "right", "g": "g", "h": "h"}]
    client.delete_item(TableName=name, Key=item(pk="wrong"))
    assert client.scan(TableName=name, IndexName="by-g")["Count"] == 1


def test_a_removed_index_is_gone(client: Client) -> None:
    name = create(
        client,
        "pk:S",
        indexed="g:S",
        GlobalSecondaryIndexes=[index("by-g", "g")],
    )
    client.update_table(
        TableName=name, GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "by-g"}}]
    )
    for _ in range(100):
        shown = client.describe_table(TableName=name)["Table"]
        if "GlobalSecondaryIndexes" not in shown and shown["TableStatus"] == "ACTIVE":
            break
        time.sleep(0.1)
    assert "GlobalSecondaryIndexes" not in shown
    assert shown["AttributeDefinitions"] == definitions("pk:S")
    assert refusal(client.scan, TableName=name, IndexName="by-g") == invalid(
        "The table does not have the specified index: by-g"
    )


def test_a_multi_attribute_index_is_filled_too(client: Client) -> None:
    name = create(client, "pk:S")
    fill(client, name, [item(pk=f"p{n}", a="x", b=n % 2, c=n) for n in range(6)])
    wide = {
        "IndexName": "wide",
        "KeySchema": [
            {"AttributeName": "a", "KeyType": "HASH"},
            {"AttributeName": "b", "KeyType": "HASH"},
            {"AttributeName": "c", "KeyType": "RANGE"},
        ],
        "Projection": {"ProjectionType": "ALL"},
    }
    client.update_table(
        TableName=name,
        AttributeDefinitions=definitions("pk:S", "a:S", "b:N", "c:N"),
        GlobalSecondaryIndexUpdates=add(wide),
    )
    settled(client, name)
    answer = client.query(
        TableName=name,
        IndexName="wide",
        KeyConditionExpression="a = :a AND b = :b",
        ExpressionAttributeValues=values(a="x", b=1),
    )
    assert [each["c"] for each in plains(answer["Items"])] == [1, 3, 5]


def test_indexes_are_added_one_by_one_with_the_definitions_of_all(client: Client) -> None:
    name = create(client, "pk:S")
    every = definitions("g:S", "h:N", "pk:S")
    for made in (index("by-g", "g"), index("by-h", "h")):
        client.update_table(
            TableName=name, AttributeDefinitions=every, GlobalSecondaryIndexUpdates=add(made)
        )
        shown = settled(client, name)
    found = sorted(shown["AttributeDefinitions"], key=lambda each: each["AttributeName"])
    assert found == every
    assert {each["IndexName"] for each in shown["GlobalSecondaryIndexes"]} == {"by-g", "by-h"}


def test_throughput_of_an_index(client: Client) -> None:
    name = unique()
    client.create_table(
        TableName=name,
        **keys("pk:S"),
        ProvisionedThroughput=THROUGHPUT,
        GlobalSecondaryIndexes=[index("by-pk", "pk") | {"ProvisionedThroughput": THROUGHPUT}],
    )
    settled(client, name)
    wanted = {"ReadCapacityUnits": 9, "WriteCapacityUnits": 9}
    change = {"Update": {"IndexName": "by-pk", "ProvisionedThroughput": wanted}}
    client.update_table(TableName=name, GlobalSecondaryIndexUpdates=[change])
    (made,) = settled(client, name)["GlobalSecondaryIndexes"]
    assert made["ProvisionedThroughput"]["ReadCapacityUnits"] == 9


def test_streams_are_enabled_and_disabled(client: Client) -> None:
    name = create(client, "pk:S")
    wanted = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
    client.update_table(TableName=name, StreamSpecification=wanted)
    assert settled(client, name)["StreamSpecification"] == wanted
    client.update_table(TableName=name, StreamSpecification={"StreamEnabled": False})
    assert "StreamSpecification" not in settled(client, name)


BAD = "One or more parameter values were invalid: "


@pytest.mark.parametrize(
    ("part", "message"),
    [
        pytest.param(
            {},
            "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, "
            "GlobalSecondaryIndexUpdates or SSESpecification or ReplicaUpdates is required",
            id="nothing",
        ),
        pytest.param(
            {"ProvisionedThroughput": THROUGHPUT},
            "The provisioned throughput for the table will not change. The requested value equals "
            "the current value. Current ReadCapacityUnits provisioned for the table: 5. Requested "
            "ReadCapacityUnits: 5. Current WriteCapacityUnits provisioned for the table: 5. "
            "Requested WriteCapacityUnits: 5. Refer to the Amazon DynamoDB Developer Guide for "
            "current limits and how to request higher limits.",
            id="same-throughput",
        ),
    ],
)
def test_refused(client: Client, part: dict[str, Any], message: str) -> None:
    assert refusal(client.update_table, TableName=provisioned(client), **part) == invalid(message)


def test_an_index_on_an_undefined_attribute_is_refused(client: Client) -> None:
    name = create(client, "pk:S")
    code, _ = refusal(
        client.update_table,
        TableName=name,
        GlobalSecondaryIndexUpdates=add(index("by-z", "z")),
    )
    assert code == "ValidationException"


def test_a_stream_cannot_be_enabled_twice(client: Client) -> None:
    wanted = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
    name = create(client, "pk:S", StreamSpecification=wanted)
    refused = refusal(client.update_table, TableName=name, StreamSpecification=wanted)
    assert refused == invalid(f"Table already has an enabled stream: TableName: {name}")


def test_a_stream_is_not_changed_with_throughput(client: Client) -> None:
    refused = refusal(
        client.update_table,
        TableName=provisioned(client),
        ProvisionedThroughput=dict.fromkeys(THROUGHPUT, 9),
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"},
    )
    assert refused == invalid(
        "One or more parameter values were invalid: "
        "You cannot modify stream status while updating table IOPS"
    )


def test_a_stream_that_is_not_there_cannot_be_disabled(client: Client) -> None:
    name = create(client, "pk:S")
    disabled = {"StreamEnabled": False}
    refused = refusal(client.update_table, TableName=name, StreamSpecification=disabled)
    assert refused == invalid(f"Table has no stream to disable: TableName: {name}")


def test_an_unknown_index_cannot_be_removed(client: Client) -> None:
    name = create(client, "pk:S")
    refused = refusal(
        client.update_table,
        TableName=name,
        GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "zzz"}}],
    )
    assert refused[0] == "ResourceNotFoundException"


def test_names_of_an_added_index_have_at_most_255_bytes(client: Client) -> None:
    name, long = create(client, "pk:S"), "é" * 128
    for made in (index("by-long", long), index("by-pk", "pk", "", "INCLUDE", long)):
        refused = refusal(
            client.update_table,
            TableName=name,
            AttributeDefinitions=definitions("pk:S", f"{long}:S"),
            GlobalSecondaryIndexUpdates=add(made),
        )
        assert refused == invalid(
            "Names of key attributes and attributes projected into an index must be between 1 and "
            "255 characters, inclusive"
        )


def test_an_index_cannot_be_added_twice(client: Client) -> None:
    name = create(client, "pk:S", GlobalSecondaryIndexes=[index("by-pk", "pk")])
    refused = refusal(
        client.update_table,
        TableName=name,
        AttributeDefinitions=definitions("pk:S"),
        GlobalSecondaryIndexUpdates=add(index("by-pk", "pk")),
    )
    assert refused == invalid("Attempting to create an index which already exists")


def test_an_index_is_not_named_as_a_local_one(client: Client) -> None:
    name = create(
        client, "pk:S", "sk:S", indexed="g:S", LocalSecondaryIndexes=[index("by-g", "pk", "g")]
    )
    refused = refusal(
        client.update_table,
        TableName=name,
        AttributeDefinitions=definitions("pk:S", "sk:S", "g:S"),
        GlobalSecondaryIndexUpdates=add(index("by-g", "g")),
    )
    assert refused == invalid("Attempting to create an index which already exists")


def test_a_local_index_cannot_be_removed(client: Client) -> None:
    name = create(
        client, "pk:S", "sk:S", indexed="g:S", LocalSecondaryIndexes=[index("by-g", "pk", "g")]
    )
    refused = refusal(
        client.update_table,
        TableName=name,
        GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "by-g"}}],
    )
    assert refused == invalid("Cannot delete an index that is not a GlobalSecondaryIndex")


def test_a_21st_index_is_refused(client: Client) -> None:
    twenty = [index(f"global{n}", "pk") for n in range(20)]
    refused = refusal(
        client.update_table,
        TableName=create(client, "pk:S", GlobalSecondaryIndexes=twenty),
        AttributeDefinitions=definitions("pk:S"),
        GlobalSecondaryIndexUpdates=add(index("more", "pk")),
    )
    assert refused == (
        "LimitExceededException",
        "Number of global secondary indexes exceeds per-table limit",
    )


def test_an_attribute_keeps_its_type(client: Client) -> None:
    refused = refusal(
        client.update_table,
        TableName=create(client, "pk:S"),
        AttributeDefinitions=definitions("pk:N", "g:S"),
        GlobalSecondaryIndexUpdates=add(index("by-g", "g")),
    )
    assert refused == invalid(
        "invalid attribute, SchemaElement redefined should be of same type as previously defined"
    )


def test_an_update_of_an_index_says_what_changes(client: Client) -> None:
    name = unique()
    client.create_table(
        TableName=name,
        **keys("pk:S"),
        ProvisionedThroughput=THROUGHPUT,
        GlobalSecondaryIndexes=[index("by-pk", "pk") | {"ProvisionedThroughput": THROUGHPUT}],
    )
    settled(client, name)
    code, _ = refusal(
        client.update_table,
        TableName=name,
        GlobalSecondaryIndexUpdates=[{"Update": {"IndexName": "by-pk"}}],
    )
    assert code == "ValidationException"


def test_an_unknown_table(client: Client) -> None:
    name = unique()
    refused = refusal(client.update_table, TableName=name, BillingMode="PAY_PER_REQUEST")
    assert refused == (
        "ResourceNotFoundException",
        f"Requested resource not found: Table: {name} not found",
    )
