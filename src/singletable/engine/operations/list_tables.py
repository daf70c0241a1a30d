"""ListTables: the names of all tables, in pages."""

from __future__ import annotations

from singletable.engine.database import Database
from singletable.engine.shapes import tables as t

from .registry import Answer, Request, operation

PAGE = 100


@operation("ListTables", ExclusiveStartTableName=t.PLAIN_TABLE_NAME, Limit=t.COUNT_TO_100)
def list_tables(db: Database, request: Request) -> Answer:
    """List tables by name."""
    start, limit = request.get("ExclusiveStartTableName", ""), request.get("Limit", PAGE)
    with db.storage.read() as tx:
        names = [name for name in db.catalog.names(tx) if name > start]
    answer: Answer = {"TableNames": names[:limit]}
    if len(names) > limit:
        answer["LastEvaluatedTableName"] = names[limit - 1]
    return answer
