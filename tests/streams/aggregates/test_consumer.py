"""Aggregates follow the items that they are of, each change once."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from singletable import DesignError, Entity, Retries, Store, Table
from singletable.model.fields import count_of, max_of
from singletable.streams.aggregates import Aggregates, verify
from singletable.streams.aggregates.extremes import Extreme
from singletable.streams.bookkeeping import Books
from singletable.streams.consumers import DeliveryFailed
from singletable.streams.failing import PutAside, Report

from .sales import DAY, Customer, Daily, Feed, Monthly, Order, Rank, Sales, Stats, batch


def order(number: int, total: int = 10, **others: Any) -> Order:
    """Make an order of the first customer."""
    values: dict[str, Any] = {"customer_id": "c1", "order_id": str(number), **others}
    return Order(total=Decimal(total), **values)


def customer(store: Sales) -> Any:
    """Read the first customer."""
    return store.bind(Customer.get(customer_id="c1")).one()


def stats(store: Sales) -> Stats | None:
    """Read the numbers of the first customer."""
    return store.bind(Stats.get(customer_id="c1")).first()


def test_counts_and_sums_follow(store: Sales, feed: Feed, aggregates: Aggregates) -> None:
    store.create(Customer(customer_id="c1", name="Ann"))
    store.create(order(1, 5))
    store.create(order(2, 7, status="PAID"))
    feed.deliver(aggregates)
    found = customer(store)
    assert (found.orders, found.spent, found.paid, found.largest) == (2, 12, 1, 7)

    store.update(order(1, 5), status="PAID", total=Decimal("9.50"))
    store.delete(Order.key(customer_id="c1", order_id="2"))
    feed.deliver(aggregates)
    found = customer(store)
    assert (found.orders, found.spent, found.paid, found.largest) == (
        1,
        Decimal("9.50"),
        1,
        Decimal("9.50"),
    )


def test_an_item_of_key_and_defaults_is_made(
    store: Sales, feed: Feed, aggregates: Aggregates
) -> None:
    store.create(order(1, 5, seller="bob", pieces=3))
    feed.deliver(aggregates)
    assert stats(store) == Stats(customer_id="c1", orders=1, first_at=DAY)
    day: Any = store.bind(Daily.get(day=date(2026, 3, 1))).one()
    assert (day.orders, day.sold, day.largest) == (1, 5, 5)
    assert store.bind(Monthly.get(month="2026-03")).one().orders == 1


def test_a_number_in_the_key_of_an_index_moves_its_item(
    store: Sales, feed: Feed, aggregates: Aggregates
) -> None:
    for number, (seller, pieces) in enumerate([("a", 5), ("b", 7), ("c", 1), ("c", 12)]):
        store.create(order(number, seller=seller, pieces=pieces))
    feed.deliver(aggregates)
    store.delete(Order.key(customer_id="c1", order_id="1"))
    feed.deliver(aggregates)
    top = store.bind(Rank.by_sold.query().descending().limit(2)).all()
    assert [(one.seller, one.sold) for one in top] == [("c", 13), ("a", 5)]


def test_what_is_delivered_again_changes_nothing(
    store: Sales, feed: Feed, aggregates: Aggregates
) -> None:
    store.create(Customer(customer_id="c1", name="Ann"))
    for number in range(5):
        store.create(order(number))
    batches = feed.deliver(aggregates)
    for one in batches:
        aggregates.deliver(one, Report())
        Aggregates(store).deliver(one, Report())
    assert (customer(store).orders, customer(store).spent) == (5, 50)


def test_a_record_that_is_in_a_batch_twice_counts_once(
    store: Sales, feed: Feed, aggregates: Aggregates
) -> None:
    store.create(Customer(customer_id="c1", name="Ann"))
    store.create(order(1))
    store.create(order(2))
    records = [record for _, record in feed.records()]
    twice = [one for record in records for one in (record, record)]
    aggregates.deliver(batch(store, [*twice, *records]), Report())
    assert (customer(store).orders, customer(store).spent) == (2, 20)


def test_nothing_of_it_counts_as_an_edit(store: Sales, feed: Feed, aggregates: Aggregates) -> None:
    made = store.create(Customer(customer_id="c1", name="Ann"))
    store.create(order(1))
    feed.deliver(aggregates)
    found = customer(store)
    assert (found.version, found.updated_at) == (made.version, made.updated_at)
    assert store.update(made, name="Anna").orders == 1
    assert store.put(customer(store)).orders == 1


def test_orders_that_come_before_their_customer_wait(
    store: Sales, feed: Feed, aggregates: Aggregates
) -> None:
    store.create(order(1, 5))
    store.create(order(2, 6))
    feed.deliver(aggregates)
    store.create(Customer(customer_id="c1", name="Ann"))
    store.create(order(3, 7))
    feed.deliver(aggregates)
    found = customer(store)
    assert (found.orders, found.spent, found.largest) == (3, 18, 7)


def test_a_customer_who_comes_back_has_the_orders_of_before(
    store: Sales, feed: Feed, aggregates: Aggregates
) -> None:
    store.create(Customer(customer_id="c1", name="Ann"))
    store.create(order(1, 5))
    feed.deliver(aggregates)
    store.delete(Customer.key(customer_id="c1"))
    store.delete(Stats.key(customer_id="c1"))
    store.create(order(2, 6))
    feed.deliver(aggregates)
    store.create(Customer(customer_id="c1", name="Ann again"))
    feed.deliver(aggregates)
    assert (customer(store).orders, customer(store).spent) == (2, 11)
    assert stats(store) == Stats(customer_id="c1", orders=2, first_at=DAY)
    assert verify(store, settled=True) == []


def test_the_next_greatest_is_found_when_the_greatest_goes(
    store: Sales, feed: Feed, aggregates: Aggregates
) -> None:
    store.create(Customer(customer_id="c1", name="Ann"))
    for number, total in enumerate((5, 9, 7)):
        store.create(order(number, total, ordered_at=DAY + timedelta(hours=number)))
    feed.deliver(aggregates)
    assert customer(store).largest == 9
    store.delete(Order.key(customer_id="c1", order_id="1"))
    feed.deliver(aggregates)
    assert customer(store).largest == 7
    store.delete_many([Order.key(customer_id="c1", order_id=one) for one in "02"])
    feed.deliver(aggregates)
    assert customer(store).largest is None
    assert verify(store, settled=True) == []


def test_more_items_than_a_transaction_has_actions(
    store: Sales, feed: Feed, aggregates: Aggregates
) -> None:
    for number in range(120):
        store.create(Order(customer_id=f"c{number}", order_id="1", seller=f"s{number}"))
    feed.deliver(aggregates)
    assert store.bind(Stats.scan()).count() == 120
    assert verify(store, settled=True) == []


def test_a_worker_that_was_given_up_for_dead_writes_nothing(
    store: Sales, feed: Feed, aggregates: Aggregates
) -> None:
    """Both have planned from the same position; the second to write is too late."""
    store.create(Customer(customer_id="c1", name="Ann"))
    store.create(order(1))
    [first] = feed.batches()
    zombie = Aggregates(store)
    zombie._progress(first.shard)
    aggregates.deliver(first, Report())
    store.create(order(2))
    [second] = [one for one in feed.batches() if len(one.changes)]
    zombie.deliver(first, Report())
    aggregates.deliver(second, Report())
    zombie.deliver(second, Report())
    assert customer(store).orders == 2


def test_a_table_without_both_images_is_refused() -> None:
    other = Table("other", stream="NEW_IMAGE")

    class Parent(Entity, table=other, pk="P#{p}", sk="P"):
        p: str
        many: int = count_of("Child", kept_by="stream")

    class Child(Entity, table=other, pk="P#{p}", sk="C#{c}"):
        p: str
        c: str

    class Others(Store, table=other):
        """Them."""

    with pytest.raises(DesignError, match="stream='NEW_AND_OLD_IMAGES'"):
        Aggregates(Others.connect(":memory:"))


def test_a_greatest_that_cannot_be_found_anew_is_refused() -> None:
    other = Table("other", stream="NEW_AND_OLD_IMAGES")

    class Parent(Entity, table=other, pk="P#{p}", sk="P"):
        p: str
        top: int | None = max_of("Child", "size")

    class Child(Entity, table=other, pk="C#{c}", sk="C"):
        p: str
        c: str
        size: int

    class Others(Store, table=other):
        """Them."""

    with pytest.raises(DesignError, match=r"Parent.top: .* which no key of Child finds"):
        Aggregates(Others.connect(":memory:"))


def test_what_comes_while_the_next_greatest_is_looked_for_is_not_passed_by(
    store: Sales, feed: Feed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own delivery finds nothing to do, as the old value still stands there."""
    store.create(Customer(customer_id="c1", name="Ann"))
    store.create(order(1, 10))
    store.create(order(2, 7))
    feed.deliver(Aggregates(store))
    store.delete(Order.key(customer_id="c1", order_id="1"))
    records = [record for _, record in feed.records()]
    found, calls = Extreme.found, list[Any]()

    def interrupted(extreme: Extreme, *arguments: Any) -> Any:
        result = found(extreme, *arguments)
        calls.append(result)
        if len(calls) == 1:
            store.create(order(3, 9))
            Aggregates(store).deliver(batch(store, [one for _, one in feed.records()]), Report())
        return result

    monkeypatch.setattr(Extreme, "found", interrupted)
    Aggregates(store).deliver(batch(store, records), Report())
    assert calls[0] == 7
    assert customer(store).largest == 9


