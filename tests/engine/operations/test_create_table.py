"""CreateTable: what a definition must be, in the service's words, and what is answered."""

from __future__ import annotations

from typing import Any

import pytest

from singletable.engine import Engine
from singletable.errors import ResourceInUseException, ValidationException
from tests.engine.support import create, definitions, describe, index, key_schema, request

INVALID = "One or more parameter values were invalid: "
NAMES_TOO_LONG = (
    "Names of key attributes and attributes projected into an index "
    "must be between 1 and 255 characters, inclusive"
)
THROUGHPUT = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 6}
PROVISIONED = {"BillingMode": "PROVISIONED", "ProvisionedThroughput": THROUGHPUT}
SORTED = {
    "KeySchema": key_schema("pk", "sk:RANGE"),
    "AttributeDefinitions": definitions("pk", "sk", "other"),
}


def included(name: str, *attributes: str) -> dict[str, Any]:
    projection = {"ProjectionType": "INCLUDE", "NonKeyAttributes": list(attributes)}
    return index(name, "pk", Projection=projection)


def test_a_table_is_creating_when_answered_and_active_when_described(engine: Engine) -> None:
    assert create(engine)["TableStatus"] == "CREATING"
    assert describe(engine)["TableStatus"] == "ACTIVE"


def test_an_on_demand_table_is_described(engine: Engine) -> None:
    create(engine)
    described = describe(engine)
    created = described["CreationDateTime"]
    assert created.timestamp() == 1_700_000_000.0
    assert len(described.pop("TableId")) == 36
    assert described == {
        "AttributeDefinitions": definitions("pk"),
        "TableName": "things",
        "KeySchema": key_schema("pk"),
        "TableStatus": "ACTIVE",
        "CreationDateTime": created,
        "ProvisionedThroughput": {
            "NumberOfDecreasesToday": 0,
            "ReadCapacityUnits": 0,
            "WriteCapacityUnits": 0,
        },
        "TableSizeBytes": 0,
        "ItemCount": 0,
        "TableArn": "arn:aws:dynamodb:us-east-1:000000000000:table/things",
        "BillingModeSummary": {
            "BillingMode": "PAY_PER_REQUEST",
            "LastUpdateToPayPerRequestDateTime": created,
        },
        "WarmThroughput": {
            "ReadUnitsPerSecond": 12000,
            "WriteUnitsPerSecond": 4000,
            "Status": "ACTIVE",
        },
        "DeletionProtectionEnabled": False,
    }


def test_billing_is_provisioned_unless_said_otherwise(engine: Engine) -> None:
    described = create(engine, BillingMode=None, ProvisionedThroughput=THROUGHPUT)
    assert "BillingModeSummary" not in described
    assert described["ProvisionedThroughput"] == {"NumberOfDecreasesToday": 0, **THROUGHPUT}


def test_indexes_are_described_with_their_size(engine: Engine) -> None:
    local, everywhere = index("local", "pk", "other:RANGE"), index("everywhere", "other")
    create(engine, **SORTED, LocalSecondaryIndexes=[local], GlobalSecondaryIndexes=[everywhere])
    described = describe(engine)
    sized = {"IndexSizeBytes": 0, "ItemCount": 0}
    arn = described["TableArn"] + "/index/"
    assert described["LocalSecondaryIndexes"] == [{**local, **sized, "IndexArn": arn + "local"}]
    (answered,) = described["GlobalSecondaryIndexes"]
    assert answered.items() >= {**everywhere, **sized, "IndexArn": arn + "everywhere"}.items()
    assert answered["IndexStatus"] == "ACTIVE"


def test_a_key_of_eight_attributes_is_taken_for_a_global_index(engine: Engine) -> None:
    names = [f"a{number}" for number in range(8)]
    wide = index("wide", *names[:4], *(f"{name}:RANGE" for name in names[4:]))
    create(engine, AttributeDefinitions=definitions("pk", *names), GlobalSecondaryIndexes=[wide])
    assert describe(engine)["GlobalSecondaryIndexes"][0]["KeySchema"] == wide["KeySchema"]


