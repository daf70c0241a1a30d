"""TransactWriteItems: up to 100 puts, updates, deletes and checks, all of them or none."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from hashlib import blake2b
from typing import Any

from singletable.engine import mutations, wire
from singletable.engine.capacity import TRANSACTION_FACTOR, Consumed, read_units
from singletable.engine.database import Database
from singletable.engine.keys import KeyMismatch
from singletable.engine.mutations import Guard, Mutation, Outcome, modify
from singletable.engine.shapes import members as m
from singletable.engine.storage import Connection
from singletable.engine.writing import Writing
from singletable.errors import IdempotentParameterMismatchException, ValidationException
from singletable.expressions import bind
from singletable.values import Item, item_size

from .answers import add_capacities, collection_metrics, wants_metrics
from .cancellation import together
from .registry import Answer, Request, operation

PAYLOAD_BYTES_MAX = 4 * 1024 * 1024
TOKEN_SECONDS = 600


@operation(
    "TransactWriteItems",
    TransactItems=m.TRANSACT_WRITE_ITEMS.required,
    ReturnConsumedCapacity=m.RETURN_CONSUMED_CAPACITY,
    ReturnItemCollectionMetrics=m.RETURN_ITEM_COLLECTION_METRICS,
    ClientRequestToken=m.CLIENT_REQUEST_TOKEN,
)
def transact_write_items(db: Database, request: Request) -> Answer:
    """Write all items or none; a token makes the request safe to repeat for ten minutes."""
    bound = [_bind(each) for each in request["TransactItems"]]
    with db.write() as writing:
        changes = together((partial(make, db) for make in bound), (KeyMismatch,))
        check_distinct(changes)
        _check_payload(request["TransactItems"])
        if is_repeated(writing, request, request["TransactItems"]):
            return repeated(writing, changes, request)
        return transact(writing, changes, request)


def repeated(writing: Writing, changes: list[Mutation], request: Request) -> Answer:
    """Answer a transaction that was carried out before; writes nothing."""
    return add_capacities({}, request, _reads(writing, changes), "Read")


def transact(writing: Writing, changes: list[Mutation], request: Request) -> Answer:
    """Make all changes in the transaction, or raise with the reason for each."""
    outcomes = together(partial(modify, writing, change) for change in changes)
    answer: Answer = {}
    metrics = _metrics(writing.tx, changes, request)
    if metrics:
        answer["ItemCollectionMetrics"] = metrics
    return add_capacities(answer, request, _writes(changes, outcomes), "Write")


def check_distinct(changes: list[Mutation]) -> None:
    """Refuse two actions on one item."""
    items = {(change.table.id, change.row_key) for change in changes}
    if len(items) != len(changes):
        raise ValidationException(
            "Transaction request cannot include multiple operations on one item"
        )


def _bind(action: Request) -> Callable[[Database], Mutation]:
    """Parse one action; what comes back makes its mutation, in the transaction."""
    if len(action) != 1:
        raise ValidationException(
            "TransactItems can only contain one of Check, Put, Update or Delete"
            if action
            else "Invalid Request: TransactWriteRequest should contain Delete or Put or Update "
            "request"
        )
    [(kind, body)] = action.items()
    bound = bind(body, "UpdateExpression", "ConditionExpression")
    guard = Guard.of(body, bound.condition)

    def make(db: Database) -> Mutation:
        table = db.table(body["TableName"])
        table.check_paths(bound)
        if kind == "Put":
            return mutations.put(table, body["Item"], guard)
        if kind == "Update":
            return mutations.change(table, body["Key"], bound.update, guard)
        if kind == "Delete":
            return mutations.delete(table, body["Key"], guard)
        return mutations.check(table, body["Key"], guard)

    return make


def _check_payload(actions: list[Request]) -> None:
    size = sum(_payload(body) for action in actions for body in action.values())
    if size > PAYLOAD_BYTES_MAX:
        raise ValidationException(
            f"Transaction payload size cannot exceed 4MB. Payload Size: {size}"
        )


def _payload(body: Request) -> int:
    parts: list[Item] = [
        body.get("Item", {}),
        body.get("Key", {}),
        body.get("ExpressionAttributeValues", {}),
    ]
    return sum(map(item_size, parts))


def is_repeated(writing: Writing, request: Request, actions: list[Request]) -> bool:
    """Tell whether this very request was carried out before; remember it if not."""
    token = request.get("ClientRequestToken")
    if token is None:
        return False
    execute, oldest = writing.tx.execute, writing.now - TOKEN_SECONDS
    digest = _digest(actions)
    execute("DELETE FROM tokens WHERE at < ?", (oldest,))
    found = execute("SELECT digest FROM tokens WHERE token = ?", (token,)).fetchone()
    if found is None:
        execute("INSERT INTO tokens VALUES (?, ?, ?)", (token, writing.now, digest))
        return False
    if found[0] != digest:
        raise IdempotentParameterMismatchException(
            "The request uses the same client token as a previous, but non-identical request. "
            "Do not reuse a client token with different requests, unless the requests are "
            "identical"
        )
    return True


def _digest(actions: list[Request]) -> bytes:
    return blake2b(wire.encode(actions, sort_keys=True), digest_size=32).digest()


def _writes(changes: list[Mutation], outcomes: list[Outcome]) -> list[Consumed]:
    totals: dict[int, Consumed] = {}
    for change, outcome in zip(changes, outcomes, strict=True):
        total = totals.setdefault(change.table.id, Consumed(change.table))
        total.add(*outcome.units, factor=TRANSACTION_FACTOR)
    return list(totals.values())


def _reads(writing: Writing, changes: list[Mutation]) -> list[Consumed]:
    totals: dict[int, Consumed] = {}
    for change in changes:
        total = totals.setdefault(change.table.id, Consumed(change.table))
        row = writing.find(change.table, change.row_key)
        units = read_units(row.size if row else 0, consistent=True)
        total.add(units, factor=TRANSACTION_FACTOR)
    return list(totals.values())


def _metrics(
    tx: Connection, changes: list[Mutation], request: Request
) -> dict[str, list[dict[str, Any]]]:
    metrics: dict[str, list[dict[str, Any]]] = {}
    for change in changes:
        if wants_metrics(request, change.table):
            found = collection_metrics(tx, change.table, change.key)
            metrics.setdefault(change.table.name, []).append(found)
    return metrics
