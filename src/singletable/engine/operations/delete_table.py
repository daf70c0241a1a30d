"""DeleteTable: remove a table with its items, indexes and settings, at once."""

from __future__ import annotations

from singletable.engine import backups, streams
from singletable.engine.database import Database
from singletable.engine.descriptions import describe
from singletable.engine.shapes import members as m
from singletable.errors import ValidationException

from .control import find_table
from .registry import Answer, Request, operation

_ANSWERED = (
    "TableName",
    "TableStatus",
    "ProvisionedThroughput",
    "TableSizeBytes",
    "ItemCount",
    "TableArn",
    "TableId",
    "BillingModeSummary",
    "DeletionProtectionEnabled",
)


@operation("DeleteTable", TableName=m.TABLE_NAME.required)
def delete_table(db: Database, request: Request) -> Answer:
    """Delete a table, unless it is protected; with point-in-time recovery a backup stays behind."""
    with db.change() as tx:
        table = find_table(db, tx, request["TableName"])
        if table.document["DeletionProtectionEnabled"]:
            raise ValidationException(
                "Resource cannot be deleted as it is currently protected against deletion. "
                "Disable deletion protection first."
            )
        description = describe(db, tx, table, "DELETING")
        if table.keeps_history:
            backups.make(db, tx, table, f"{table.name}$DeletedTableBackup", "SYSTEM")
        db.catalog.delete(tx, table)
        streams.follow(tx, table, None, db.clock())
    return {
        "TableDescription": {
            member: description[member] for member in _ANSWERED if member in description
        }
    }
