"""A store on an embedded engine whose requests are metered."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from singletable import Store
from singletable.cost.fillers import LATER
from singletable.store.observing.events import RequestEvent
from singletable.values import Item

READS = {"GetItem", "Query", "Scan", "BatchGetItem", "TransactGetItems"}


@dataclass
class Metered:
    """A connected store, and what its requests consumed."""

    store: Any = None
    events: list[RequestEvent] = field(default_factory=list)

    def write(self, item: Item) -> None:
        """Put an item as it is."""
        request = {"TableName": self.store.table.name, "Item": item}
        self.store.backend.call("PutItem", request)

    def units(self, work: Callable[[Any], object]) -> tuple[float, float]:
        """Give the read and the write units of some work."""
        self.events.clear()
        work(self.store)
        reads = [one.consumed or 0.0 for one in self.events if one.operation in READS]
        writes = [one.consumed or 0.0 for one in self.events if one.operation not in READS]
        return sum(reads), sum(writes)

    def by_index(self) -> dict[str, float]:
        """Give the write units of each index, of the last work."""
        totals: dict[str, float] = {}
        for event in self.events:
            for name, units in event.consumed_by_index.items():
                if event.operation not in READS:
                    totals[name] = totals.get(name, 0.0) + units
        return totals


@contextmanager
def metered(store: type[Store]) -> Iterator[Metered]:
    """Connect a store to an engine in memory."""
    meter = Metered()
    with store.connect(
        ":memory:", observers=[meter.events.append], clock=lambda: LATER
    ) as connected:
        meter.store = connected
        yield meter
