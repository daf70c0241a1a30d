"""UpdateItem: change attributes of an item, or make it from its key."""

from __future__ import annotations

from singletable.engine import mutations
from singletable.engine.database import Database
from singletable.engine.mutations import Precondition
from singletable.engine.shapes import members as m
from singletable.expressions import bind

from .contents import judge
from .registry import Answer, Request, operation
from .single_write import single_write


@operation(
    "UpdateItem",
    TableName=m.TABLE_NAME.required,
    Key=m.KEY.required,
    AttributeUpdates=m.ATTRIBUTE_UPDATES,
    UpdateExpression=m.STRING,
    **m.WRITE_OPTIONS,
)
def update_item(db: Database, request: Request) -> Answer:
    """Update an item; ReturnValues may ask for all of it, or the updated parts, old or new."""
    judge(request, "UpdateExpression", "ConditionExpression")
    bound = bind(request, "UpdateExpression", "ConditionExpression")
    precondition = Precondition.of(request, bound.condition)
    return single_write(
        db,
        request,
        bound,
        lambda table: mutations.change(table, request["Key"], bound.update, precondition),
    )
