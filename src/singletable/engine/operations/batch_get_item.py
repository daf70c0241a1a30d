"""BatchGetItem: up to 100 items of any tables, at most 16 MB of them in one answer."""

from __future__ import annotations

from collections import ChainMap
from copy import deepcopy
from typing import Any

from singletable.engine.capacity import Bill, read_units
from singletable.engine.connections import Connection
from singletable.engine.database import Database
from singletable.engine.images import find_row
from singletable.engine.keys import read_key
from singletable.engine.mutations import check_size
from singletable.engine.shapes import members as m
from singletable.engine.shapes.canonical import admitted
from singletable.errors import ValidationException
from singletable.expressions import bind, check_mixture
from singletable.values import CanonicalItem, Item

from .answers import add_capacity, project
from .registry import Answer, Request, operation

KEYS_MAX = 100
ANSWER_BYTES_MAX = 16 * 1024 * 1024


@operation(
    "BatchGetItem",
    RequestItems=m.BATCH_GET_ITEMS.required,
    ReturnConsumedCapacity=m.RETURN_CONSUMED_CAPACITY,
)
def batch_get_item(db: Database, request: Request) -> Answer:
    """Read items by their keys; what does not fit into 16 MB is left in UnprocessedKeys."""
    wanted = request["RequestItems"]
    if sum(len(each["Keys"]) for each in wanted.values()) > KEYS_MAX:
        raise ValidationException("Too many items requested for the BatchGetItem call")
    if len(wanted) > 1:
        check_mixture(ChainMap(*wanted.values()), "ProjectionExpression")
    for each in wanted.values():
        each["Keys"] = _judged(each["Keys"])
    reads = [_Read(db, name, each) for name, each in wanted.items()]
    bill = Bill("Read") if "ReturnConsumedCapacity" in request else None
    room = ANSWER_BYTES_MAX
    with db.storage.read() as tx:
        for read in reads:
            room = read.run(tx, bill, room)
    answer: Answer = {
        "Responses": {read.name: read.items for read in reads},
        "UnprocessedKeys": {
            read.name: {**read.wanted, "Keys": read.left} for read in reads if read.left
        },
    }
    return add_capacity(answer, request, bill) if bill else answer


class _Read:
    """Reads the keys of one table."""

    def __init__(self, db: Database, name: str, wanted: Request) -> None:
        self.db, self.name, self.wanted = db, name, wanted
        bound = bind(wanted, "ProjectionExpression")
        self.projection = bound.projection
        self.table = db.table(name)
        self.table.check_paths(bound)
        self.items: list[Any] = []
        self.left: list[Any] = []

    def run(self, tx: Connection, bill: Bill | None, room: int) -> int:
        """Read while there is room in the answer and give what room is left."""
        consistent = self.wanted.get("ConsistentRead", False)
        keys = [read_key(self.table, key) for key in self.wanted["Keys"]]
        for position, key in enumerate(keys):
            if self.db.leaves and self.db.leaves():
                self.left.append(deepcopy(self.wanted["Keys"][position]))
                continue
            row = find_row(tx, self.table, key)
            size = row.size if row else 0
            if size > room:
                self.left += deepcopy(self.wanted["Keys"][position:])
                return 0
            if bill:
                units = read_units(size, consistent=consistent)
                bill.of(self.table, self.name).add(key, units)
            if row:
                self.items.append(project(self.db, row, self.projection))
            room -= size
        return room


def _judged(keys: list[Item]) -> list[CanonicalItem]:
    """Check the contents of keys; that each is there once takes no look at the table."""
    normal = [admitted(key) for key in keys]
    for key in normal:
        check_size(key.size)
    if len({frozenset((name, str(key[name])) for name in key) for key in normal}) != len(keys):
        raise ValidationException("Provided list of item keys contains duplicates")
    return normal
