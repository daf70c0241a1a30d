"""What the actions of the control plane share: finding tables by name or ARN, and their errors."""

from __future__ import annotations

from singletable.engine.arns import parse, table_name
from singletable.engine.database import Database
from singletable.engine.schema import Document, Table
from singletable.engine.storage import Connection
from singletable.errors import (
    ResourceNotFoundException,
    TableNotFoundException,
    ValidationException,
)


def find_table(db: Database, tx: Connection, name_or_arn: str) -> Table:
    """Find the table that an action of the control plane is about."""
    name = table_name(name_or_arn)
    table = db.catalog.read(tx, name)
    if table is None:
        raise ResourceNotFoundException(f"Requested resource not found: Table: {name} not found")
    return table


def find_source(db: Database, tx: Connection, name_or_arn: str) -> Table:
    """Find the table that an action on backups is about; its error has another name."""
    name = table_name(name_or_arn)
    table = db.catalog.read(tx, name)
    if table is None:
        raise TableNotFoundException(f"Table not found: {name}")
    return table


def find_resource(db: Database, tx: Connection, arn: str) -> Table:
    """Find the table of a resource that is given by its ARN alone."""
    found = parse(arn)
    if found is None or found.kind not in (None, "index", "stream"):
        raise ValidationException(f"Invalid TableArn: Invalid ResourceArn provided as input {arn}")
    table = db.catalog.read(tx, found.table)
    if table is None:
        # The service's own spelling.
        raise ResourceNotFoundException(
            f"Requested resource not found: ResourcArn: {arn} not found"
        )
    return table


def change(db: Database, tx: Connection, table: Table, **members: object) -> Table:
    """Set members of a table's document; None takes a member away."""
    document: Document = {**table.document, **members}
    kept = {member: value for member, value in document.items() if value is not None}
    return db.catalog.update(tx, table, kept)
