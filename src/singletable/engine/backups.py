"""Backups: a table's document and a copy of its rows, beside the tables in the same database.

A copy is made by SQLite inside one transaction, so it is exact; it takes the room of the rows.
"""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import orjson

from singletable.errors import BackupNotFoundException

from .database import Database
from .schema import Document, Table
from .storage import Connection

_COLUMNS = "key, size, item"


def make(db: Database, tx: Connection, table: Table, name: str, kind: str) -> Document:
    """Back a table up; ``kind`` is USER, or SYSTEM for what deleting a table leaves behind."""
    now = db.clock()
    items, size = db.catalog.statistics(tx, table.rows)
    # As the service's: the time in milliseconds, then something random.
    arn = db.arn(table, "backup", f"{int(now * 1000):014d}-{uuid4().hex[:8]}")
    backup = {
        "BackupArn": arn,
        "BackupName": name,
        "BackupType": kind,
        "CreationDateTime": now,
        "Rows": f"backup_{db.catalog.next_id(tx)}",
        "Items": items,
        "Bytes": size,
        "TableArn": db.arn(table),
        "Table": table.document,
    }
    tx.execute(f"CREATE TABLE {backup['Rows']} AS SELECT {_COLUMNS} FROM {table.rows}")
    tx.execute("INSERT INTO documents VALUES ('backup', ?, ?)", (arn, orjson.dumps(backup)))
    return backup


def find(tx: Connection, arn: str) -> Document:
    """Find a backup by its ARN."""
    row = tx.execute(
        "SELECT document FROM documents WHERE kind = 'backup' AND name = ?", (arn,)
    ).fetchone()
    if row is None:
        raise BackupNotFoundException(f"Backup not found: {arn}")
    return _loaded(row[0])


def every(tx: Connection) -> list[Document]:
    """List all backups, oldest first."""
    rows = tx.execute("SELECT document FROM documents WHERE kind = 'backup'")
    found = [_loaded(data) for (data,) in rows]
    return sorted(found, key=lambda backup: position(backup["BackupArn"]))


def position(arn: str) -> str:
    """Give a backup's place among all, though it be gone: its own name begins with its time."""
    return arn.rpartition("/")[2]


def remove(tx: Connection, backup: Document) -> None:
    """Delete a backup and its rows."""
    tx.execute("DELETE FROM documents WHERE kind = 'backup' AND name = ?", (backup["BackupArn"],))
    tx.execute(f"DROP TABLE {backup['Rows']}")


def copy_rows(tx: Connection, backup: Document, target: Table) -> None:
    """Copy the rows of a backup into an empty table."""
    tx.execute(f"INSERT INTO {target.rows} ({_COLUMNS}) SELECT {_COLUMNS} FROM {backup['Rows']}")


def _loaded(data: bytes) -> Document:
    document: dict[str, Any] = orjson.loads(data)
    return document
