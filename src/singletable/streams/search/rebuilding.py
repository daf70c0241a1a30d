"""A new index from the table: every item is read, while changes go on being applied.

The scan reads strongly: what was applied before it began, it sees. What is applied after that goes
into the new index too, and no page of the scan replaces it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from singletable.backends.embedded import EmbeddedBackend
from singletable.errors import SingletableError
from singletable.model.pages import Skipped
from singletable.store.reading.sifting import Sieve
from singletable.store.store import Store

from .documents import Indexed, Layout
from .keeping import Keeper

SEGMENTS = 4
Progress = Callable[[int, int | None], None]


@dataclass(slots=True)
class Rebuilt:
    """Tells what a rebuild read and made."""

    items: int = 0
    documents: int = 0
    unreadable: list[Skipped] = field(default_factory=list)
    """Items that are broken, and so not in the index."""


@dataclass(frozen=True, slots=True)
class Scanned:
    """What a page of a scan gave."""

    items: int
    documents: list[Indexed]
    unreadable: list[Skipped]


def rebuild(
    keeper: Keeper, layout: Layout, store: Store, segments: int, progress: Progress | None
) -> Rebuilt:
    """Make a generation from the table and put it in the place of the live one."""
    done = Rebuilt()
    total = items_in(store) if progress else None
    generation = keeper.begin()
    for page in scanned(layout, store, segments):
        keeper.fill(generation, page.documents)
        done.items += page.items
        done.documents += len(page.documents)
        done.unreadable += page.unreadable
        if progress is not None:
            progress(done.items, total)
    keeper.finish(generation)
    return done


def scanned(layout: Layout, store: Store, segments: int) -> Iterator[Scanned]:
    """Read the table, its segments side by side where that helps; give its documents in pages."""
    scan = {"TableName": store.table_name, "ConsistentRead": True}
    left = [{**scan, "Segment": one, "TotalSegments": segments} for one in range(segments)]
    with ThreadPoolExecutor(segments) as threads:
        spread = map if isinstance(store.backend, EmbeddedBackend) else threads.map
        while left:
            answers = spread(lambda request: store.send("Scan", request), left)
            ends = []
            for request, answer in zip(left, answers, strict=True):
                yield _page(layout, answer["Items"])
                if end := answer.get("LastEvaluatedKey"):
                    ends.append({**request, "ExclusiveStartKey": end})
            left = ends


def items_in(store: Store) -> int | None:
    """Tell about how many items the table has, as far as one may ask."""
    try:
        answer = store.send("DescribeTable", {"TableName": store.table_name})
    except SingletableError:
        return None
    return int(answer["Table"]["ItemCount"])


def _page(layout: Layout, items: list[Any]) -> Scanned:
    schemas = {name: document.schema for name, document in layout.by_type.items()}
    table = next(iter(schemas.values())).table
    sieve = Sieve("an index", table, schemas, datetime.now(UTC), once=True)
    documents: list[Indexed] = []
    for item in items:
        kind = item.get(table.type_attribute)
        if kind is not None and kind.get("S") not in schemas:
            continue
        entity = sieve.read(item)
        if entity is None:
            continue
        try:
            document = layout.indexed(entity)
        except Exception as error:  # noqa: BLE001 - properties may raise anything
            sieve.skip(item, f"cannot be indexed: {type(error).__name__}: {error}")
        else:
            documents += [document] if document else []
    return Scanned(len(items), documents, sieve.skipped)
