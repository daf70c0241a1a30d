"""UpdateTable: indexes, stream, billing, settings."""

from __future__ import annotations

from typing import Any

import pytest

from singletable.engine import Engine
from singletable.errors import (
    LimitExceededException,
    ResourceNotFoundException,
    ServiceError,
    ValidationException,
)
from tests.engine.support import Clock, create, definitions, describe, index, keys, put

INVALID = "One or more parameter values were invalid: "
THROUGHPUT = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 6}
PROVISIONED = {"BillingMode": "PROVISIONED", "ProvisionedThroughput": THROUGHPUT}


def update(engine: Engine, **members: Any) -> dict[str, Any]:
    answer = engine.call("UpdateTable", {"TableName": "things", **members})
    description: dict[str, Any] = answer["TableDescription"]
    return description


def add_index(name: str = "gsi", *elements: str) -> dict[str, Any]:
    names = [each.partition(":")[0] for each in elements or ("other",)]
    return {
        "AttributeDefinitions": definitions(*names),
        "GlobalSecondaryIndexUpdates": [{"Create": index(name, *(elements or ("other",)))}],
    }


def delete_index(name: str) -> dict[str, Any]:
    return {"GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": name}}]}


def test_a_new_index_has_the_items_that_were_there(engine: Engine) -> None:
    create(engine)
    put(engine, "things", "a", "b", other={"S": "x"})
    put(engine, "things", "c", other={"N": "1"})
    put(engine, "things", "d")
    update(engine, **add_index())
    assert keys(engine, "things", IndexName="gsi") == {"a", "b"}
    (described,) = describe(engine)["GlobalSecondaryIndexes"]
    assert described["IndexStatus"] == "ACTIVE"
    # pk + a, other + x: four bytes more than the names.
    assert (described["ItemCount"], described["IndexSizeBytes"]) == (2, 18)


def test_a_new_index_is_creating_when_answered(engine: Engine) -> None:
    create(engine)
    answered = update(engine, **add_index())
    assert answered["TableStatus"] == "UPDATING"
    assert answered["AttributeDefinitions"] == definitions("other", "pk")
    (described,) = answered["GlobalSecondaryIndexes"]
    assert (described["IndexStatus"], described["Backfilling"]) == ("CREATING", False)


def test_a_new_index_follows_later_writes(engine: Engine) -> None:
    create(engine)
    put(engine, "things", "a", other={"S": "x"})
    update(engine, **add_index())
    put(engine, "things", "b", other={"S": "x"})
    put(engine, "things", "a")
    assert keys(engine, "things", IndexName="gsi") == {"b"}


def test_a_deleted_index_takes_its_attribute_definitions_along(engine: Engine) -> None:
    create(engine)
    update(engine, **add_index())
    answered = update(engine, **delete_index("gsi"))
    assert [each["IndexStatus"] for each in answered["GlobalSecondaryIndexes"]] == ["DELETING"]
    described = describe(engine)
    assert "GlobalSecondaryIndexes" not in described
    assert described["AttributeDefinitions"] == definitions("pk")


def test_definitions_that_no_key_uses_yet_are_passed_over(engine: Engine) -> None:
    create(engine)
    every = definitions("later", "other", "pk")
    update(engine, **{**add_index("first", "other"), "AttributeDefinitions": every})
    assert describe(engine)["AttributeDefinitions"] == definitions("other", "pk")
    update(engine, **{**add_index("second", "later"), "AttributeDefinitions": every})
    assert describe(engine)["AttributeDefinitions"] == every


