"""PutItem: make an item, or replace the one with the same key."""

from __future__ import annotations

from singletable.engine import mutations
from singletable.engine.database import Database
from singletable.engine.mutations import Precondition
from singletable.engine.shapes import members as m
from singletable.errors import ValidationException
from singletable.expressions import bind

from .contents import judge
from .registry import Answer, Request, operation
from .single_write import single_write


@operation(
    "PutItem",
    TableName=m.TABLE_NAME.required,
    Item=m.ITEM.required,
    **m.WRITE_OPTIONS,
)
def put_item(db: Database, request: Request) -> Answer:
    """Put an item; ReturnValues may ask for the one it replaces."""
    if request.get("ReturnValues", "NONE") not in ("NONE", "ALL_OLD"):
        raise ValidationException("ReturnValues can only be ALL_OLD or NONE")
    judge(request, "ConditionExpression")
    bound = bind(request, "ConditionExpression")
    precondition = Precondition.of(request, bound.condition)
    return single_write(
        db, request, bound, lambda table: mutations.put(table, request["Item"], precondition)
    )
