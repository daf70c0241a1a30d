"""Backups, continuous backups and restores, by AWS's documentation: Local has none of them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from .support import Client, create, fill, index, item, refusal, unique


@pytest.fixture(scope="module")
def table(client: Client) -> str:
    name = create(client, "pk:S", indexed="g:S", GlobalSecondaryIndexes=[index("by-g", "g")])
    fill(client, name, [item(pk=f"p{n}", g="g") for n in range(5)])
    return name


def test_a_backup_is_restored_with_its_indexes(client: Client, table: str) -> None:
    made = client.create_backup(TableName=table, BackupName="first")["BackupDetails"]
    assert made["BackupName"] == "first"
    assert made["BackupType"] == "USER"
    assert made["BackupStatus"] in {"CREATING", "AVAILABLE"}
    client.put_item(TableName=table, Item=item(pk="later"))
    target = unique()
    shown = client.restore_table_from_backup(TargetTableName=target, BackupArn=made["BackupArn"])[
        "TableDescription"
    ]
    assert shown["RestoreSummary"]["SourceBackupArn"] == made["BackupArn"]
    client.get_waiter("table_exists").wait(TableName=target, WaiterConfig={"Delay": 1})
    assert client.scan(TableName=target)["Count"] == 5
    assert client.scan(TableName=target, IndexName="by-g")["Count"] == 5
    client.delete_item(TableName=table, Key=item(pk="later"))


def test_backups_are_described_listed_and_deleted(client: Client, table: str) -> None:
    arn = client.create_backup(TableName=table, BackupName="listed")["BackupDetails"]["BackupArn"]
    described = client.describe_backup(BackupArn=arn)["BackupDescription"]
    assert described["SourceTableDetails"]["TableName"] == table
    assert described["SourceTableDetails"]["ItemCount"] == 5
    listed = client.list_backups(TableName=table)["BackupSummaries"]
    assert arn in [each["BackupArn"] for each in listed]
    deleted = client.delete_backup(BackupArn=arn)["BackupDescription"]
    assert deleted["BackupDetails"]["BackupStatus"] == "DELETED"
    code, _ = refusal(client.describe_backup, BackupArn=arn)
    assert code == "BackupNotFoundException"


def test_backups_of_the_system_are_listed_when_asked_for(client: Client) -> None:
    name = create(client, "pk:S")
    client.create_backup(TableName=name, BackupName="mine")
    client.update_continuous_backups(
        TableName=name, PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True}
    )
    client.delete_table(TableName=name)
    client.get_waiter("table_not_exists").wait(TableName=name, WaiterConfig={"Delay": 1})

    def types(**kind: str) -> list[str]:
        listed = client.list_backups(TableName=name, **kind)["BackupSummaries"]
        return sorted(each["BackupType"] for each in listed)

    assert types() == types(BackupType="USER") == ["USER"]
    assert types(BackupType="SYSTEM") == ["SYSTEM"]
    assert types(BackupType="ALL") == ["SYSTEM", "USER"]
    (system,) = client.list_backups(TableName=name, BackupType="SYSTEM")["BackupSummaries"]
    kept = system["BackupExpiryDateTime"] - system["BackupCreationDateTime"]
    assert kept == timedelta(days=35)


def test_a_page_goes_on_behind_a_backup_that_was_deleted(client: Client) -> None:
    name = create(client, "pk:S")
    made = {
        client.create_backup(TableName=name, BackupName="some")["BackupDetails"]["BackupArn"]
        for _ in range(3)
    }
    page = client.list_backups(TableName=name, Limit=2)
    first = {each["BackupArn"] for each in page["BackupSummaries"]}
    client.delete_backup(BackupArn=page["LastEvaluatedBackupArn"])
    page = client.list_backups(
        TableName=name, ExclusiveStartBackupArn=page["LastEvaluatedBackupArn"]
    )
    assert {each["BackupArn"] for each in page["BackupSummaries"]} == made - first


def test_continuous_backups_are_off_at_first(client: Client) -> None:
    name = create(client, "pk:S")
    shown = client.describe_continuous_backups(TableName=name)["ContinuousBackupsDescription"]
    assert shown["ContinuousBackupsStatus"] == "ENABLED"
    recovery = shown["PointInTimeRecoveryDescription"]
    assert recovery["PointInTimeRecoveryStatus"] == "DISABLED"


def test_point_in_time_restore(client: Client) -> None:
    name = create(client, "pk:S")
    client.update_continuous_backups(
        TableName=name, PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True}
    )
    shown = client.describe_continuous_backups(TableName=name)["ContinuousBackupsDescription"]
    recovery = shown["PointInTimeRecoveryDescription"]
    assert recovery["PointInTimeRecoveryStatus"] == "ENABLED"
    assert recovery["EarliestRestorableDateTime"] <= recovery["LatestRestorableDateTime"]
    client.put_item(TableName=name, Item=item(pk="a"))
    target = unique()
    client.restore_table_to_point_in_time(
        SourceTableName=name, TargetTableName=target, UseLatestRestorableTime=True
    )
    client.get_waiter("table_exists").wait(TableName=target, WaiterConfig={"Delay": 1})
    assert (
        client.describe_table(TableName=target)["Table"]["RestoreSummary"]["RestoreInProgress"]
        is False
    )


def test_the_whole_window_can_be_restored(client: Client) -> None:
    name = create(client, "pk:S")
    client.put_item(TableName=name, Item=item(pk="a"))
    client.update_continuous_backups(
        TableName=name, PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True}
    )
    shown = client.describe_continuous_backups(TableName=name)["ContinuousBackupsDescription"]
    earliest = shown["PointInTimeRecoveryDescription"]["EarliestRestorableDateTime"]
    target = unique()
    client.restore_table_to_point_in_time(
        SourceTableName=name, TargetTableName=target, RestoreDateTime=earliest
    )
    client.get_waiter("table_exists").wait(TableName=target, WaiterConfig={"Delay": 1})
    assert client.scan(TableName=target)["Count"] == 1


@pytest.mark.parametrize(
    ("operation", "request_", "code"),
    [
        pytest.param(
            "create_backup",
            {"TableName": "no-such-table", "BackupName": "name"},
            "TableNotFoundException",
            id="backup-of-nothing",
        ),
        pytest.param(
            "describe_backup",
            {"BackupArn": "arn:aws:dynamodb:us-east-1:000000000000:table/t/backup/0-0"},
            "BackupNotFoundException",
            id="unknown-backup",
        ),
        pytest.param(
            "restore_table_from_backup",
            {
                "TargetTableName": "restored",
                "BackupArn": "arn:aws:dynamodb:us-east-1:000000000000:table/t/backup/0-0",
            },
            "BackupNotFoundException",
            id="restore-of-nothing",
        ),
        pytest.param(
            "restore_table_to_point_in_time",
            {
                "SourceTableName": "no-such-table",
                "TargetTableName": "restored",
                "UseLatestRestorableTime": True,
            },
            "TableNotFoundException",
            id="point-in-time-of-nothing",
        ),
    ],
)
def test_refused(client: Client, operation: str, request_: dict[str, Any], code: str) -> None:
    assert refusal(getattr(client, operation), **request_)[0] == code


def test_a_restore_needs_a_free_name_and_enabled_recovery(client: Client, table: str) -> None:
    arn = client.create_backup(TableName=table, BackupName="name")["BackupDetails"]["BackupArn"]
    code, _ = refusal(client.restore_table_from_backup, TargetTableName=table, BackupArn=arn)
    assert code == "TableAlreadyExistsException"
    code, _ = refusal(
        client.restore_table_to_point_in_time,
        SourceTableName=table,
        TargetTableName=unique(),
        UseLatestRestorableTime=True,
    )
    assert code == "PointInTimeRecoveryUnavailableException"


def test_a_time_before_the_window_is_refused(client: Client) -> None:
    name = create(client, "pk:S")
    client.update_continuous_backups(
        TableName=name, PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True}
    )
    code, _ = refusal(
        client.restore_table_to_point_in_time,
        SourceTableName=name,
        TargetTableName=unique(),
        RestoreDateTime=datetime.now(UTC) - timedelta(days=3),
    )
    assert code == "InvalidRestoreTimeException"