def test_settings_without_an_effect_are_kept(engine: Engine) -> None:
    create(
        engine,
        SSESpecification={"Enabled": True, "SSEType": "KMS", "KMSMasterKeyId": "mine"},
        TableClass="STANDARD_INFREQUENT_ACCESS",
        OnDemandThroughput={"MaxReadRequestUnits": 10},
        WarmThroughput={"ReadUnitsPerSecond": 15000},
    )
    described = describe(engine)
    key = "arn:aws:kms:us-east-1:000000000000:key/mine"
    assert described["SSEDescription"] == {
        "Status": "ENABLED",
        "SSEType": "KMS",
        "KMSMasterKeyArn": key,
    }
    assert described["TableClassSummary"] == {"TableClass": "STANDARD_INFREQUENT_ACCESS"}
    assert described["OnDemandThroughput"] == {"MaxReadRequestUnits": 10}
    assert described["WarmThroughput"] == {
        "ReadUnitsPerSecond": 15000,
        "WriteUnitsPerSecond": 4000,
        "Status": "ACTIVE",
    }


def test_faults_of_throughput_are_told_as_the_service_does(engine: Engine) -> None:
    nothing = {"ReadCapacityUnits": 0, "WriteCapacityUnits": 0}
    rule = "failed to satisfy constraint: Member must have value greater than or equal to 1"
    with pytest.raises(ValidationException) as caught:
        create(engine, BillingMode="PROVISIONED", ProvisionedThroughput=nothing)
    assert caught.value.message == (
        f"2 validation errors detected: Value '0' at 'provisionedThroughput.writeCapacityUnits' "
        f"{rule}; Value '0' at 'provisionedThroughput.readCapacityUnits' {rule}"
    )


@pytest.mark.parametrize(
    ("settings", "least"),
    [
        pytest.param({}, 12_000, id="on-demand"),
        pytest.param(PROVISIONED, 5, id="provisioned"),
    ],
)
def test_a_new_table_is_not_warmed_for_less_than_it_sustains(
    engine: Engine, settings: dict[str, Any], least: int
) -> None:
    with pytest.raises(ValidationException, match=f"must be at least {least}: {least - 1}"):
        create(engine, **settings, WarmThroughput={"ReadUnitsPerSecond": least - 1})
    described = create(engine, **settings, WarmThroughput={"ReadUnitsPerSecond": least})
    assert described["WarmThroughput"]["ReadUnitsPerSecond"] == least


def test_a_stream_gets_a_label_and_an_arn(engine: Engine) -> None:
    specification = {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}
    create(engine, StreamSpecification=specification)
    described = describe(engine)
    assert described["StreamSpecification"] == specification
    assert described["LatestStreamLabel"] == "2023-11-14T22:13:20.000"
    assert described["LatestStreamArn"] == (
        described["TableArn"] + "/stream/2023-11-14T22:13:20.000"
    )


def test_a_table_may_be_named_by_its_arn(engine: Engine) -> None:
    create(engine)
    arn = describe(engine)["TableArn"]
    assert describe(engine, arn)["TableName"] == "things"


def test_a_caller_that_changes_an_answer_changes_nothing_else(engine: Engine) -> None:
    create(engine, GlobalSecondaryIndexes=[index("gsi", "pk")])
    described = describe(engine)
    described["KeySchema"].clear()
    described["GlobalSecondaryIndexes"][0]["Projection"]["ProjectionType"] = "KEYS_ONLY"
    assert describe(engine)["KeySchema"] == key_schema("pk")
    assert describe(engine)["GlobalSecondaryIndexes"][0]["Projection"] == {"ProjectionType": "ALL"}


def test_a_table_that_is_there_is_not_created_again(engine: Engine) -> None:
    create(engine)
    with pytest.raises(ResourceInUseException) as caught:
        create(engine)
    assert caught.value.message == "Table already exists: things"