def test_an_item_that_holds_aggregates_alone_comes_back(
    store: Sales, feed: Feed, aggregates: Aggregates
) -> None:
    store.create(order(1, 5, status="PAID"))
    feed.deliver(aggregates)
    store.delete(Stats.key(customer_id="c1"))
    feed.deliver(aggregates)
    assert stats(store) == Stats(customer_id="c1", orders=1, smallest=Decimal(5), first_at=DAY)


def test_a_broken_item_is_put_aside_and_others_count(
    store: Sales, feed: Feed, aggregates: Aggregates
) -> None:
    store.create(Customer(customer_id="c1", name="Ann"))
    broken = {**Order.key(customer_id="c1", order_id="9").item_key, "Type": {"S": "Order"}}
    broken["total"] = {"S": "much"}
    store.send("PutItem", {"TableName": store.table_name, "Item": broken})
    store.create(order(1))
    [delivered] = feed.batches()
    with pytest.raises(DeliveryFailed, match="total"):
        aggregates.deliver(delivered, Report())
    books = Books.beside(store)
    aggregates.deliver(delivered, PutAside(books, aggregates.name, Retries(attempts=1)))
    assert customer(store).orders == 1
    assert len(books.dead_letters(aggregates.name).all()) == 1


def test_expired_items_count_no_more(feed: Feed, store: Sales, aggregates: Aggregates) -> None:
    """DynamoDB deletes them by itself, and the stream tells."""
    store.create(Customer(customer_id="c1", name="Ann"))
    store.create(order(1, 5, expires_at=datetime(2026, 3, 1, tzinfo=UTC)))
    store.create(order(2, 4))
    feed.deliver(aggregates)
    gone = Order.key(customer_id="c1", order_id="1").item_key
    store.send("DeleteItem", {"TableName": store.table_name, "Key": gone})
    records = [replace(record, expired=True) for _, record in feed.records()]
    aggregates.deliver(batch(store, records), Report())
    assert (customer(store).orders, customer(store).largest) == (1, 4)


def test_an_aggregate_of_what_there_is_not_is_refused() -> None:
    other = Table("other", stream="NEW_AND_OLD_IMAGES")

    class Parent(Entity, table=other, pk="P#{p}", sk="P"):
        p: str
        many: int = count_of("Chidl", kept_by="stream")

    class Others(Store, table=other):
        """Them."""

    with pytest.raises(DesignError, match=r"Parent.many counts Chidl, and .* has no Chidl"):
        Aggregates(Others.connect(":memory:"))
