"""DescribeTable, ListTables, DeleteTable, DescribeLimits and DescribeEndpoints."""

from __future__ import annotations

from typing import Any

import pytest

from .support import Client, create, fill, index, invalid, item, refusal, unique


def not_found(name: str) -> tuple[str, str]:
    return "ResourceNotFoundException", f"Requested resource not found: Table: {name} not found"


def test_describe_shows_counts_and_sizes(client: Client) -> None:
    name = create(client, "pk:S")
    fill(client, name, [item(pk=f"{n}", body="x" * 94) for n in range(3)])
    shown = client.describe_table(TableName=name)["Table"]
    assert (shown["ItemCount"], shown["TableSizeBytes"]) == (3, 3 * (2 + 1 + 4 + 94))
    assert shown["TableStatus"] == "ACTIVE"


def test_a_table_may_be_named_by_its_arn(client: Client) -> None:
    name = create(client, "pk:S")
    arn = client.describe_table(TableName=name)["Table"]["TableArn"]
    assert client.describe_table(TableName=arn)["Table"]["TableName"] == name
    client.put_item(TableName=arn, Item=item(pk="a"))
    assert client.get_item(TableName=name, Key=item(pk="a"))["Item"] == item(pk="a")


def test_unknown_tables(client: Client) -> None:
    name = unique()
    for operation in (client.describe_table, client.delete_table):
        assert refusal(operation, TableName=name) == not_found(name)


def test_delete(client: Client) -> None:
    name = create(client, "pk:S")
    client.put_item(TableName=name, Item=item(pk="a"))
    shown = client.delete_table(TableName=name)["TableDescription"]
    assert shown["TableName"] == name
    assert shown["TableStatus"] in {"DELETING", "ACTIVE"}
    client.get_waiter("table_not_exists").wait(TableName=name, WaiterConfig={"Delay": 1})
    assert refusal(client.describe_table, TableName=name) == not_found(name)


def test_a_new_table_of_an_old_name_is_empty(client: Client) -> None:
    name = create(client, "pk:S")
    client.put_item(TableName=name, Item=item(pk="a"))
    client.delete_table(TableName=name)
    client.get_waiter("table_not_exists").wait(TableName=name, WaiterConfig={"Delay": 1})
    create(client, "pk:S", TableName=name)
    assert client.scan(TableName=name)["Count"] == 0


def test_deletion_protection(client: Client) -> None:
    name = create(client, "pk:S", DeletionProtectionEnabled=True)
    code, message = refusal(client.delete_table, TableName=name)
    assert code == "ValidationException"
    assert message.startswith(
        "Resource cannot be deleted as it is currently protected against deletion"
    )
    client.update_table(TableName=name, DeletionProtectionEnabled=False)
    client.delete_table(TableName=name)


def test_list_is_sorted_and_paged(client: Client) -> None:
    prefix = unique("zz")
    made = [create(client, "pk:S", TableName=f"{prefix}-{letter}") for letter in "cab"]
    answer = client.list_tables(ExclusiveStartTableName=prefix, Limit=2)
    assert answer["TableNames"] == sorted(made)[:2]
    assert answer["LastEvaluatedTableName"] == sorted(made)[1]
    rest = client.list_tables(ExclusiveStartTableName=sorted(made)[1])
    assert rest["TableNames"][0] == sorted(made)[2]
    whole = [
        name
        for page in client.get_paginator("list_tables").paginate(PaginationConfig={"PageSize": 7})
        for name in page["TableNames"]
    ]
    assert whole == sorted(whole)
    assert set(made) <= set(whole)


def test_describe_limits(client: Client) -> None:
    answer = client.describe_limits()
    assert answer["AccountMaxReadCapacityUnits"] == 80000
    assert answer["AccountMaxWriteCapacityUnits"] == 80000
    assert answer["TableMaxReadCapacityUnits"] == 40000
    assert answer["TableMaxWriteCapacityUnits"] == 40000


def test_describe_endpoints(client: Client) -> None:
    (endpoint,) = client.describe_endpoints()["Endpoints"]
    assert endpoint["Address"]
    assert endpoint["CachePeriodInMinutes"] == 1440


