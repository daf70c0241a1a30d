"""CreateTable: what is described, and every way to be refused."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from .support import Client, create, definitions, index, invalid, keys, refusal, unique

ON_DEMAND = {"BillingMode": "PAY_PER_REQUEST"}
THROUGHPUT = {"ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 6}}


def test_a_provisioned_table(client: Client) -> None:
    name = unique()
    shown = client.create_table(TableName=name, **keys("pk:S", "sk:N"), **THROUGHPUT)[
        "TableDescription"
    ]
    assert shown["TableName"] == name
    assert shown["TableStatus"] in {"CREATING", "ACTIVE"}
    assert shown["KeySchema"] == keys("pk:S", "sk:N")["KeySchema"]
    found = sorted(shown["AttributeDefinitions"], key=lambda each: each["AttributeName"])
    assert found == definitions("pk:S", "sk:N")
    assert shown["ItemCount"] == shown["TableSizeBytes"] == 0
    assert shown["TableArn"].endswith(f":table/{name}")
    assert shown["TableArn"].startswith("arn:aws:dynamodb:")
    throughput = shown["ProvisionedThroughput"]
    assert (throughput["ReadCapacityUnits"], throughput["WriteCapacityUnits"]) == (5, 6)
    assert throughput["NumberOfDecreasesToday"] == 0
    assert abs(datetime.now(UTC) - shown["CreationDateTime"]) < timedelta(minutes=5)
    assert shown["DeletionProtectionEnabled"] is False


def test_attributes_are_listed_by_name(client: Client) -> None:
    """As the examples of create-table and update-table in the documentation of AWS's CLI show."""
    shown = client.create_table(TableName=unique(), **keys("z:S", "b:N"), **ON_DEMAND)
    assert shown["TableDescription"]["AttributeDefinitions"] == definitions("b:N", "z:S")


def test_a_table_has_an_id(client: Client) -> None:
    shown = client.create_table(TableName=unique(), **keys("pk:S"), **ON_DEMAND)["TableDescription"]
    assert len(shown["TableId"]) == 36


