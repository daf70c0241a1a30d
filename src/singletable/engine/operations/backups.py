"""CreateBackup, DescribeBackup, ListBackups, DeleteBackup: backups on demand."""

from __future__ import annotations

from math import inf

from singletable.engine import backups
from singletable.engine.arns import table_name
from singletable.engine.database import Database
from singletable.engine.schema import Document
from singletable.engine.shapes import members as m
from singletable.engine.shapes import tables as t

from .backup_descriptions import description, details, summary
from .control import find_backed_up
from .registry import Answer, Request, operation

PAGE = 100


@operation("CreateBackup", TableName=m.TABLE_NAME.required, BackupName=t.BACKUP_NAME.required)
def create_backup(db: Database, request: Request) -> Answer:
    """Back a table up, as it is in this moment."""
    with db.change() as tx:
        table = find_backed_up(db, tx, request["TableName"])
        backup = backups.make(db, tx, table, request["BackupName"], "USER")
    return {"BackupDetails": details(backup, "CREATING")}


@operation("DescribeBackup", BackupArn=t.BACKUP_ARN.required)
def describe_backup(db: Database, request: Request) -> Answer:
    """Describe a backup and the table that it was made of."""
    with db.storage.read() as tx:
        backup = backups.find(tx, request["BackupArn"], db.clock())
    return {"BackupDescription": description(db, backup)}


@operation("DeleteBackup", BackupArn=t.BACKUP_ARN.required)
def delete_backup(db: Database, request: Request) -> Answer:
    """Delete a backup."""
    with db.change() as tx:
        backup = backups.find(tx, request["BackupArn"], db.clock())
        backups.remove(tx, backup)
    return {"BackupDescription": description(db, backup, "DELETED")}


@operation(
    "ListBackups",
    TableName=m.TABLE_NAME,
    Limit=t.COUNT_TO_100,
    TimeRangeLowerBound=t.TIMESTAMP,
    TimeRangeUpperBound=t.TIMESTAMP,
    ExclusiveStartBackupArn=t.BACKUP_ARN,
    BackupType=t.BACKUP_TYPE,
)
def list_backups(db: Database, request: Request) -> Answer:
    """List backups, oldest first, by table, time and type, which is USER unless it is given."""
    with db.storage.read() as tx:
        found = [backup for backup in backups.every(tx, db.clock()) if _wanted(backup, request)]
    limit = request.get("Limit", PAGE)
    answer: Answer = {"BackupSummaries": [summary(backup) for backup in found[:limit]]}
    if len(found) > limit:
        answer["LastEvaluatedBackupArn"] = found[limit - 1]["BackupArn"]
    return answer


def _wanted(backup: Document, request: Request) -> bool:
    made, kind = backup["CreationDateTime"], request.get("BackupType", "USER")
    name = table_name(request.get("TableName") or backup["TableArn"])
    lower, upper = request.get("TimeRangeLowerBound", 0), request.get("TimeRangeUpperBound", inf)
    start = backups.position(request.get("ExclusiveStartBackupArn", ""))
    is_of_kind = kind in ("ALL", backup["BackupType"])
    is_left = backups.position(backup["BackupArn"]) > start
    is_of_table = name == backup["Table"]["TableName"]
    return is_of_kind and is_of_table and is_left and lower <= made < upper
