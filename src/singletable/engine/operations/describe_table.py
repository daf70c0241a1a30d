"""DescribeTable: a table's definition, settings and size, which here is up to date."""

from __future__ import annotations

from singletable.engine.database import Database
from singletable.engine.descriptions import describe
from singletable.engine.shapes import members as m

from .control import find_table
from .registry import Answer, Request, operation


@operation("DescribeTable", TableName=m.TABLE_NAME.required)
def describe_table(db: Database, request: Request) -> Answer:
    """Describe a table."""
    with db.storage.read() as tx:
        return {"Table": describe(db, tx, find_table(db, tx, request["TableName"]))}
