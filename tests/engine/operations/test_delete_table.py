"""DeleteTable and ListTables."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from singletable.engine import Engine
from singletable.errors import (
    BackupNotFoundException,
    ResourceNotFoundException,
    ValidationException,
)
from tests.engine.support import Clock, create, describe, index, put


def test_a_deleted_table_is_deleting_when_answered_and_gone_after(engine: Engine) -> None:
    create(engine)
    answer = engine.call("DeleteTable", {"TableName": "things"})
    assert answer["TableDescription"]["TableStatus"] == "DELETING"
    with pytest.raises(ResourceNotFoundException) as caught:
        describe(engine)
    assert caught.value.message == "Requested resource not found: Table: things not found"


def test_a_table_of_the_same_name_starts_empty(engine: Engine) -> None:
    create(engine, GlobalSecondaryIndexes=[index("gsi", "pk")])
    put(engine, "things", "a")
    engine.call("DeleteTable", {"TableName": "things"})
    create(engine, GlobalSecondaryIndexes=[index("gsi", "pk")])
    assert describe(engine)["ItemCount"] == 0
    assert engine.call("Scan", {"TableName": "things", "IndexName": "gsi"})["Count"] == 0


def test_a_table_that_is_not_there_is_not_deleted(engine: Engine) -> None:
    with pytest.raises(ResourceNotFoundException, match="Table: things not found"):
        engine.call("DeleteTable", {"TableName": "things"})


def test_a_protected_table_is_not_deleted(engine: Engine) -> None:
    create(engine, DeletionProtectionEnabled=True)
    with pytest.raises(ValidationException) as caught:
        engine.call("DeleteTable", {"TableName": "things"})
    assert caught.value.message == (
        "Resource cannot be deleted as it is currently protected against deletion. "
        "Disable deletion protection first."
    )
    engine.call("UpdateTable", {"TableName": "things", "DeletionProtectionEnabled": False})
    engine.call("DeleteTable", {"TableName": "things"})
    assert engine.call("ListTables", {}) == {"TableNames": []}


def delete_with_recovery(engine: Engine) -> None:
    create(engine)
    enabled = {"PointInTimeRecoveryEnabled": True}
    engine.call(
        "UpdateContinuousBackups",
        {"TableName": "things", "PointInTimeRecoverySpecification": enabled},
    )
    engine.call("DeleteTable", {"TableName": "things"})


def test_a_table_with_recovery_leaves_a_system_backup(engine: Engine) -> None:
    delete_with_recovery(engine)
    assert engine.call("ListBackups", {}) == {"BackupSummaries": []}
    (backup,) = engine.call("ListBackups", {"BackupType": "ALL"})["BackupSummaries"]
    assert backup["BackupType"] == "SYSTEM"
    assert backup["BackupName"] == "things$DeletedTableBackup"


def test_a_system_backup_is_kept_for_35_days(engine: Engine, clock: Clock) -> None:
    delete_with_recovery(engine)
    (backup,) = engine.call("ListBackups", {"BackupType": "ALL"})["BackupSummaries"]
    clock.now += 35 * 86400
    assert backup["BackupExpiryDateTime"].timestamp() == clock.now
    assert engine.call("ListBackups", {"BackupType": "ALL"}) == {"BackupSummaries": []}
    for action in ("DescribeBackup", "DeleteBackup"):
        with pytest.raises(BackupNotFoundException):
            engine.call(action, {"BackupArn": backup["BackupArn"]})
    delete_with_recovery(engine)
    (later,) = engine.call("ListBackups", {"BackupType": "ALL"})["BackupSummaries"]
    assert later["BackupCreationDateTime"] == backup["BackupExpiryDateTime"]


def test_an_expired_backup_gives_its_room_back(tmp_path: Path, clock: Clock) -> None:
    path = tmp_path / "db"
    with Engine(path, clock=clock) as engine:
        for _ in range(3):
            delete_with_recovery(engine)
            clock.now += 35 * 86400
    with closing(sqlite3.connect(path)) as connection:
        kept = connection.execute("SELECT name FROM sqlite_master WHERE name LIKE 'backup_%'")
        assert len(kept.fetchall()) == 1


def test_tables_are_listed_in_pages_by_name(engine: Engine) -> None:
    for name in ("ccc", "aaa", "bbb"):
        create(engine, TableName=name)
    first = engine.call("ListTables", {"Limit": 2})
    assert first == {"TableNames": ["aaa", "bbb"], "LastEvaluatedTableName": "bbb"}
    start = {"ExclusiveStartTableName": first["LastEvaluatedTableName"], "Limit": 2}
    assert engine.call("ListTables", start) == {"TableNames": ["ccc"]}


def test_a_full_last_page_names_no_next_one(engine: Engine) -> None:
    create(engine)
    assert engine.call("ListTables", {"Limit": 1}) == {"TableNames": ["things"]}