def test_an_on_demand_table(client: Client) -> None:
    shown = client.create_table(TableName=unique(), **keys("pk:B"), **ON_DEMAND)["TableDescription"]
    assert shown["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    throughput = shown["ProvisionedThroughput"]
    assert (throughput["ReadCapacityUnits"], throughput["WriteCapacityUnits"]) == (0, 0)


def test_indexes_are_described(client: Client) -> None:
    request = keys("pk:S", "sk:N") | {
        "TableName": unique(),
        "AttributeDefinitions": definitions("pk:S", "sk:N", "g:S", "t:N"),
        "GlobalSecondaryIndexes": [index("global", "g", "t", "INCLUDE", "x", "y") | THROUGHPUT],
        "LocalSecondaryIndexes": [index("local", "pk", "t", "KEYS_ONLY")],
    }
    shown = client.create_table(**request, **THROUGHPUT)["TableDescription"]
    (made,) = shown["GlobalSecondaryIndexes"]
    wanted = index("global", "g", "t", "INCLUDE", "x", "y")
    assert {name: made[name] for name in wanted} == wanted
    assert made["IndexStatus"] in {"CREATING", "ACTIVE"}
    assert made["IndexArn"] == f"{shown['TableArn']}/index/global"
    assert (made["ItemCount"], made["IndexSizeBytes"]) == (0, 0)
    assert made["ProvisionedThroughput"]["WriteCapacityUnits"] == 6
    (local,) = shown["LocalSecondaryIndexes"]
    wanted = index("local", "pk", "t", "KEYS_ONLY")
    assert {name: local[name] for name in wanted} == wanted
    assert local["IndexArn"] == f"{shown['TableArn']}/index/local"


def test_a_name_is_used_once(client: Client) -> None:
    request = {"TableName": unique(), **keys("pk:S"), **ON_DEMAND}
    client.create_table(**request)
    code, message = refusal(client.create_table, **request)
    assert code == "ResourceInUseException"
    assert message == f"Table already exists: {request['TableName']}"


def test_a_stream_may_be_declared(client: Client) -> None:
    wanted = {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}
    shown = client.create_table(
        TableName=unique(), **keys("pk:S"), **ON_DEMAND, StreamSpecification=wanted
    )["TableDescription"]
    assert shown["StreamSpecification"] == wanted
    assert shown["LatestStreamArn"] == f"{shown['TableArn']}/stream/{shown['LatestStreamLabel']}"


BAD = "One or more parameter values were invalid: "
HASH_A = [{"AttributeName": "a", "KeyType": "HASH"}]


def schema(*pairs: str) -> dict[str, Any]:
    """A key schema from "name:type" texts with any key types in any order."""
    split = (pair.split(":") for pair in pairs)
    return {"KeySchema": [{"AttributeName": name, "KeyType": kind} for name, kind in split]}


def gsi(*made: dict[str, Any]) -> dict[str, Any]:
    return {"GlobalSecondaryIndexes": list(made)}


def lsi(*made: dict[str, Any]) -> dict[str, Any]:
    return {"LocalSecondaryIndexes": list(made)}


A, AB, ABC = definitions("a:S"), definitions("a:S", "b:S"), definitions("a:S", "b:S", "c:S")
COMPOSITE = schema("a:HASH", "b:RANGE")


@pytest.mark.parametrize(
    ("part", "message"),
    [
        pytest.param(
            schema("a:RANGE"),
            "Invalid KeySchema: The first KeySchemaElement is not a HASH key type",
            id="no-hash",
        ),
        pytest.param(
            schema("a:RANGE", "b:HASH") | {"AttributeDefinitions": AB},
            "Invalid KeySchema: The first KeySchemaElement is not a HASH key type",
            id="range-first",
        ),
        pytest.param(
            schema("a:HASH", "b:HASH") | {"AttributeDefinitions": AB},
            "Invalid KeySchema: The second KeySchemaElement is not a RANGE key type",
            id="two-hashes",
        ),
        pytest.param(
            schema("a:HASH", "a:RANGE"),
            "Both the Hash Key and the Range Key element in the KeySchema have the same name",
            id="same-name",
        ),
        pytest.param(
            schema("z:HASH"),
            "Invalid KeySchema: Some index key attribute have no definition",
            id="undefined",
        ),
        pytest.param(
            {"AttributeDefinitions": AB},
            BAD + "Number of attributes in KeySchema does not exactly match number of attributes "
            "defined in AttributeDefinitions",
            id="unused-definition",
        ),
        pytest.param(
            {"AttributeDefinitions": definitions("a:S", "a:N")},
            BAD + "Duplicate AttributeName in AttributeDefinitions: a",
            id="defined-twice",
        ),
        pytest.param(
            {"BillingMode": "PROVISIONED"},
            BAD + "ReadCapacityUnits and WriteCapacityUnits must both be specified when "
            "BillingMode is PROVISIONED",
            id="no-throughput",
        ),
        pytest.param(
            THROUGHPUT,
            BAD + "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when "
            "BillingMode is PAY_PER_REQUEST",
            id="throughput-on-demand",
        ),
        pytest.param(
            {"BillingMode": "PROVISIONED", **THROUGHPUT, **gsi(index("global", "a"))},
            BAD + "ProvisionedThroughput is not specified for index: global",
            id="global-index-without-throughput",
        ),
        pytest.param(
            gsi(), BAD + "List of GlobalSecondaryIndexes is empty", id="empty-global-indexes"
        ),
        pytest.param(
            lsi(), BAD + "List of LocalSecondaryIndexes is empty", id="empty-local-indexes"
        ),
        pytest.param(
            gsi(index("one", "z")),
            BAD + "Some index key attributes are not defined in AttributeDefinitions. "
            "Keys: [z], AttributeDefinitions: [a]",
            id="global-index-undefined",
        ),
        pytest.param(
            gsi(index("one", "a"), index("one", "a")),
            BAD + "Duplicate index name: one",
            id="index-twice",
        ),
        pytest.param(
            lsi(index("one", "a", "b")) | {"AttributeDefinitions": AB},
            BAD + "Table KeySchema does not have a range key, which is required when specifying a "
            "LocalSecondaryIndex",
            id="local-index-without-sort-key",
        ),
        pytest.param(
            COMPOSITE | lsi(index("one", "a")) | {"AttributeDefinitions": AB},
            BAD + "Index KeySchema does not have a range key for index: one",
            id="local-index-half",
        ),
        pytest.param(
            COMPOSITE | lsi(index("one", "c", "b")) | {"AttributeDefinitions": ABC},
            BAD + "Index KeySchema does not have the same leading hash key as table KeySchema for "
            "index: one. index hash key: c, table hash key: a",
            id="local-index-on-another-partition-key",
        ),
        pytest.param(
            COMPOSITE
            | lsi(index("one", "a", "c"))
            | gsi(index("one", "c"))
            | {"AttributeDefinitions": ABC},
            BAD + "Duplicate index name: one",
            id="local-and-global-of-one-name",
        ),
        pytest.param(
            gsi({"IndexName": "one", "KeySchema": HASH_A, "Projection": {}}),
            BAD + "Unknown ProjectionType: null",
            id="no-projection-type",
        ),
        pytest.param(
            gsi(index("one", "a", "", "ALL", "x")),
            BAD + "ProjectionType is ALL, but NonKeyAttributes is specified",
            id="all-with-attributes",
        ),
        pytest.param(
            gsi(index("one", "a", "", "KEYS_ONLY", "x")),
            BAD + "ProjectionType is KEYS_ONLY, but NonKeyAttributes is specified",
            id="keys-only-with-attributes",
        ),
        pytest.param(
            gsi(index("one", "a", "", "INCLUDE")),
            BAD + "ProjectionType is INCLUDE, but NonKeyAttributes is not specified",
            id="include-nothing",
        ),
        pytest.param(
            COMPOSITE
            | lsi(*(index(f"local{n}", "a", "c") for n in range(6)))
            | {"AttributeDefinitions": ABC},
            BAD + "Number of LocalSecondaryIndexes exceeds per-table limit of 5",
            id="six-local-indexes",
        ),
        pytest.param(
            gsi(*(index(f"global{n}", "a") for n in range(21))),
            BAD + "GlobalSecondaryIndex count exceeds the per-table limit of 20",
            id="twenty-one-global-indexes",
        ),
        pytest.param(
            {"StreamSpecification": {"StreamEnabled": True}},
            "Invalid StreamViewType: Stream ViewType must not be null or empty when enabling "
            "streams.",
            id="stream-without-view",
        ),
        pytest.param(
            {"StreamSpecification": {"StreamEnabled": False, "StreamViewType": "NEW_IMAGE"}},
            "Invalid StreamViewType: Stream StreamEnabled was false but a StreamViewType was "
            "present.",
            id="view-without-stream",
        ),
    ],
)
def test_refused(client: Client, part: dict[str, Any], message: str) -> None:
    request = {"TableName": unique(), **keys("a:S"), **ON_DEMAND} | part
    assert refusal(client.create_table, **request) == invalid(message)


LONG = "é" * 128


@pytest.mark.parametrize(
    "part",
    [
        pytest.param(keys(f"{LONG}:S"), id="key"),
        pytest.param(
            gsi(index("one", LONG)) | {"AttributeDefinitions": definitions("a:S", f"{LONG}:S")},
            id="global-index-key",
        ),
        pytest.param(
            COMPOSITE
            | lsi(index("one", "a", LONG))
            | {"AttributeDefinitions": definitions("a:S", "b:S", f"{LONG}:S")},
            id="local-index-key",
        ),
        pytest.param(gsi(index("one", "a", "", "INCLUDE", LONG)), id="included"),
    ],
)
def test_names_have_at_most_255_bytes(client: Client, part: dict[str, Any]) -> None:
    request = {"TableName": unique(), **keys("a:S"), **ON_DEMAND} | part
    assert refusal(client.create_table, **request) == invalid(
        "Names of key attributes and attributes projected into an index must be between 1 and 255 "
        "characters, inclusive"
    )


def test_a_name_of_255_bytes_is_fine(client: Client) -> None:
    create(client, "é" * 127 + "n:S")


def test_indexes_include_at_most_100_attributes_in_all(client: Client) -> None:
    def request(last: int) -> dict[str, Any]:
        made = [
            index(f"index{m}", "a", "", "INCLUDE", *(f"x{m}.{n}" for n in range(count)))
            for m, count in enumerate([20, 20, 20, 20, last])
        ]
        return {"TableName": unique(), **keys("a:S"), **ON_DEMAND, **gsi(*made)}

    client.create_table(**request(20))
    code, _ = refusal(client.create_table, **request(21))
    assert code == "ValidationException"


@pytest.mark.parametrize("name", ["ab", "a b c", "a/b/c", "tablé", "x" * 256])
def test_refused_names(client: Client, name: str) -> None:
    code, _ = refusal(client.create_table, TableName=name, **keys("a:S"), **ON_DEMAND)
    assert code == "ValidationException"


@pytest.mark.parametrize("name", ["abc", "A-b_c.9", "x" * 255])
def test_good_names(client: Client, name: str) -> None:
    client.create_table(TableName=name, **keys("a:S"), **ON_DEMAND)
    client.delete_table(TableName=name)


def test_20_global_and_5_local_indexes_are_fine(client: Client) -> None:
    shown = client.create_table(
        TableName=unique(),
        **COMPOSITE,
        **ON_DEMAND,
        AttributeDefinitions=ABC,
        GlobalSecondaryIndexes=[index(f"global{n}", "c") for n in range(20)],
        LocalSecondaryIndexes=[index(f"local{n}", "a", "c") for n in range(5)],
    )["TableDescription"]
    assert len(shown["GlobalSecondaryIndexes"]) == 20
    assert len(shown["LocalSecondaryIndexes"]) == 5