@pytest.mark.parametrize(
    ("members", "message"),
    [
        (
            {"BillingMode": None},
            INVALID + "ReadCapacityUnits and WriteCapacityUnits must both be specified "
            "when BillingMode is PROVISIONED",
        ),
        (
            {"ProvisionedThroughput": THROUGHPUT},
            INVALID + "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified "
            "when BillingMode is PAY_PER_REQUEST",
        ),
        (
            {
                "BillingMode": "PROVISIONED",
                "ProvisionedThroughput": {**THROUGHPUT, "ReadCapacityUnits": 10**12 + 1},
            },
            "Given value 1000000000001 for ReadCapacityUnits is out of bounds",
        ),
        (
            {"AttributeDefinitions": definitions("other")},
            "Invalid KeySchema: Some index key attribute have no definition",
        ),
        (
            {"AttributeDefinitions": definitions("pk", "pk:N")},
            INVALID + "Duplicate AttributeName in AttributeDefinitions: pk",
        ),
        (
            {"AttributeDefinitions": definitions("pk", "other")},
            INVALID + "Number of attributes in KeySchema does not exactly match number of "
            "attributes defined in AttributeDefinitions",
        ),
        (
            {
                "AttributeDefinitions": definitions("pk", "other"),
                "GlobalSecondaryIndexes": [index("gsi", "pk")],
            },
            INVALID + "Some AttributeDefinitions are not used. "
            "AttributeDefinitions: [pk, other], keys used: [pk]",
        ),
        (
            {"KeySchema": key_schema("pk:RANGE")},
            "Invalid KeySchema: The first KeySchemaElement is not a HASH key type",
        ),
        (
            {"KeySchema": key_schema("pk", "sk"), "AttributeDefinitions": definitions("pk", "sk")},
            "Invalid KeySchema: The second KeySchemaElement is not a RANGE key type",
        ),
        (
            {"KeySchema": key_schema("pk", "pk:RANGE")},
            "Both the Hash Key and the Range Key element in the KeySchema have the same name",
        ),
        (
            {
                "KeySchema": key_schema("pk", "sk:RANGE", "other:RANGE"),
                "AttributeDefinitions": definitions("pk", "sk", "other"),
            },
            (
                "Key Schema too big.  Key Schema must at most consist of the hash and range key "
                "of a table"
            ),
        ),
        ({"GlobalSecondaryIndexes": []}, INVALID + "List of GlobalSecondaryIndexes is empty"),
        ({"LocalSecondaryIndexes": []}, INVALID + "List of LocalSecondaryIndexes is empty"),
        (
            {"GlobalSecondaryIndexes": [index("gsi", "pk"), index("gsi", "pk")]},
            INVALID + "Duplicate index name: gsi",
        ),
        (
            {"GlobalSecondaryIndexes": [index(f"gsi{number}", "pk") for number in range(21)]},
            INVALID + "GlobalSecondaryIndex count exceeds the per-table limit of 20",
        ),
        (
            {"GlobalSecondaryIndexes": [index("gsi", "other")]},
            INVALID + "Some index key attributes are not defined in AttributeDefinitions. "
            "Keys: [other], AttributeDefinitions: [pk]",
        ),
        (
            {"GlobalSecondaryIndexes": [index("gsi", *"abcde")]},
            "Too many partition keys. GSI can have at most 4 partition keys",
        ),
        (
            {
                "GlobalSecondaryIndexes": [
                    index("gsi", "pk", *(f"{name}:RANGE" for name in "abcde"))
                ]
            },
            "Too many sort keys. GSI can have at most 4 sort keys",
        ),
        (
            {"GlobalSecondaryIndexes": [index("gsi", "pk", "a:RANGE", "b")]},
            (
                "Invalid key order. Hash Key must be specified first in key schema, "
                "Range Key must be specifed second"
            ),
        ),
        (
            {"GlobalSecondaryIndexes": [index("gsi", "pk", ProvisionedThroughput=THROUGHPUT)]},
            INVALID + "ProvisionedThroughput should not be specified for index: gsi "
            "when BillingMode is PAY_PER_REQUEST",
        ),
        (
            {**PROVISIONED, "GlobalSecondaryIndexes": [index("gsi", "pk")]},
            INVALID + "ProvisionedThroughput is not specified for index: gsi",
        ),
        (
            {"GlobalSecondaryIndexes": [index("gsi", "pk", Projection={})]},
            INVALID + "Unknown ProjectionType: null",
        ),
        (
            {
                "GlobalSecondaryIndexes": [
                    index("gsi", "pk", Projection={"ProjectionType": "INCLUDE"})
                ]
            },
            INVALID + "ProjectionType is INCLUDE, but NonKeyAttributes is not specified",
        ),
        (
            {
                "GlobalSecondaryIndexes": [
                    index(
                        "gsi", "pk", Projection={"ProjectionType": "ALL", "NonKeyAttributes": ["a"]}
                    )
                ]
            },
            INVALID + "ProjectionType is ALL, but NonKeyAttributes is specified",
        ),
        (
            {"GlobalSecondaryIndexes": [included("gsi", "a", "a")]},
            INVALID + "Duplicate attribute in NonKeyAttributes: a",
        ),
        (
            {
                "GlobalSecondaryIndexes": [
                    included(f"gsi{number}", *(f"a{part}" for part in range(20)))
                    for number in range(6)
                ]
            },
            INVALID + "Number of NonKeyAttributes over all indexes exceeds the limit of 100: 120",
        ),
        (
            {"LocalSecondaryIndexes": [index("lsi", "pk", "other:RANGE")]},
            INVALID + "Table KeySchema does not have a range key, "
            "which is required when specifying a LocalSecondaryIndex",
        ),
        (
            {**SORTED, "LocalSecondaryIndexes": [index("lsi", "pk")]},
            INVALID + "Index KeySchema does not have a range key for index: lsi",
        ),
        (
            {**SORTED, "LocalSecondaryIndexes": [index("lsi", "other", "sk:RANGE")]},
            INVALID + "Index KeySchema does not have the same leading hash key as table KeySchema "
            "for index: lsi. index hash key: other, table hash key: pk",
        ),
        (
            {
                **SORTED,
                "LocalSecondaryIndexes": [
                    index(f"lsi{number}", "pk", "other:RANGE") for number in range(6)
                ],
            },
            INVALID + "Number of LocalSecondaryIndexes exceeds per-table limit of 5",
        ),
        (
            {"StreamSpecification": {"StreamEnabled": True}},
            (
                "Invalid StreamViewType: Stream ViewType must not be null or empty "
                "when enabling streams."
            ),
        ),
        (
            {"StreamSpecification": {"StreamEnabled": False, "StreamViewType": "NEW_IMAGE"}},
            (
                "Invalid StreamViewType: Stream StreamEnabled was false "
                "but a StreamViewType was present."
            ),
        ),
        (
            {"Tags": [{"Key": "a", "Value": "1"}, {"Key": "a", "Value": "2"}]},
            INVALID + "Duplicate tag key: a",
        ),
        (
            {"KeySchema": None},
            (
                "1 validation error detected: Value null at 'keySchema' failed to satisfy "
                "constraint: Member must not be null"
            ),
        ),
        (
            {"GlobalSecondaryIndexes": [index("g", "pk")]},
            (
                "1 validation error detected: "
                "Value 'g' at 'globalSecondaryIndexes.1.member.indexName' "
                "failed to satisfy constraint: Member must have length greater than or equal to 3"
            ),
        ),
        (
            {
                "KeySchema": key_schema("é" * 128),
                "AttributeDefinitions": definitions("é" * 128),
            },
            NAMES_TOO_LONG,
        ),
        ({"GlobalSecondaryIndexes": [included("gsi", "x", "é" * 128)]}, NAMES_TOO_LONG),
        ({"VectorIndexes": []}, "VectorIndexes is not supported by the embedded engine"),
    ],
)
def test_a_definition_that_breaks_a_rule_is_refused(
    engine: Engine, members: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValidationException) as caught:
        engine.call("CreateTable", request(**members))
    assert caught.value.message == message
    assert engine.call("ListTables", {}) == {"TableNames": []}
