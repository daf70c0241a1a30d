"""Backups on demand, and tables restored from them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from singletable.engine import Engine
from singletable.errors import (
    BackupNotFoundException,
    TableAlreadyExistsException,
    TableNotFoundException,
    ValidationException,
)
from tests.engine.support import Clock, create, definitions, describe, index, key_schema, keys, put

SORTED = {
    "KeySchema": key_schema("pk", "sk:RANGE"),
    "AttributeDefinitions": definitions("pk", "sk", "other"),
    "LocalSecondaryIndexes": [index("lsi", "pk", "other:RANGE")],
    "GlobalSecondaryIndexes": [index("gsi", "other")],
}
UNKNOWN = "arn:aws:dynamodb:us-east-1:000000000000:table/things/backup/01489602797149-73d8d5bc"


def back_up(engine: Engine, name: str = "copy", table: str = "things") -> str:
    answer = engine.call("CreateBackup", {"TableName": table, "BackupName": name})
    arn: str = answer["BackupDetails"]["BackupArn"]
    return arn


def restore(engine: Engine, arn: str, target: str = "restored", **overrides: Any) -> None:
    request = {"BackupArn": arn, "TargetTableName": target, **overrides}
    engine.call("RestoreTableFromBackup", request)


def listed(engine: Engine, **members: Any) -> list[str]:
    answer = engine.call("ListBackups", members)
    return [each["BackupName"] for each in answer["BackupSummaries"]]


def test_a_backup_is_creating_when_answered_and_available_when_described(engine: Engine) -> None:
    create(engine)
    answer = engine.call("CreateBackup", {"TableName": "things", "BackupName": "copy"})
    assert answer["BackupDetails"]["BackupStatus"] == "CREATING"
    arn = answer["BackupDetails"]["BackupArn"]
    described = engine.call("DescribeBackup", {"BackupArn": arn})["BackupDescription"]
    assert described["BackupDetails"]["BackupStatus"] == "AVAILABLE"
    assert described["BackupDetails"]["BackupType"] == "USER"


def test_a_backup_is_described_with_its_table(engine: Engine) -> None:
    create(engine, **SORTED)
    put(engine, "things", "a", sk={"S": "1"})
    described = engine.call("DescribeBackup", {"BackupArn": back_up(engine)})["BackupDescription"]
    source = described["SourceTableDetails"]
    assert source["TableId"] == describe(engine)["TableId"]
    assert (source["ItemCount"], source["TableSizeBytes"]) == (1, 6)
    features = described["SourceTableFeatureDetails"]
    assert features["GlobalSecondaryIndexes"] == SORTED["GlobalSecondaryIndexes"]
    assert features["LocalSecondaryIndexes"] == SORTED["LocalSecondaryIndexes"]


def test_a_restored_table_has_the_items_of_the_backup(engine: Engine) -> None:
    create(engine)
    put(engine, "things", "a", "b")
    arn = back_up(engine)
    put(engine, "things", "c")
    engine.call("DeleteItem", {"TableName": "things", "Key": {"pk": {"S": "a"}}})
    restore(engine, arn)
    assert keys(engine, "restored") == {"a", "b"}
    assert describe(engine, "restored")["ItemCount"] == 2
    assert keys(engine, "things") == {"b", "c"}


def test_a_restored_table_has_its_indexes_and_keeps_them(engine: Engine) -> None:
    create(engine, **SORTED)
    put(engine, "things", "a", sk={"S": "1"}, other={"S": "x"})
    put(engine, "things", "b", sk={"S": "1"})
    restore(engine, back_up(engine))
    put(engine, "restored", "c", sk={"S": "1"}, other={"S": "x"})
    assert keys(engine, "restored", IndexName="gsi") == {"a", "c"}
    assert keys(engine, "restored", IndexName="lsi") == {"a", "c"}
    answer = engine.call(
        "DeleteItem",
        {
            "TableName": "restored",
            "Key": {"pk": {"S": "a"}, "sk": {"S": "1"}},
            "ReturnItemCollectionMetrics": "SIZE",
        },
    )
    assert answer["ItemCollectionMetrics"]["ItemCollectionKey"] == {"pk": {"S": "a"}}
    assert keys(engine, "restored", IndexName="gsi") == {"c"}
    assert describe(engine, "restored")["GlobalSecondaryIndexes"][0]["ItemCount"] == 1


def test_a_restored_table_and_its_indexes_are_as_warm_as_new_ones(engine: Engine) -> None:
    create(engine, **SORTED)
    new = describe(engine)
    warm = {"WarmThroughput": {"ReadUnitsPerSecond": 20_000}}
    updates = [{"Update": {"IndexName": "gsi", **warm}}]
    request = {"TableName": "things", "GlobalSecondaryIndexUpdates": updates, **warm}
    engine.call("UpdateTable", request)
    restore(engine, back_up(engine))
    restored = describe(engine, "restored")
    assert restored["WarmThroughput"] == new["WarmThroughput"]
    (made,), (index_before,) = restored["GlobalSecondaryIndexes"], new["GlobalSecondaryIndexes"]
    assert made["WarmThroughput"] == index_before["WarmThroughput"]


def test_a_restored_table_is_on_demand_since_it_was_restored(engine: Engine, clock: Clock) -> None:
    create(engine)
    arn = back_up(engine)
    clock.now += 60
    restore(engine, arn)
    summary = describe(engine, "restored")["BillingModeSummary"]
    assert summary["LastUpdateToPayPerRequestDateTime"].timestamp() == clock.now
    units = {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}
    restore(
        engine,
        arn,
        "provisioned",
        BillingModeOverride="PROVISIONED",
        ProvisionedThroughputOverride=units,
    )
    assert "BillingModeSummary" not in describe(engine, "provisioned")


def test_a_backup_outlives_its_table(engine: Engine) -> None:
    create(engine)
    put(engine, "things", "a")
    arn = back_up(engine)
    engine.call("DeleteTable", {"TableName": "things"})
    restore(engine, arn, "things")
    assert keys(engine, "things") == {"a"}


def test_a_restored_table_says_where_it_comes_from(engine: Engine, clock: Clock) -> None:
    create(engine)
    arn = back_up(engine)
    made = clock.now
    clock.now += 60
    restore(engine, arn)
    described = describe(engine, "restored")
    assert described["RestoreSummary"] == {
        "SourceBackupArn": arn,
        "SourceTableArn": describe(engine)["TableArn"],
        "RestoreDateTime": datetime.fromtimestamp(made, UTC),
        "RestoreInProgress": False,
    }
    assert described["CreationDateTime"].timestamp() == clock.now


def test_settings_outside_the_backup_start_anew(engine: Engine) -> None:
    create(
        engine,
        DeletionProtectionEnabled=True,
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"},
        Tags=[{"Key": "a", "Value": "b"}],
    )
    restore(engine, back_up(engine))
    described = describe(engine, "restored")
    assert not described["DeletionProtectionEnabled"]
    assert "StreamSpecification" not in described
    tags = engine.call("ListTagsOfResource", {"ResourceArn": described["TableArn"]})
    assert tags == {"Tags": []}


def test_indexes_and_billing_can_be_overridden(engine: Engine) -> None:
    create(engine, **SORTED)
    put(engine, "things", "a", sk={"S": "1"}, other={"S": "x"})
    throughput = {"ReadCapacityUnits": 1, "WriteCapacityUnits": 2}
    restore(
        engine,
        back_up(engine),
        GlobalSecondaryIndexOverride=[],
        LocalSecondaryIndexOverride=[],
        BillingModeOverride="PROVISIONED",
        ProvisionedThroughputOverride=throughput,
    )
    described = describe(engine, "restored")
    assert "GlobalSecondaryIndexes" not in described
    assert "LocalSecondaryIndexes" not in described
    assert described["AttributeDefinitions"] == definitions("pk", "sk")
    assert described["ProvisionedThroughput"].items() >= throughput.items()
    assert keys(engine, "restored") == {"a"}


def test_a_maximum_is_not_restored_where_the_override_takes_it_away(engine: Engine) -> None:
    create(engine, OnDemandThroughput={"MaxReadRequestUnits": 10, "MaxWriteRequestUnits": 20})
    none = {"MaxReadRequestUnits": -1, "MaxWriteRequestUnits": 20}
    restore(engine, back_up(engine), OnDemandThroughputOverride=none)
    assert describe(engine, "restored")["OnDemandThroughput"] == {"MaxWriteRequestUnits": 20}


def test_the_throughput_of_a_restored_table_was_never_changed(engine: Engine) -> None:
    throughput = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}
    create(engine, BillingMode="PROVISIONED", ProvisionedThroughput=throughput)
    lower = {"ReadCapacityUnits": 4, "WriteCapacityUnits": 6}
    engine.call("UpdateTable", {"TableName": "things", "ProvisionedThroughput": lower})
    restore(engine, back_up(engine))
    described = describe(engine, "restored")["ProvisionedThroughput"]
    assert described == {"NumberOfDecreasesToday": 0, **lower}


def test_an_index_is_not_restored_colder_than_a_new_one(engine: Engine) -> None:
    create(engine, **SORTED)
    arn = back_up(engine)
    cold = index("gsi", "other", WarmThroughput={"ReadUnitsPerSecond": 1})
    with pytest.raises(ValidationException, match="must be at least 12000: 1"):
        restore(engine, arn, GlobalSecondaryIndexOverride=[cold])


def test_an_index_that_the_backup_lacks_cannot_be_added(engine: Engine) -> None:
    create(engine)
    with pytest.raises(ValidationException, match="Index new does not exist in the source"):
        restore(engine, back_up(engine), GlobalSecondaryIndexOverride=[index("new", "pk")])


def test_an_index_cannot_be_restored_as_another(engine: Engine) -> None:
    create(engine, **SORTED)
    arn = back_up(engine)
    (given,) = describe(engine)["GlobalSecondaryIndexes"]
    chosen = {member: given[member] for member in ("IndexName", "KeySchema", "Projection")}
    restore(engine, arn, GlobalSecondaryIndexOverride=[chosen])
    for other in (
        {"KeySchema": key_schema("sk")},
        {"Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["x"]}},
    ):
        with pytest.raises(ValidationException, match="has another key or projection in"):
            restore(engine, arn, "other", GlobalSecondaryIndexOverride=[{**chosen, **other}])


def test_a_table_is_not_restored_over_another(engine: Engine) -> None:
    create(engine)
    with pytest.raises(
        TableAlreadyExistsException, match=r" operation: Table already exists: things$"
    ):
        restore(engine, back_up(engine), "things")


def test_a_deleted_backup_is_gone(engine: Engine) -> None:
    create(engine)
    arn = back_up(engine)
    answer = engine.call("DeleteBackup", {"BackupArn": arn})
    assert answer["BackupDescription"]["BackupDetails"]["BackupStatus"] == "DELETED"
    for name in ("DescribeBackup", "DeleteBackup"):
        with pytest.raises(BackupNotFoundException, match=f" operation: Backup not found: {arn}$"):
            engine.call(name, {"BackupArn": arn})
    assert listed(engine) == []


def test_what_is_not_there_is_named(engine: Engine) -> None:
    with pytest.raises(TableNotFoundException, match=r" operation: Table not found: things$"):
        back_up(engine)
    with pytest.raises(BackupNotFoundException):
        restore(engine, UNKNOWN)


def test_backups_are_listed_by_table_time_and_type(engine: Engine, clock: Clock) -> None:
    create(engine)
    create(engine, TableName="others")
    back_up(engine, "first")
    clock.now += 10
    back_up(engine, "second")
    back_up(engine, "third", "others")
    assert listed(engine, TableName="things") == ["first", "second"]
    assert listed(engine, TimeRangeUpperBound=clock.now) == ["first"]
    assert listed(engine, TableName="things", TimeRangeLowerBound=clock.now) == ["second"]
    assert listed(engine, BackupType="SYSTEM") == []
    assert len(listed(engine, BackupType="USER")) == 3


def test_a_backup_is_listed_from_the_moment_that_is_told_of_it(
    engine: Engine, clock: Clock
) -> None:
    """The service tells milliseconds, and there are SDKs that can send no more than that."""
    create(engine)
    clock.now += 0.123_789
    arn = back_up(engine, "first")
    described = engine.call("DescribeBackup", {"BackupArn": arn})["BackupDescription"]
    made = described["BackupDetails"]["BackupCreationDateTime"]
    assert made == datetime.fromtimestamp(1_700_000_000.123, UTC)
    assert listed(engine, TimeRangeLowerBound=made) == ["first"]
    assert listed(engine, TimeRangeUpperBound=made) == []


def test_backups_are_listed_in_pages(engine: Engine, clock: Clock) -> None:
    create(engine)
    for name in ("first", "second", "third"):
        back_up(engine, name)
        clock.now += 1
    page = engine.call("ListBackups", {"Limit": 2})
    assert [each["BackupName"] for each in page["BackupSummaries"]] == ["first", "second"]
    start = page["LastEvaluatedBackupArn"]
    rest = engine.call("ListBackups", {"Limit": 2, "ExclusiveStartBackupArn": start})
    assert [each["BackupName"] for each in rest["BackupSummaries"]] == ["third"]
    assert "LastEvaluatedBackupArn" not in rest
