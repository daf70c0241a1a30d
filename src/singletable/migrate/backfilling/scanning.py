"""The items of a table, a segment of a scan at a time, from where it was left."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any

from singletable.migrate.bookkeeping import Part
from singletable.store.store import Store
from singletable.values import Item

ITEMS = "items"
"""The kind of all parts of a pass: it reads each item once, whatever it is."""
BATCH_ITEMS = 500
ITEMS_A_PART = 5_000
PARTS_A_WORKER = 8


def executor_of(workers: int, executor: Executor | None) -> Executor | None:
    """Give what does the parts: a single worker needs no process of its own."""
    return ThreadPoolExecutor(1) if workers == 1 and executor is None else executor


def segments(store: Store, workers: int) -> int:
    """Say into how many parts a table is divided; one for each worker at least."""
    return min(max(workers, count(store) // ITEMS_A_PART), workers * PARTS_A_WORKER)


def count(store: Store) -> int:
    """Count the items of a table, as it is described: in AWS that is up to six hours old."""
    described = store.send("DescribeTable", {"TableName": store.table_name})["Table"]
    return int(described.get("ItemCount", 0))


def parts(name: str, total: int) -> Iterator[Part]:
    """Divide a table into parts."""
    for segment in range(total):
        rest = {"segment": segment, "total": total, "after": None}
        yield Part(name=name, kind=ITEMS, number=segment, rest=rest)


def read(
    store: Store, rest: dict[str, Any], limit: int | None = None
) -> tuple[list[Item], dict[str, Any] | None]:
    """Read the first items of what is left of a part; give what is left then, or None."""
    request: dict[str, Any] = {
        "TableName": store.table_name,
        "Segment": rest["segment"],
        "TotalSegments": rest["total"],
        "ConsistentRead": True,
        "Limit": limit or BATCH_ITEMS,
    }
    if rest["after"] is not None:
        request["ExclusiveStartKey"] = rest["after"]
    page = store.send("Scan", request)
    last = page.get("LastEvaluatedKey")
    return page["Items"], None if last is None else {**rest, "after": last}
