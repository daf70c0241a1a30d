"""Global tables: there is one region here, and so none of them; the service's words for that."""

from __future__ import annotations

from singletable.engine.database import Database
from singletable.engine.shapes import members as m
from singletable.engine.shapes import tables as t
from singletable.errors import GlobalTableNotFoundException

from .control import find_table
from .registry import Answer, Request, operation


@operation(
    "ListGlobalTables",
    ExclusiveStartGlobalTableName=t.PLAIN_TABLE_NAME,
    Limit=m.POSITIVE,
    RegionName=m.STRING,
)
def list_global_tables(_db: Database, _request: Request) -> Answer:
    """List no global tables."""
    return {"GlobalTables": []}


@operation("DescribeGlobalTable", GlobalTableName=t.PLAIN_TABLE_NAME.required)
def describe_global_table(_db: Database, request: Request) -> Answer:
    """Find no global table."""
    raise _not_found(request)


@operation("DescribeGlobalTableSettings", GlobalTableName=t.PLAIN_TABLE_NAME.required)
def describe_global_table_settings(_db: Database, request: Request) -> Answer:
    """Find no global table."""
    raise _not_found(request)


@operation("DescribeTableReplicaAutoScaling", TableName=m.TABLE_NAME.required)
def describe_table_replica_auto_scaling(db: Database, request: Request) -> Answer:
    """Describe a table that has no replicas."""
    with db.storage.read() as tx:
        table = find_table(db, tx, request["TableName"])
    description = {"TableName": table.name, "TableStatus": "ACTIVE", "Replicas": []}
    return {"TableAutoScalingDescription": description}


def _not_found(request: Request) -> GlobalTableNotFoundException:
    name = request["GlobalTableName"]
    return GlobalTableNotFoundException(
        f"Global table not found: Global table with name: '{name}' does not exist."
    )
