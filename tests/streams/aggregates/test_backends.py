"""Aggregates and copies over the wire, on AWS's own DynamoDB Local too."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator
from contextlib import ExitStack
from decimal import Decimal
from typing import Any

import pytest

from singletable import Engine
from singletable.backends import Backend
from singletable.backends.address import connect
from singletable.server import running
from singletable.streams.aggregates import Aggregates, verify

from .sales import Customer, Feed, Order, Rank, Sales, Stats

WAIT_S = 50.0


@pytest.fixture(params=["http", "local"])
def backend(request: pytest.FixtureRequest) -> Iterator[Backend]:
    """Give a backend behind a network."""
    with ExitStack() as stack:
        if request.param == "http":
            made = connect(stack.enter_context(running(stack.enter_context(Engine()))))
        else:
            nobody = (uuid.uuid4().hex[:16], "secret")
            made = connect(request.getfixturevalue("dynamodb_local"), credentials=nobody)
        stack.callback(made.close)
        yield made


def test_aggregates_follow_over_the_wire(backend: Backend) -> None:
    store = Sales.connect(backend, create=True)
    aggregates, feed = Aggregates(store, create=True), Feed(store)
    store.create(Customer(customer_id="c1", name="Ann"))
    for number, total in enumerate((5, 9, 7)):
        made = Order(
            customer_id="c1", order_id=str(number), seller="s", total=Decimal(total), pieces=total
        )
        store.create(made)
    _deliver_until(feed, aggregates, lambda: _orders(store) == 3)
    store.delete(Order.key(customer_id="c1", order_id="1"))
    store.delete(Stats.key(customer_id="c1"))
    _deliver_until(feed, aggregates, lambda: verify(store, settled=True) == [])
    found: Any = store.bind(Customer.get(customer_id="c1").strong()).one()
    assert (found.orders, found.spent, found.largest) == (2, 12, 7)
    assert [one.sold for one in store.bind(Rank.by_sold.query())] == [12]


def _orders(store: Sales) -> int:
    return store.bind(Customer.get(customer_id="c1").strong()).one().orders


def _deliver_until(feed: Feed, aggregates: Aggregates, is_done: Any) -> None:
    end = time.monotonic() + WAIT_S
    while not is_done():
        assert time.monotonic() < end, "the stream did not tell in time"
        if not feed.deliver(aggregates):
            time.sleep(0.1)
