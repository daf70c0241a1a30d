"""A shop with aggregates of every kind, and the stream of its table, to be delivered at will."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any, Literal

from singletable import Entity, Index, Store, Table, count_of, expires, version
from singletable.model.fields import max_of, min_of, sum_of, updated
from singletable.streams.changes import Change, changes_of
from singletable.streams.consumers import Batch, Consumer
from singletable.streams.failing import Report
from singletable.streams.records import Record
from singletable.streams.shards import ShardReader, find_shards

DAY = datetime(2026, 3, 1, 12, tzinfo=UTC)

table = Table("sales", indexes=["GSI1", "GSI2"], stream="NEW_AND_OLD_IMAGES")


class Customer(Entity, table=table, pk="CUSTOMER#{customer_id}", sk="CUSTOMER"):
    """It needs a name: it is not made by the orders that it counts."""

    customer_id: str
    name: str
    orders: int = count_of("Order", kept_by="stream")
    spent: Decimal = sum_of("Order", "total", kept_by="stream")
    paid: int = count_of("Order", when={"status": "PAID"}, kept_by="stream")
    largest: Decimal | None = max_of("Order", "total")
    version: int = version()
    updated_at: datetime = updated()


class Stats(Entity, table=table, pk="CUSTOMER#{customer_id}", sk="STATS"):
    """It is made by the first order that it counts."""

    customer_id: str
    orders: int = count_of("Order", kept_by="stream")
    smallest: Decimal | None = min_of("Order", "total", when={"status": "PAID"})
    first_at: datetime | None = min_of("Order", "ordered_at")


class Daily(Entity, table=table, pk="SALES#{day}", sk="SALES"):
    day: date
    orders: int = count_of("Order", day="ordered_at", kept_by="stream")
    sold: Decimal = sum_of("Order", "total", day="ordered_at", kept_by="stream")
    largest: Decimal | None = max_of("Order", "total", day="ordered_at")


class Monthly(Entity, table=table, pk="MONTH#{month}", sk="MONTH"):
    month: str
    orders: int = count_of("Order", month="ordered_at:%Y-%m", kept_by="stream")


class Rank(Entity, table=table, pk="RANK#{seller}", sk="RANK"):
    """Its number stands in the key of a sharded index."""

    by_sold = Index("GSI2", pk="RANKS#{seller:shard 3}", sk="{sold:010d}#{seller}")

    seller: str
    sold: int = sum_of("Order", "pieces", kept_by="stream")


class Order(Entity, table=table, pk="CUSTOMER#{customer_id}", sk="ORDER#{order_id}"):
    by_day = Index("GSI1", pk="DAY#{ordered_at:%Y-%m-%d}", sk="{total}#{order_id}")

    customer_id: str
    order_id: str
    seller: str | None = None
    total: Decimal = Decimal(0)
    pieces: int = 1
    status: Literal["NEW", "PAID"] = "NEW"
    ordered_at: datetime = DAY
    note: str = ""
    expires_at: datetime | None = expires()


class Sales(Store, table=table):
    """The shop."""


@dataclass
class Feed:
    """Reads the stream of a store's table, and delivers it as a test wants."""

    store: Store
    readers: dict[str, ShardReader] = field(default_factory=dict)

    def records(self) -> list[tuple[str, Record]]:
        """Give the records that are new, each with its shard."""
        found = []
        for shard in find_shards(self.store):
            reader = self.readers.setdefault(shard.name, ShardReader(self.store.send, shard))
            while records := reader.read():
                found += [(shard.name, record) for record in records]
        return found

    def batches(self) -> list[Batch]:
        """Give what is new, one batch for each shard."""
        shards: dict[str, list[Record]] = {}
        for shard, record in self.records():
            shards.setdefault(shard, []).append(record)
        return [batch(self.store, records, shard) for shard, records in shards.items()]

    def deliver(self, *consumers: Consumer) -> list[Batch]:
        """Deliver what is new until nothing is."""
        delivered = []
        while batches := self.batches():
            delivered += batches
            for one in batches:
                for consumer in consumers:
                    consumer.deliver(one, Report())
        return delivered


def batch(store: Store, records: Iterable[Record], shard: str | None = None) -> Batch:
    """Make a batch of records."""
    several = list(records)
    changes: Sequence[Change[Any]] = [
        change for record in several for change in changes_of(store.table, record)
    ]
    return Batch(changes, several[-1].position, shard)
