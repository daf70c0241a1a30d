"""RestoreTableFromBackup: a new table with the rows of a backup."""

from __future__ import annotations

from singletable.engine import backups
from singletable.engine.database import Database
from singletable.engine.shapes import tables as t

from .registry import Answer, Request, operation
from .restoring import OVERRIDES, create_target, finish


@operation(
    "RestoreTableFromBackup",
    TargetTableName=t.PLAIN_TABLE_NAME.required,
    BackupArn=t.BACKUP_ARN.required,
    **OVERRIDES,
)
def restore_table_from_backup(db: Database, request: Request) -> Answer:
    """Restore a backup into a new table."""
    with db.change() as tx:
        backup = backups.find(tx, request["BackupArn"], db.clock())
        origin = {
            "SourceBackupArn": backup["BackupArn"],
            "SourceTableArn": backup["TableArn"],
            "RestoreDateTime": backup["CreationDateTime"],
        }
        table = create_target(db, tx, backup["Table"], request, origin)
        backups.copy_rows(tx, backup, table)
        return finish(db, tx, table)
