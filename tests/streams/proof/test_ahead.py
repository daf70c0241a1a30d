"""What a consumer reads from the table is ahead of the stream, which tells it later."""

from __future__ import annotations

from itertools import chain

from singletable.streams import Batch, follow
from singletable.streams.aggregates import Aggregates, verify
from singletable.streams.changes import changes_of
from singletable.streams.failing import Report

from .design import Parcel, Parcels


def deliver(store: Parcels, aggregates: Aggregates, begin: int, end: int) -> None:
    """Deliver some of the changes of parcels."""
    [(shard, records)] = list(follow(store))
    found = chain.from_iterable(changes_of(store.table, record) for record in records)
    changes = [change for change in found if change.entity is Parcel][begin:end]
    aggregates.deliver(Batch(changes, changes[-1].position, shard.name), Report())


def test_a_value_that_was_found_before_the_stream_told_it_goes_with_its_item() -> None:
    store = Parcels.connect(":memory:")
    aggregates = Aggregates(store)
    store.put(Parcel(depot="d", name="heavy", grams=999))
    store.put(Parcel(depot="d", name="other", grams=992))
    deliver(store, aggregates, 0, 2)
    store.delete(Parcel.key(depot="d", name="heavy"))
    store.put(Parcel(depot="d", name="other", grams=993))
    deliver(store, aggregates, 2, 3)
    store.put(Parcel(depot="d", name="other", grams=973))
    deliver(store, aggregates, 3, 5)
    assert [depot.heaviest for depot in store.depots()] == [973]
    assert verify(store, settled=True) == []