@pytest.mark.parametrize("operation", ["get_item", "delete_item", "update_item"])
def test_item_operations_on_unknown_tables(client: Client, operation: str) -> None:
    refused = refusal(getattr(client, operation), TableName=unique(), Key=item(pk="a"))
    assert refused == ("ResourceNotFoundException", "Requested resource not found")


MISNAMED: dict[str, dict[str, Any]] = {
    "get_item": {"TableName": "a b", "Key": item(pk="a")},
    "batch_get_item": {"RequestItems": {"a b": {"Keys": [item(pk="a")]}}},
    "batch_write_item": {"RequestItems": {"a b": [{"DeleteRequest": {"Key": item(pk="a")}}]}},
    "transact_write_items": {
        "TransactItems": [{"Delete": {"TableName": "a b", "Key": item(pk="a")}}]
    },
}


@pytest.mark.parametrize("operation", MISNAMED)
def test_item_operations_on_what_can_be_no_table(client: Client, operation: str) -> None:
    assert refusal(getattr(client, operation), **MISNAMED[operation]) == invalid(
        "Invalid table/index name.  Table/index names must be between 3 and 255 characters long, "
        "and may contain only the characters a-z, A-Z, 0-9, '_', '-', and '.'"
    )


@pytest.mark.parametrize(
    "name",
    [
        "arn:",
        "arn:aws:s3:us-east-1:000000000000:table/some",
        "arn:aws:dynamodb:us-east-1:000000000000:stream/some",
        "arn:aws:dynamodb:us-east-1:000000000000:table:some",
        "arn:aws:dynamodb:us-east-1:000000000000:more:table/some",
        "arn:aws:dynamodb:us-east-1:000000000000:table/some:more",
    ],
)
def test_an_arn_that_no_table_can_have(client: Client, name: str) -> None:
    refused = invalid(
        "Valid ARN format is 'arn:<awsPartition>:<vendor>:<region>:<subscriber>:"
        "resourceType/resourceName', where Resource name must have length less than or equal to "
        "255, Resource name must have length greater than or equal to 3, Resource name must "
        "satisfyregular expression pattern: [a-zA-Z0-9_.-]+"
    )
    keys_of = {name: {"Keys": [item(pk="a")]}}
    assert refusal(client.describe_table, TableName=name) == refused
    assert refusal(client.get_item, TableName=name, Key=item(pk="a")) == refused
    assert refusal(client.batch_get_item, RequestItems=keys_of) == refused


def test_an_index_is_not_read_as_its_table(client: Client) -> None:
    name = create(client, "pk:S", GlobalSecondaryIndexes=[index("by-pk", "pk")])
    (made,) = client.describe_table(TableName=name)["Table"]["GlobalSecondaryIndexes"]
    code, message = refusal(
        client.batch_get_item, RequestItems={made["IndexArn"]: {"Keys": [item(pk="a")]}}
    )
    assert code == "ValidationException"
    assert message.startswith("Invalid table/index name.")


NO_VALUE: dict[str, Any] = {"SS": []}
UNKNOWN: dict[str, dict[str, Any]] = {
    "get_item": {"TableName": "no-such-table", "Key": {"pk": NO_VALUE}},
    "put_item": {"TableName": "no-such-table", "Item": {"pk": NO_VALUE}},
    "update_item": {"TableName": "no-such-table", "Key": {"pk": NO_VALUE}},
    "delete_item": {"TableName": "no-such-table", "Key": {"pk": NO_VALUE}},
    "batch_get_item": {"RequestItems": {"no-such-table": {"Keys": [{"pk": NO_VALUE}]}}},
    "batch_write_item": {
        "RequestItems": {"no-such-table": [{"PutRequest": {"Item": {"pk": NO_VALUE}}}]}
    },
    "transact_get_items": {
        "TransactItems": [{"Get": {"TableName": "no-such-table", "Key": {"pk": NO_VALUE}}}]
    },
    "transact_write_items": {
        "TransactItems": [{"Put": {"TableName": "no-such-table", "Item": {"pk": NO_VALUE}}}]
    },
}


@pytest.mark.parametrize("operation", UNKNOWN)
def test_values_are_judged_before_the_table_is_looked_for(client: Client, operation: str) -> None:
    assert refusal(getattr(client, operation), **UNKNOWN[operation]) == invalid(
        "One or more parameter values were invalid: An string set  may not be empty"
    )
