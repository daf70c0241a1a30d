"""Items read or written together: what TransactGetItems, TransactWriteItems and PartiQL share."""

from __future__ import annotations

from functools import partial
from hashlib import blake2b
from typing import NamedTuple

from singletable.engine import wire
from singletable.engine.capacity import Bill, read_units
from singletable.engine.connections import Connection
from singletable.engine.database import Database
from singletable.engine.images import Row, find_row
from singletable.engine.keys import KeyMismatch, read_key
from singletable.engine.mutations import Mutation, modify
from singletable.engine.schema import Table
from singletable.engine.writing import Writing
from singletable.errors import IdempotentParameterMismatchException, ValidationException
from singletable.expressions import Projection
from singletable.values import Item, item_size

from .answers import add_capacity, collection_metrics, project, wants_metrics
from .cancellation import all_or_cancelled
from .registry import Answer, Request

ANSWER_BYTES_MAX = 4 * 1024 * 1024
TOKEN_SECONDS = 600
TOKENS_FORGOTTEN_AT_ONCE = 2
"""More than one, so that the tokens of a busy hour go away in time."""


class Read(NamedTuple):
    """One item to read, and what of it to answer."""

    table: Table
    name: str
    """The request's name for the table."""
    key: Item
    projection: Projection | None


def read_together(db: Database, request: Request, reads: list[Read]) -> Answer:
    """Read items in one snapshot and answer them, each in its place."""
    keys = all_or_cancelled((partial(_row_key, read) for read in reads), (KeyMismatch,))
    _check_distinct([(read.table.id, key) for read, key in zip(reads, keys, strict=True)])
    answers, bill, size = [], Bill("Read", transactional=True), 0
    with db.storage.read() as tx:
        for read, key in zip(reads, keys, strict=True):
            row = find_row(tx, read.table, key)
            answers.append({"Item": project(db, row, read.projection)} if row else {})
            bill.of(read.table, read.name).add(key, _units(row))
            size += _answered_size(row, read.projection)
            _check_answer(size)
    return add_capacity({"Responses": answers}, request, bill)


def _answered_size(row: Row | None, projection: Projection | None) -> int:
    if row is None:
        return 0
    return row.size if projection is None else item_size(projection.apply(row.item))


def _check_answer(size: int) -> None:
    if size > ANSWER_BYTES_MAX:
        raise ValidationException(f"Payload in response is too large.{size}")


def _row_key(read: Read) -> bytes:
    return read_key(read.table, read.key)


class NamedMutation(NamedTuple):
    """One change to make together with others."""

    name: str
    """The request's name for the table."""
    mutation: Mutation


def write_together(
    writing: Writing, request: Request, actions: list[Request], changes: list[NamedMutation]
) -> Answer:
    """Make all changes, or raise with a reason for each; repeated by its token, make none."""
    _check_distinct([(mutation.table.id, mutation.row_key) for _, mutation in changes])
    if _is_repeated(writing, request, actions):
        bill = Bill("Read", transactional=True)
        for name, mutation in changes:
            row = writing.find(mutation.table, mutation.row_key)
            bill.of(mutation.table, name).add(mutation.row_key, _units(row))
        return add_capacity({}, request, bill)
    outcomes = all_or_cancelled(partial(modify, writing, mutation) for _, mutation in changes)
    bill = Bill("Write", transactional=True)
    if "ReturnConsumedCapacity" in request:
        for (name, mutation), outcome in zip(changes, outcomes, strict=True):
            outcome.charge(bill.of(mutation.table, name), mutation.row_key)
    return add_capacity(_metrics(writing.tx, request, changes), request, bill)


def _check_distinct(items: list[tuple[int, bytes]]) -> None:
    if len(set(items)) != len(items):
        raise ValidationException(
            "Transaction request cannot include multiple operations on one item"
        )


def _units(row: Row | None) -> float:
    return read_units(row.size if row else 0, consistent=True)


def _is_repeated(writing: Writing, request: Request, actions: list[Request]) -> bool:
    """Tell whether this very request was carried out before; remember it if not."""
    token = request.get("ClientRequestToken")
    if token is None:
        return False
    execute, oldest = writing.tx.execute, writing.now - TOKEN_SECONDS
    digest = blake2b(wire.encode(actions, sort_keys=True), digest_size=32).digest()
    select = "SELECT digest FROM tokens WHERE token = ? AND at >= ?"
    found = execute(select, (token, oldest)).fetchone()
    if found is None:
        _remember(writing, token, digest)
        return False
    if found[0] != digest:
        raise IdempotentParameterMismatchException(
            "Specified idempotent token was used with different request parameters within the "
            "idempotency window"
        )
    return True


def _remember(writing: Writing, token: str, digest: bytes) -> None:
    writing.tx.execute(
        "DELETE FROM tokens WHERE token IN"
        " (SELECT token FROM tokens WHERE at < ? ORDER BY at LIMIT ?)",
        (writing.now - TOKEN_SECONDS, TOKENS_FORGOTTEN_AT_ONCE),
    )
    writing.tx.execute(
        "INSERT OR REPLACE INTO tokens VALUES (?, ?, ?)", (token, writing.now, digest)
    )


def _metrics(tx: Connection, request: Request, changes: list[NamedMutation]) -> Answer:
    keys: dict[str, list[Item]] = {}
    tables: dict[str, Table] = {}
    for name, mutation in changes:
        # A mere check affects no item collection.
        if type(mutation) is not Mutation and wants_metrics(request, mutation.table):
            tables[name] = mutation.table
            keys.setdefault(name, []).append(mutation.key)
    metrics = {name: collection_metrics(tx, tables[name], each) for name, each in keys.items()}
    return {"ItemCollectionMetrics": metrics} if metrics else {}
