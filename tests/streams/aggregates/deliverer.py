"""A process that delivers a table's stream to aggregates, from its start, and says so.

It remembers nothing: what it delivered before it was killed it delivers again.
"""

from __future__ import annotations

import sys

from singletable.streams.aggregates import Aggregates
from singletable.streams.failing import Report
from singletable.streams.shards import ShardReader, find_shards

from .sales import Sales, batch

BATCH = 7


def deliver(path: str) -> None:
    """Deliver all that there is, in small batches."""
    with Sales.connect(path) as store:
        aggregates = Aggregates(store)
        for shard in find_shards(store):
            reader = ShardReader(store.send, shard)
            while records := reader.read(BATCH):
                aggregates.deliver(batch(store, records, shard.name), Report())
                sys.stdout.write("delivered\n")
                sys.stdout.flush()


if __name__ == "__main__":
    deliver(sys.argv[1])
