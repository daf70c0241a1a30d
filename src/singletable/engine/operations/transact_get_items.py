"""TransactGetItems: up to 100 items, all as of one moment."""

from __future__ import annotations

from singletable.engine.database import Database
from singletable.engine.shapes import members as m
from singletable.expressions import Bound, bind

from .contents import judge
from .registry import Answer, Request, operation
from .transactions import Read, read_together


@operation(
    "TransactGetItems",
    TransactItems=m.TRANSACT_GET_ITEMS.required,
    ReturnConsumedCapacity=m.RETURN_CONSUMED_CAPACITY,
)
def transact_get_items(db: Database, request: Request) -> Answer:
    """Read items of any tables in one snapshot; what is not there answers with an empty entry."""
    gets = [each["Get"] for each in request["TransactItems"]]
    bound = [_bind(get) for get in gets]
    return read_together(db, request, [_read(db, *each) for each in zip(gets, bound, strict=True)])


def _bind(get: Request) -> Bound:
    bound = bind(get, "ProjectionExpression")
    judge(get)
    return bound


def _read(db: Database, get: Request, bound: Bound) -> Read:
    table = db.table(get["TableName"])
    table.check_paths(bound)
    return Read(table, get["TableName"], get["Key"], bound.projection)
