"""What the answers of item operations share: items, capacity, item collection metrics."""

from __future__ import annotations

from collections.abc import Iterable

from singletable.engine.capacity import Bill, Consumed
from singletable.engine.connections import Connection
from singletable.engine.database import Database
from singletable.engine.images import Image
from singletable.engine.schema import Table
from singletable.engine.writing import collection_size
from singletable.expressions import Projection
from singletable.values import Item

from .registry import Answer, Operation, Request

GIGABYTE = 1024**3

CHARGES = "CHARGES"
"""How the engine itself asks for consumed capacity: for what would be reported, as it is."""


def project(db: Database, image: Image, projection: Projection | None) -> object:
    """Give an item, or the part of it that a projection names, as answers hold it."""
    return db.decode(image.data) if projection is None else projection.apply(image.item)


def add_capacity(answer: Answer, request: Request, consumed: Consumed | Bill) -> Answer:
    """Add ConsumedCapacity, of one table or of several, when the request asks for it."""
    mode = request.get("ReturnConsumedCapacity", "NONE")
    if mode != "NONE":
        answer["ConsumedCapacity"] = consumed if mode == CHARGES else consumed.report(mode)
    return answer


def run_charged(
    operation: Operation, db: Database, request: Request
) -> tuple[Answer, Consumed | Bill]:
    """Carry out an operation; give what it consumed beside what it answers, asked or not."""
    answer = operation.run(db, {**request, "ReturnConsumedCapacity": CHARGES})
    consumed = answer.pop("ConsumedCapacity")
    return add_capacity(answer, request, consumed), consumed


def wants_metrics(request: Request, table: Table) -> bool:
    """Tell whether metrics are asked for and the table, having a local index, keeps them."""
    return table.has_local_index and request.get("ReturnItemCollectionMetrics") == "SIZE"


def collection_metrics(tx: Connection, table: Table, keys: Iterable[Item]) -> list[Answer]:
    """Give the metrics of the item collections that items belong to, each once."""
    partitions = {table.schema.partition(key): key for key in keys}
    return [_metrics(tx, table, partition, key) for partition, key in partitions.items()]


def _metrics(tx: Connection, table: Table, partition: bytes, key: Item) -> Answer:
    least = float(collection_size(tx, table, partition) // GIGABYTE)
    return {
        "ItemCollectionKey": {name: {**key[name]} for name in table.schema.hash_names},
        "SizeEstimateRangeGB": [least, least + 1.0],
    }
