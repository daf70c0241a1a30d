"""Whatever is written, and however it is delivered, aggregates are what a recount gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from singletable.streams.aggregates import Aggregates, verify
from singletable.streams.failing import Report
from singletable.streams.records import Record

from .sales import DAY, Customer, Daily, Feed, Order, Rank, Sales, Stats, batch

CUSTOMERS, ORDERS, SELLERS = "12", "abc", "xy"

ORDER = st.builds(
    lambda customer, number, seller, total, paid, hours: Order(
        customer_id=customer,
        order_id=number,
        seller=seller,
        total=total,
        pieces=int(total),
        status="PAID" if paid else "NEW",
        ordered_at=DAY + timedelta(hours=hours),
    ),
    st.sampled_from(CUSTOMERS),
    st.sampled_from(ORDERS),
    st.sampled_from([None, *SELLERS]),
    st.decimals(0, 50, places=1),
    st.booleans(),
    st.sampled_from([0, 1, 24]),
)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("put"), ORDER),
        st.tuples(st.just("put"), ORDER),
        st.tuples(st.just("delete"), ORDER),
        st.tuples(st.just("customer"), st.sampled_from(CUSTOMERS)),
        st.tuples(st.just("gone"), st.sampled_from(CUSTOMERS)),
        st.tuples(st.just("deliver"), st.none()),
    ),
    max_size=40,
)


def act(store: Sales, kind: str, content: Any) -> None:
    """Do one step."""
    match kind:
        case "put":
            store.put(content)
        case "delete":
            store.delete(Order.key(customer_id=content.customer_id, order_id=content.order_id))
        case "customer":
            store.put(Customer(customer_id=content, name="A", version=_version(store, content)))
        case "gone":
            store.delete(Customer.key(customer_id=content))
            store.delete(Stats.key(customer_id=content))


def _version(store: Sales, customer_id: str) -> int:
    found = store.bind(Customer.get(customer_id=customer_id)).first()
    return found.version if found else 0


def shuffled(records: Sequence[Record], random: Random) -> list[Record]:
    """Give records in another order, those of one item in theirs."""
    items: dict[str, list[Record]] = {}
    for record in records:
        items.setdefault(str(record.keys), []).append(record)
    mixed: list[Record] = []
    while items:
        name = random.choice(list(items))
        mixed.append(items[name].pop(0))
        if not items[name]:
            del items[name]
    return mixed


def cut(records: Sequence[Record], random: Random) -> list[list[Record]]:
    """Cut records into batches."""
    parts: list[list[Record]] = []
    rest = list(records)
    while rest:
        size = random.randint(1, 5)
        parts.append(rest[:size])
        rest = rest[size:]
    return parts


@settings(max_examples=60, deadline=None)
@given(STEPS, st.randoms(use_true_random=False))
def test_every_record_twice_and_out_of_order_across_items(
    steps: list[tuple[str, Any]], random: Random
) -> None:
    with Sales.connect(":memory:") as store:
        feed, delivered, waiting = Feed(store), list[list[Record]](), list[Record]()

        def deliver(share: float = 1.0) -> int:
            """Deliver some of what there is; the table is ahead of the stream then."""
            waiting.extend(_perhaps_expired(record, random) for _, record in feed.records())
            waiting[:] = shuffled(waiting, random)
            count = round(len(waiting) * share)
            for part in cut(waiting[:count], random):
                Aggregates(store).deliver(batch(store, part), Report())
                Aggregates(store).deliver(batch(store, part[: random.randint(1, 5)]), Report())
                delivered.append(part)
            del waiting[:count]
            return count

        for kind, content in steps:
            act(store, kind, content)
            if kind == "deliver":
                deliver(random.random())
        while deliver():
            pass
        for part in delivered:
            Aggregates(store).deliver(batch(store, part), Report())
        assert verify(store, settled=True) == []
        _check_ranks(store)


@settings(max_examples=40, deadline=None)
@given(STEPS, st.randoms(use_true_random=False))
def test_shard_by_shard_with_positions(steps: list[tuple[str, Any]], random: Random) -> None:
    """Two consumers of one name get everything, cut differently, and neither knows of the other."""
    with Sales.connect(":memory:") as store:
        feed, several = Feed(store), (Aggregates(store), Aggregates(store))
        waiting: dict[str, list[Record]] = {}

        def deliver(share: float = 1.0) -> int:
            for shard, record in feed.records():
                waiting.setdefault(shard, []).append(record)
            total = 0
            for shard, records in waiting.items():
                count = round(len(records) * share)
                total += count
                for one in several:
                    for part in cut(records[:count], random):
                        one.deliver(batch(store, part, shard), Report())
                del records[:count]
            return total

        for kind, content in steps:
            act(store, kind, content)
            if kind == "deliver":
                deliver(random.random())
        while deliver():
            pass
        assert verify(store, settled=True) == []
        _check_ranks(store)


def _perhaps_expired(record: Record, random: Random) -> Record:
    is_order = record.keys["SK"]["S"].startswith("ORDER")
    expired = record.event == "REMOVE" and is_order and random.random() < 0.5
    return replace(record, expired=expired)


def _check_ranks(store: Sales) -> None:
    """The index is as the items are."""
    ranks = {one.seller: one.sold for one in store.bind(Rank.scan())}
    indexed = [(one.sold, one.seller) for one in store.bind(Rank.by_sold.query().descending())]
    assert indexed == sorted(((sold, seller) for seller, sold in ranks.items()), reverse=True)
    days = {one.day: one for one in store.bind(Daily.scan())}
    assert sum(one.orders for one in days.values()) == store.bind(Order.scan()).count()
    total = sum((one.total for one in store.bind(Order.scan())), Decimal())
    assert sum((one.sold for one in days.values()), Decimal()) == total
