"""GetItem: read the item of a key."""

from __future__ import annotations

from singletable.engine.capacity import Consumed, read_units
from singletable.engine.database import Database
from singletable.engine.keys import read_key
from singletable.engine.shapes import members as m
from singletable.expressions import bind

from .answers import add_capacity, project
from .contents import judge
from .registry import Answer, Request, operation


@operation(
    "GetItem",
    TableName=m.TABLE_NAME.required,
    Key=m.KEY.required,
    AttributesToGet=m.ATTRIBUTES_TO_GET,
    ConsistentRead=m.BOOLEAN,
    ReturnConsumedCapacity=m.RETURN_CONSUMED_CAPACITY,
    ProjectionExpression=m.STRING,
    ExpressionAttributeNames=m.EXPRESSION_NAMES,
)
def get_item(db: Database, request: Request) -> Answer:
    """Read an item, whole or in parts; the answer has no Item when there is none."""
    bound = bind(request, "ProjectionExpression")
    judge(request)
    table = db.table(request["TableName"])
    table.check_paths(bound)
    key = read_key(table, request["Key"])
    row = db.find(table, key)
    answer: Answer = {}
    if row:
        answer["Item"] = project(db, row, bound.projection)
    if "ReturnConsumedCapacity" in request:
        consumed = Consumed(table, request["TableName"], "Read")
        size = row.size if row else 0
        consumed.add(key, read_units(size, consistent=request.get("ConsistentRead", False)))
        add_capacity(answer, request, consumed)
    return answer
