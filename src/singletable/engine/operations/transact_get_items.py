"""TransactGetItems: up to 100 items, all as of one moment."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from singletable.engine.capacity import TRANSACTION_FACTOR, Consumed, read_units
from singletable.engine.database import Database
from singletable.engine.images import Row
from singletable.engine.keys import KeyMismatch, read_key
from singletable.engine.schema import Table
from singletable.engine.shapes import members as m
from singletable.errors import ValidationException
from singletable.expressions import Projection, bind
from singletable.values import Item

from .answers import add_capacities
from .cancellation import together
from .get_item import project
from .registry import Answer, Request, operation


@operation(
    "TransactGetItems",
    TransactItems=m.TRANSACT_GET_ITEMS.required,
    ReturnConsumedCapacity=m.RETURN_CONSUMED_CAPACITY,
)
def transact_get_items(db: Database, request: Request) -> Answer:
    """Read items of any tables in one snapshot; what is not there answers with an empty entry."""
    gets = [each["Get"] for each in request["TransactItems"]]
    projections = [bind(get, "ProjectionExpression").projection for get in gets]
    reads = [
        Read(db.table(get["TableName"]), get["Key"], projection)
        for get, projection in zip(gets, projections, strict=True)
    ]
    return read_together(db, request, reads)


class Read(NamedTuple):
    """Is one item to read, and what of it to answer."""

    table: Table
    key: Item
    projection: Projection | None


def read_together(db: Database, request: Request, reads: list[Read]) -> Answer:
    """Read items in one snapshot and answer them, each in its place."""
    keys = together((partial(_encode, read) for read in reads), (KeyMismatch,))
    if len({(table.id, key) for table, key in keys}) != len(keys):
        raise ValidationException(
            "Transaction request cannot include multiple operations on one item"
        )
    answers, totals = [], dict[int, Consumed]()
    with db.storage.read() as tx:
        for (table, key), read in zip(keys, reads, strict=True):
            found = tx.execute(table.sql.find, (key,)).fetchone()
            row = Row(*found) if found else None
            answers.append({"Item": project(db, row, read.projection)} if row else {})
            total = totals.setdefault(table.id, Consumed(table))
            units = read_units(row.size if row else 0, consistent=True)
            total.add(units, factor=TRANSACTION_FACTOR)
    return add_capacities({"Responses": answers}, request, totals.values(), "Read")


def _encode(read: Read) -> tuple[Table, bytes]:
    return read.table, read.table.schema.encode(read_key(read.table, read.key))
