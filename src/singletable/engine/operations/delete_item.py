"""DeleteItem: remove the item of a key; removing what is not there succeeds."""

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
    "DeleteItem",
    TableName=m.TABLE_NAME.required,
    Key=m.KEY.required,
    **m.WRITE_OPTIONS,
)
def delete_item(db: Database, request: Request) -> Answer:
    """Delete an item; ReturnValues may ask for it."""
    if request.get("ReturnValues", "NONE") not in ("NONE", "ALL_OLD"):
        raise ValidationException("ReturnValues can only be ALL_OLD or NONE")
    judge(request, "ConditionExpression")
    bound = bind(request, "ConditionExpression")
    precondition = Precondition.of(request, bound.condition)
    return single_write(
        db, request, bound, lambda table: mutations.delete(table, request["Key"], precondition)
    )
