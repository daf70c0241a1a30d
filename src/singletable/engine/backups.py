"""Backups: a table's document and a copy of its rows, beside the tables in the same database.

A copy is made by SQLite inside one transaction, so it is exact; it takes the room of the rows.
"""

from __future__ import annotations

from math import inf
from typing import Any
from uuid import uuid4

import orjson

from singletable.errors import BackupNotFoundException

from .connections import Connection
from .database import Database
from .descriptions import moment
from .schema import Document, Table

SYSTEM_DAYS = 35
"""How long a backup is kept that nobody asked for."""
_COLUMNS = "key, size, item"
_DAY = 86400


def make(db: Database, tx: Connection, table: Table, name: str, kind: str) -> Document:
    """Back a table up; ``kind`` is USER, or SYSTEM for what deleting a table leaves behind."""
    now = db.clock()
    _remove_expired(tx, now)
    items, size = db.catalog.statistics(tx, table.rows)
    made = moment(now).timestamp()  # as it is told, so that who lists by it finds the backup
    # As the service's: the time in milliseconds, then something random.
    arn = db.arn(table, "backup", f"{round(made * 1000):014d}-{uuid4().hex[:8]}")
    backup = {
        "BackupArn": arn,
        "BackupName": name,
        "BackupType": kind,
        "CreationDateTime": made,
        "Rows": f"backup_{db.catalog.next_id(tx)}",
        "Items": items,
        "Bytes": size,
        "TableArn": db.arn(table),
        "Table": table.document,
    }
    tx.execute(f"CREATE TABLE {backup['Rows']} AS SELECT {_COLUMNS} FROM {table.rows}")
    tx.execute("INSERT INTO documents VALUES ('backup', ?, ?)", (arn, orjson.dumps(backup)))
    return backup


def find(tx: Connection, arn: str, now: float) -> Document:
    """Find a backup by its ARN."""
    row = tx.execute(
        "SELECT document FROM documents WHERE kind = 'backup' AND name = ?", (arn,)
    ).fetchone()
    if row is None or _is_expired(backup := _loaded(row[0]), now):
        raise BackupNotFoundException(f"Backup not found: {arn}")
    return backup


def every(tx: Connection, now: float) -> list[Document]:
    """List all backups, oldest first."""
    found = [backup for backup in _kept(tx) if not _is_expired(backup, now)]
    return sorted(found, key=lambda backup: position(backup["BackupArn"]))


def position(arn: str) -> str:
    """Give a backup's place among all, though it be gone: its own name begins with its time."""
    return arn.rpartition("/")[2]


def expiry(backup: Document) -> float | None:
    """Give the moment from which on a backup is kept no more; None for one that somebody made."""
    made: float = backup["CreationDateTime"]
    return made + SYSTEM_DAYS * _DAY if backup["BackupType"] == "SYSTEM" else None


def remove(tx: Connection, backup: Document) -> None:
    """Delete a backup and its rows."""
    tx.execute("DELETE FROM documents WHERE kind = 'backup' AND name = ?", (backup["BackupArn"],))
    tx.execute(f"DROP TABLE {backup['Rows']}")


def copy_rows(tx: Connection, backup: Document, target: Table) -> None:
    """Copy the rows of a backup into an empty table."""
    tx.execute(f"INSERT INTO {target.rows} ({_COLUMNS}) SELECT {_COLUMNS} FROM {backup['Rows']}")


def _kept(tx: Connection) -> list[Document]:
    rows = tx.execute("SELECT document FROM documents WHERE kind = 'backup'")
    return [_loaded(data) for (data,) in rows]


def _is_expired(backup: Document, now: float) -> bool:
    return (expiry(backup) or inf) <= now


def _remove_expired(tx: Connection, now: float) -> None:
    for backup in _kept(tx):
        if _is_expired(backup, now):
            remove(tx, backup)


def _loaded(data: bytes) -> Document:
    document: dict[str, Any] = orjson.loads(data)
    return document
