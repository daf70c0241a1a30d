"""What PutItem, UpdateItem and DeleteItem do alike: one mutation, one transaction, one answer."""

from __future__ import annotations

from collections.abc import Callable

from singletable.engine.capacity import Consumed
from singletable.engine.database import Database
from singletable.engine.mutations import ItemUpdate, Mutation, Outcome, carry_out
from singletable.engine.schema import Table
from singletable.expressions import Bound
from singletable.values import Item, loads

from .answers import add_capacity, collection_metrics, wants_metrics
from .registry import Answer, Request


def single_write(
    db: Database, request: Request, bound: Bound, mutation_for: Callable[[Table], Mutation]
) -> Answer:
    """Make the mutation and answer what the request asks to be told of it."""
    answer: Answer = {}
    with db.write(is_sure=True) as writing:
        table = db.table(request["TableName"])
        table.check_paths(bound)
        mutation = mutation_for(table)
        mutation.verify()
        outcome = carry_out(writing, mutation)
        if "ReturnItemCollectionMetrics" in request and wants_metrics(request, table):
            [metrics] = collection_metrics(writing.tx, table, [mutation.key])
            answer["ItemCollectionMetrics"] = metrics
    if "ReturnValues" in request:
        attributes = _returned(request["ReturnValues"], mutation, outcome)
        if attributes:
            answer["Attributes"] = attributes
    if "ReturnConsumedCapacity" in request:
        consumed = Consumed(table, request["TableName"], "Write")
        outcome.charge(consumed, mutation.row_key)
        add_capacity(answer, request, consumed)
    return answer


def _returned(wanted: str, mutation: Mutation, outcome: Outcome) -> Item | None:
    """Give the attributes that ReturnValues asks for."""
    if wanted == "NONE":
        return None
    image = outcome.before if wanted.endswith("_OLD") else outcome.after
    if image is None:
        return None
    # Read anew, since the item may have in it what the caller still holds.
    item = loads(image.data)
    if wanted.startswith("ALL"):
        return item
    assert isinstance(mutation, ItemUpdate)
    return mutation.update.touched(item) if mutation.update else None
