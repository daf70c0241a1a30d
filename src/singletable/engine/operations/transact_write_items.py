"""TransactWriteItems: up to 100 puts, updates, deletes and checks, all of them or none."""

from __future__ import annotations

from collections.abc import Callable

from singletable.engine import mutations
from singletable.engine.database import Database
from singletable.engine.keys import KeyMismatch
from singletable.engine.mutations import Mutation, Precondition
from singletable.engine.schema import Table
from singletable.engine.shapes import members as m
from singletable.errors import ValidationException
from singletable.expressions import Bound, bind
from singletable.values import item_size

from .cancellation import all_or_cancelled
from .contents import judge
from .registry import Answer, Request, operation
from .transactions import NamedMutation, write_together

PAYLOAD_BYTES_MAX = 4 * 1024 * 1024
PAYLOAD = ("Item", "Key", "ExpressionAttributeValues")
"""What counts of an action."""
EXPRESSIONS = {
    "Put": ("ConditionExpression",),
    "Update": ("UpdateExpression", "ConditionExpression"),
    "Delete": ("ConditionExpression",),
    "ConditionCheck": ("ConditionExpression",),
}


@operation(
    "TransactWriteItems",
    TransactItems=m.TRANSACT_WRITE_ITEMS.required,
    ReturnConsumedCapacity=m.RETURN_CONSUMED_CAPACITY,
    ReturnItemCollectionMetrics=m.RETURN_ITEM_COLLECTION_METRICS,
    ClientRequestToken=m.CLIENT_REQUEST_TOKEN,
)
def transact_write_items(db: Database, request: Request) -> Answer:
    """Write all items or none; a token makes the request safe to repeat for ten minutes."""
    actions = request["TransactItems"]
    bound = [_bind(db, each) for each in actions]
    with db.write() as writing:
        changes = all_or_cancelled(bound, (KeyMismatch,))
        _check_payload(actions)
        return write_together(writing, request, actions, changes)


def _bind(db: Database, action: Request) -> Callable[[], NamedMutation]:
    """Parse one action; what comes back makes its mutation, in the transaction."""
    if len(action) != 1:
        raise ValidationException(
            "TransactItems can only contain one of Check, Put, Update or Delete"
            if action
            else "Invalid Request: TransactWriteRequest should contain Delete or Put or Update "
            "request"
        )
    [(kind, body)] = action.items()
    bound = bind(body, *EXPRESSIONS[kind])
    judge(body)

    def make() -> NamedMutation:
        table = db.table(body["TableName"])
        table.check_paths(bound)
        return NamedMutation(body["TableName"], _mutation(table, kind, body, bound))

    return make


def _mutation(table: Table, kind: str, body: Request, bound: Bound) -> Mutation:
    precondition = Precondition.of(body, bound.condition)
    if kind == "Put":
        return mutations.put(table, body["Item"], precondition)
    if kind == "Update":
        return mutations.change(table, body["Key"], bound.update, precondition)
    if kind == "Delete":
        return mutations.delete(table, body["Key"], precondition)
    return mutations.check(table, body["Key"], precondition)


def _check_payload(actions: list[Request]) -> None:
    bodies = [body for action in actions for body in action.values()]
    size = sum([item_size(body[member]) for body in bodies for member in PAYLOAD if member in body])
    if size > PAYLOAD_BYTES_MAX:
        raise ValidationException(
            f"Transaction payload size cannot exceed 4MB. Payload Size: {size}"
        )
