"""DeleteItem: remove the item of a key; removing what is not there succeeds."""

from __future__ import annotations

from singletable.engine import mutations
from singletable.engine.database import Database
from singletable.engine.mutations import Guard
from singletable.engine.shapes import members as m
from singletable.errors import ValidationException
from singletable.expressions import bind

from .registry import Answer, Request, operation
from .single_write import single_write


@operation(
    "DeleteItem",
    TableName=m.TABLE_NAME.required,
    Key=m.KEY.required,
    Expected=m.EXPECTED,
    ConditionalOperator=m.CONDITIONAL_OPERATOR,
    ReturnValues=m.RETURN_VALUES,
    ReturnConsumedCapacity=m.RETURN_CONSUMED_CAPACITY,
    ReturnItemCollectionMetrics=m.RETURN_ITEM_COLLECTION_METRICS,
    ConditionExpression=m.STRING,
    ExpressionAttributeNames=m.EXPRESSION_NAMES,
    ExpressionAttributeValues=m.EXPRESSION_VALUES,
    ReturnValuesOnConditionCheckFailure=m.RETURN_VALUES_ON_CONDITION_CHECK_FAILURE,
)
def delete_item(db: Database, request: Request) -> Answer:
    """Delete an item; ReturnValues may ask for it."""
    if request.get("ReturnValues", "NONE") not in ("NONE", "ALL_OLD"):
        raise ValidationException("ReturnValues can only be ALL_OLD or NONE")
    bound = bind(request, "ConditionExpression")
    guard = Guard.of(request, bound.condition)
    return single_write(
        db, request, bound, lambda table: mutations.delete(table, request["Key"], guard)
    )