@pytest.mark.parametrize(
    ("members", "error", "message"),
    [
        (
            {},
            ValidationException,
            (
                "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, "
                "GlobalSecondaryIndexUpdates or SSESpecification or ReplicaUpdates is required"
            ),
        ),
        (
            add_index("present"),
            ValidationException,
            "Attempting to create an index which already exists",
        ),
        (delete_index("absent"), ResourceNotFoundException, "Requested resource not found"),
        (
            {"GlobalSecondaryIndexUpdates": [{}]},
            ValidationException,
            INVALID
            + "One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, "
            "GlobalSecondaryIndexUpdate.Delete must not be null",
        ),
        (
            {
                "GlobalSecondaryIndexUpdates": [
                    {"Delete": {"IndexName": "present"}},
                    {"Create": index("new", "pk")},
                ]
            },
            LimitExceededException,
            (
                "Subscriber limit exceeded: "
                "Only 1 online index can be created or deleted simultaneously per table"
            ),
        ),
        (
            {"GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "present"}}] * 2},
            ValidationException,
            INVALID + "Only one global secondary index update per index is allowed "
            "simultaneously. Index: present",
        ),
        (
            {"GlobalSecondaryIndexUpdates": [{"Create": index("new", "other")}]},
            ValidationException,
            INVALID + "Some index key attributes are not defined in AttributeDefinitions. "
            "Keys: [other], AttributeDefinitions: []",
        ),
        (
            {**add_index("new", "pk"), "AttributeDefinitions": definitions("pk:N")},
            ValidationException,
            (
                "invalid attribute, SchemaElement redefined should be of same type "
                "as previously defined"
            ),
        ),
        (
            {"GlobalSecondaryIndexUpdates": [{"Update": {"IndexName": "present"}}]},
            ValidationException,
            INVALID + "No throughput is specified for index: present",
        ),
        (
            {"StreamSpecification": {"StreamEnabled": False}},
            ValidationException,
            "Table has no stream to disable: TableName: things",
        ),
        (
            {"ProvisionedThroughput": THROUGHPUT},
            ValidationException,
            INVALID + "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified "
            "when BillingMode is PAY_PER_REQUEST",
        ),
        (
            {"BillingMode": "PROVISIONED"},
            ValidationException,
            INVALID + "ReadCapacityUnits and WriteCapacityUnits must both be specified "
            "when BillingMode is PROVISIONED",
        ),
        (
            {"BillingMode": "PROVISIONED", "ProvisionedThroughput": THROUGHPUT},
            ValidationException,
            INVALID + "ProvisionedThroughput must be specified for index: present",
        ),
        (
            {"ReplicaUpdates": [{"Create": {"RegionName": "eu-west-1"}}]},
            ValidationException,
            "ReplicaUpdates is not supported by the embedded engine",
        ),
    ],
)
def test_a_change_that_breaks_a_rule_is_refused_and_changes_nothing(
    engine: Engine, members: dict[str, Any], error: type[ServiceError], message: str
) -> None:
    create(engine, GlobalSecondaryIndexes=[index("present", "pk")])
    before = describe(engine)
    with pytest.raises(error) as caught:
        update(engine, **members)
    assert caught.value.message == message
    assert describe(engine) == before


def test_a_table_that_is_not_there_is_not_changed(engine: Engine) -> None:
    with pytest.raises(ResourceNotFoundException) as caught:
        update(engine, BillingMode="PAY_PER_REQUEST")
    assert caught.value.message == "Requested resource not found: Table: things not found"


def test_billing_goes_to_on_demand_and_back(engine: Engine, clock: Clock) -> None:
    gsi = index("gsi", "pk", ProvisionedThroughput=THROUGHPUT)
    create(engine, **PROVISIONED, GlobalSecondaryIndexes=[gsi])
    clock.now += 1
    update(engine, BillingMode="PAY_PER_REQUEST")
    described = describe(engine)
    assert described["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    assert described["ProvisionedThroughput"]["ReadCapacityUnits"] == 0
    assert described["GlobalSecondaryIndexes"][0]["ProvisionedThroughput"]["ReadCapacityUnits"] == 0
    provision = {"Update": {"IndexName": "gsi", "ProvisionedThroughput": THROUGHPUT}}
    update(engine, **PROVISIONED, GlobalSecondaryIndexUpdates=[provision])
    summary = describe(engine)["BillingModeSummary"]
    assert summary["BillingMode"] == "PROVISIONED"
    assert summary["LastUpdateToPayPerRequestDateTime"].timestamp() == clock.now
    assert describe(engine)["ProvisionedThroughput"] == {
        "LastIncreaseDateTime": summary["LastUpdateToPayPerRequestDateTime"],
        "NumberOfDecreasesToday": 0,
        **THROUGHPUT,
    }


def test_throughput_changes_are_dated(engine: Engine, clock: Clock) -> None:
    create(engine, **PROVISIONED)
    clock.now += 10
    update(engine, ProvisionedThroughput={"ReadCapacityUnits": 9, "WriteCapacityUnits": 6})
    described = describe(engine)["ProvisionedThroughput"]
    assert described["ReadCapacityUnits"] == 9
    assert described["LastIncreaseDateTime"].timestamp() == clock.now
    assert "LastDecreaseDateTime" not in described


def test_an_index_is_updating_when_answered(engine: Engine) -> None:
    gsi = index("gsi", "pk", ProvisionedThroughput=THROUGHPUT)
    create(engine, **PROVISIONED, GlobalSecondaryIndexes=[gsi])
    wanted = {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}
    change = {"Update": {"IndexName": "gsi", "ProvisionedThroughput": wanted}}
    answered = update(engine, GlobalSecondaryIndexUpdates=[change])
    assert [each["IndexStatus"] for each in answered["GlobalSecondaryIndexes"]] == ["UPDATING"]
    described = describe(engine)["GlobalSecondaryIndexes"]
    assert [each["IndexStatus"] for each in described] == ["ACTIVE"]


def test_decreases_are_counted_by_the_day(engine: Engine, clock: Clock) -> None:
    create(engine, **PROVISIONED)
    for read, write in ((4, 4), (3, 9), (5, 9)):
        update(
            engine, ProvisionedThroughput={"ReadCapacityUnits": read, "WriteCapacityUnits": write}
        )
    assert describe(engine)["ProvisionedThroughput"]["NumberOfDecreasesToday"] == 2
    clock.now += 86400
    assert describe(engine)["ProvisionedThroughput"]["NumberOfDecreasesToday"] == 0
    update(engine, ProvisionedThroughput={"ReadCapacityUnits": 1, "WriteCapacityUnits": 1})
    assert describe(engine)["ProvisionedThroughput"]["NumberOfDecreasesToday"] == 1


def test_limits_that_are_not_given_stay(engine: Engine) -> None:
    limits = {"MaxReadRequestUnits": 10, "MaxWriteRequestUnits": 20}
    create(engine, GlobalSecondaryIndexes=[index("gsi", "pk", OnDemandThroughput=limits)])
    wanted = {"OnDemandThroughput": {"MaxWriteRequestUnits": 30}}
    change = {"Update": {"IndexName": "gsi", **wanted}}
    update(engine, **wanted, GlobalSecondaryIndexUpdates=[change])
    described = describe(engine)
    assert described["OnDemandThroughput"] == {"MaxWriteRequestUnits": 30}
    (gsi,) = described["GlobalSecondaryIndexes"]
    assert gsi["OnDemandThroughput"] == {"MaxReadRequestUnits": 10, "MaxWriteRequestUnits": 30}


def test_a_maximum_is_taken_away_by_itself(engine: Engine) -> None:
    limits = {"MaxReadRequestUnits": 10, "MaxWriteRequestUnits": 20}
    gsi = index("gsi", "pk", OnDemandThroughput={"MaxReadRequestUnits": 10})
    create(engine, OnDemandThroughput=limits, GlobalSecondaryIndexes=[gsi])
    wanted = {"OnDemandThroughput": {"MaxReadRequestUnits": -1}}
    change = {"Update": {"IndexName": "gsi", **wanted}}
    update(engine, **wanted, GlobalSecondaryIndexUpdates=[change])
    described = describe(engine)
    assert described["OnDemandThroughput"] == {"MaxWriteRequestUnits": 20}
    assert "OnDemandThroughput" not in described["GlobalSecondaryIndexes"][0]


def test_what_was_on_demand_has_no_maximum_when_provisioned(engine: Engine) -> None:
    limits = {"MaxReadRequestUnits": 10}
    gsi = index("gsi", "pk", OnDemandThroughput=limits)
    create(engine, OnDemandThroughput=limits, GlobalSecondaryIndexes=[gsi])
    provision = {"Update": {"IndexName": "gsi", "ProvisionedThroughput": THROUGHPUT}}
    update(engine, **PROVISIONED, GlobalSecondaryIndexUpdates=[provision])
    described = describe(engine)
    assert "OnDemandThroughput" not in described
    assert "OnDemandThroughput" not in described["GlobalSecondaryIndexes"][0]


def test_a_maximum_needs_a_table_on_demand(engine: Engine) -> None:
    maximum = {"OnDemandThroughput": {"MaxReadRequestUnits": 10}}
    create(engine)
    with pytest.raises(ValidationException, match="for table needs the BillingMode"):
        update(engine, **PROVISIONED, **maximum)
    update(engine, **PROVISIONED)
    with pytest.raises(ValidationException, match="for table needs the BillingMode"):
        update(engine, **maximum)
    update(engine, BillingMode="PAY_PER_REQUEST", **maximum)
    assert describe(engine)["OnDemandThroughput"] == maximum["OnDemandThroughput"]


@pytest.mark.parametrize("units", [11_999, 1, 0])
def test_warm_throughput_is_not_lowered(engine: Engine, units: int) -> None:
    create(engine, GlobalSecondaryIndexes=[index("gsi", "pk")])
    warm = {"WarmThroughput": {"ReadUnitsPerSecond": units}}
    with pytest.raises(ValidationException):
        update(engine, **warm)
    with pytest.raises(ValidationException):
        update(engine, GlobalSecondaryIndexUpdates=[{"Update": {"IndexName": "gsi", **warm}}])
    new = index("new", "pk", **warm)
    with pytest.raises(ValidationException):
        update(
            engine,
            AttributeDefinitions=definitions("pk"),
            GlobalSecondaryIndexUpdates=[{"Create": new}],
        )


@pytest.mark.parametrize("member", ["OnDemandThroughput", "WarmThroughput"])
def test_a_limit_names_its_units(engine: Engine, member: str) -> None:
    create(engine)
    with pytest.raises(ValidationException, match=f"{member} must specify units"):
        update(engine, **{member: {}})


def test_throughput_that_is_there_already_is_refused(engine: Engine) -> None:
    create(engine, **PROVISIONED)
    with pytest.raises(ValidationException) as caught:
        update(engine, ProvisionedThroughput=THROUGHPUT)
    assert caught.value.message == (
        "The provisioned throughput for the table will not change. "
        "The requested value equals the current value. "
        "Current ReadCapacityUnits provisioned for the table: 5. Requested ReadCapacityUnits: 5. "
        "Current WriteCapacityUnits provisioned for the table: 6. Requested WriteCapacityUnits: 6. "
        "Refer to the Amazon DynamoDB Developer Guide for current limits "
        "and how to request higher limits."
    )


def test_a_stream_that_is_enabled_again_is_another_one(engine: Engine) -> None:
    create(engine)
    enabled = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
    update(engine, StreamSpecification=enabled)
    first = describe(engine)
    assert first["StreamSpecification"] == enabled
    with pytest.raises(ValidationException, match="enabled stream: TableName: things"):
        update(engine, StreamSpecification=enabled)
    update(engine, StreamSpecification={"StreamEnabled": False})
    between = describe(engine)
    assert "StreamSpecification" not in between
    assert between["LatestStreamLabel"] == first["LatestStreamLabel"]
    update(engine, StreamSpecification=enabled)
    assert describe(engine)["LatestStreamLabel"] > first["LatestStreamLabel"]


def test_settings_without_an_effect_are_kept(engine: Engine, clock: Clock) -> None:
    create(engine)
    update(engine, TableClass="STANDARD_INFREQUENT_ACCESS")
    update(engine, SSESpecification={"Enabled": True})
    summary = describe(engine)["TableClassSummary"]
    assert summary["TableClass"] == "STANDARD_INFREQUENT_ACCESS"
    assert summary["LastUpdateDateTime"].timestamp() == clock.now
    assert describe(engine)["SSEDescription"]["Status"] == "ENABLED"


def test_another_key_of_kms_is_taken(engine: Engine) -> None:
    create(engine, SSESpecification={"Enabled": True})
    wanted = {"Enabled": True, "SSEType": "KMS", "KMSMasterKeyId": "mine"}
    update(engine, SSESpecification=wanted)
    assert describe(engine)["SSEDescription"]["KMSMasterKeyArn"].endswith(":key/mine")
    with pytest.raises(ValidationException, match="already encrypted with given KMSMasterKeyId"):
        update(engine, SSESpecification=wanted)


def test_a_new_stream_has_a_later_label_though_the_clock_was_set_back(
    engine: Engine, clock: Clock
) -> None:
    enabled = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
    create(engine, StreamSpecification=enabled)
    first = describe(engine)["LatestStreamLabel"]
    update(engine, StreamSpecification={"StreamEnabled": False})
    clock.now -= 365 * 86400
    update(engine, StreamSpecification=enabled)
    assert describe(engine)["LatestStreamLabel"] == first[:-3] + "001"
