"""BatchWriteItem: up to 25 puts and deletes, each on its own."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy

from singletable.engine import mutations
from singletable.engine.capacity import Bill
from singletable.engine.database import Database
from singletable.engine.keys import KeyMismatch, no_match
from singletable.engine.mutations import Mutation, carry_out
from singletable.engine.schema import Table
from singletable.engine.shapes import members as m
from singletable.errors import ValidationException

from .answers import add_capacity, collection_metrics, wants_metrics
from .contents import judge
from .registry import Answer, Request, operation

REQUESTS_MAX = 25


@operation(
    "BatchWriteItem",
    RequestItems=m.BATCH_WRITE_ITEMS.required,
    ReturnConsumedCapacity=m.RETURN_CONSUMED_CAPACITY,
    ReturnItemCollectionMetrics=m.RETURN_ITEM_COLLECTION_METRICS,
)
def batch_write_item(db: Database, request: Request) -> Answer:
    """Put and delete items over any number of tables; left is what the database says to leave."""
    writes = request["RequestItems"]
    if sum(map(len, writes.values())) > REQUESTS_MAX:
        raise ValidationException("Too many items requested for the BatchWriteItem call")
    for each in writes.values():
        _check(each)
    bill, metrics, is_billed = Bill("Write"), {}, "ReturnConsumedCapacity" in request
    with db.write(is_sure=True) as writing:
        tables = {name: db.table(name) for name in writes}
        planned = {name: _plan(tables[name], each) for name, each in writes.items()}
        for changes in planned.values():
            for change in changes:
                change.verify()
        left = _leave(db.leaves, writes, planned) if db.leaves else {}
        for name, changes in planned.items():
            table = tables[name]
            for change in changes:
                outcome = carry_out(writing, change)
                if is_billed:
                    outcome.charge(bill.of(table, name), change.row_key)
            if wants_metrics(request, table):
                keys = [change.key for change in changes]
                metrics[name] = collection_metrics(writing.tx, table, keys)
    answer: Answer = {"UnprocessedItems": left}
    if metrics:
        answer["ItemCollectionMetrics"] = metrics
    return add_capacity(answer, request, bill)


def _leave(
    leaves: Callable[[], bool], writes: Request, planned: dict[str, list[Mutation]]
) -> Request:
    """Take out of the plan what shall be left, and give it as the request has it."""
    left: Request = {}
    for name, changes in planned.items():
        places = [place for place in range(len(changes)) if leaves()]
        if places:
            left[name] = deepcopy([writes[name][place] for place in places])
            planned[name] = [each for place, each in enumerate(changes) if place not in places]
    return left


def _check(writes: list[Request]) -> None:
    if any(len(write) != 1 for write in writes):
        raise ValidationException(
            "Supplied AttributeValue has more than one datatypes set, "
            "must contain exactly one of the supported datatypes"
        )
    for write in writes:
        for body in write.values():
            judge(body)


def _plan(table: Table, writes: list[Request]) -> list[Mutation]:
    changes: dict[bytes, Mutation] = {}
    for each in writes:
        change = _mutation(table, each)
        if change.row_key in changes:
            raise ValidationException("Provided list of item keys contains duplicates")
        changes[change.row_key] = change
    return list(changes.values())


def _mutation(table: Table, write: Request) -> Mutation:
    if "PutRequest" in write:
        try:
            return mutations.put(table, write["PutRequest"]["Item"])
        except KeyMismatch as error:
            mismatch = no_match()
            mismatch.add_note(error.message)
            raise mismatch from None
    return mutations.delete(table, write["DeleteRequest"]["Key"])
