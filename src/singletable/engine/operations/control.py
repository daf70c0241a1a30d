"""What the actions of the control plane share: finding tables by name or ARN, and their errors."""

from __future__ import annotations

from singletable.engine.arns import parse, table_name
from singletable.engine.connections import Connection
from singletable.engine.database import Database
from singletable.engine.schema import Document, Table
from singletable.errors import (
    ResourceNotFoundException,
    ServiceError,
    TableNotFoundException,
    ValidationException,
)


def find_table(db: Database, tx: Connection, name_or_arn: str) -> Table:
    """Find the table that an action of the control plane is about."""
    name = table_name(name_or_arn)
    return _found(
        db.catalog.read(tx, name),
        ResourceNotFoundException(f"Requested resource not found: Table: {name} not found"),
    )


def find_backed_up(db: Database, tx: Connection, name_or_arn: str) -> Table:
    """Find the table that an action on backups is about; its error has another name."""
    name = table_name(name_or_arn)
    return _found(db.catalog.read(tx, name), TableNotFoundException(f"Table not found: {name}"))


def find_resource(db: Database, tx: Connection, arn: str, *kinds: str) -> Table:
    """Find the table that an ARN names; what is below it has to be of one of the kinds."""
    found = parse(arn)
    if found is None or found.kind not in (None, *kinds):
        raise ValidationException(f"Invalid TableArn: Invalid ResourceArn provided as input {arn}")
    # The service's own spelling.
    missing = f"Requested resource not found: ResourcArn: {arn} not found"
    return _found(db.catalog.read(tx, found.table), ResourceNotFoundException(missing))


def _found(table: Table | None, otherwise: ServiceError) -> Table:
    if table is None:
        raise otherwise
    return table


def change(db: Database, tx: Connection, table: Table, **members: object) -> Table:
    """Set members of a table's document; None takes a member away."""
    document: Document = {**table.document, **members}
    kept = {member: value for member, value in document.items() if value is not None}
    return db.catalog.update(tx, table, kept)
