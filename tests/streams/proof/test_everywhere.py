"""A worker does the same on every backend: in this process, over HTTP, on DynamoDB Local."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Any

import boto3
import pytest

from singletable import Engine, Transaction, add
from singletable.backends import Backend
from singletable.backends.address import as_backend, connect
from singletable.backends.client import ClientBackend
from singletable.server import running
from singletable.streams import (
    Change,
    Handlers,
    Worker,
    follow,
    handler,
    lag,
)
from tests.streams.design import Basket, Customer, Order, Shop

TABLES = count(1)
LEASE_S = 0.3


@dataclass(frozen=True)
class Place:
    """A backend, and the engine behind it where that is one."""

    backend: Backend
    engine: Engine | None = None


@pytest.fixture(scope="module", params=["memory", "file", "boto3", "http", "local"])
def place(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Place]:
    """Give a backend of each kind."""
    with ExitStack() as stack:
        if request.param == "local":
            nobody = (uuid.uuid4().hex[:16], "secret")  # whose tables are nobody else's
            url = request.getfixturevalue("dynamodb_local")
            place = Place(connect(url, credentials=nobody))
        else:
            path = tmp_path_factory.mktemp("streams") / "db" if request.param == "file" else None
            engine = stack.enter_context(Engine(path, ttl_interval=None))
            address: dict[str, Callable[[], Any]] = {
                "boto3": lambda: _clients(stack.enter_context(running(engine))),
                "http": lambda: stack.enter_context(running(engine)),
            }
            place = Place(as_backend(address.get(request.param, lambda: engine)()), engine)
        stack.callback(place.backend.close)
        yield place


def _clients(url: str) -> Backend:
    make = partial(
        boto3.client,
        endpoint_url=url,
        region_name="eu-west-1",
        aws_access_key_id="nobody",
        aws_secret_access_key="secret",
    )
    return ClientBackend(make("dynamodb"), streams=make("dynamodbstreams"))


@pytest.fixture
def store(place: Place) -> Shop:
    """Give a shop with a table of its own."""
    return Shop.connect(place.backend, table_name=f"shop-{next(TABLES)}", create=True)


class Noting(Handlers[Shop]):
    """Notes what it is called for; counts orders, once each."""

    def __init__(self, store: Shop) -> None:
        super().__init__(store)
        self.noted: list[str] = []

    @handler
    def note(self, change: Change[Order | Basket]) -> None:
        """Note the kind of a change and its item."""
        self.noted.append(f"{change.verb} {' '.join(map(str, change.key.fields.values()))}")

    @handler
    def count(self, change: Change[Order], once: Transaction) -> None:
        """Count a change of an order."""
        key = Customer.key(customer_id=change.key.fields["customer_id"])
        once.upsert(key, spent=add(1), full_name="")


def work(store: Shop, noting: Noting, name: str = "worker") -> list[str]:
    """Do all that there is to do; give what was noted meanwhile."""
    before = len(noting.noted)
    Worker(store, noting, name=name, create=True, poll_s=0.02, lease_s=LEASE_S).drain()
    return noting.noted[before:]


def order(number: int, total: int = 0) -> Order:
    """Make an order."""
    return Order(customer_id="c", order_id=f"o{number}", total=total)


def spent(store: Shop) -> int:
    """Tell what was counted."""
    return store.bind(Customer.get(customer_id="c")).one().spent


def test_changes_come_in_order_and_once(store: Shop) -> None:
    store.create(order(1))
    store.update(order(1), total=5)
    store.put_many([order(2), order(3)])
    noting = Noting(store)
    first = work(store, noting)
    assert first[:2] == ["created c o1", "modified c o1"]
    assert sorted(first[2:]) == ["created c o2", "created c o3"]
    store.delete(order(1))
    store.create(order(1))
    assert work(store, noting) == ["deleted c o1", "created c o1"]
    assert work(store, noting) == []
    assert spent(store) == 6


def test_another_group_gets_everything_and_does_nothing_twice(store: Shop) -> None:
    store.put_many(order(number) for number in range(30))
    noting = Noting(store)
    assert sorted(work(store, noting)) == sorted(work(store, noting, "another"))
    assert spent(store) == 30


def test_what_a_dead_worker_has_not_noted_comes_again(store: Shop) -> None:
    store.create(order(1))
    noting = Noting(store)
    dead = Worker(store, noting, create=True, lease_s=LEASE_S)
    dead._leases.beat()
    dead._turn(_raise)
    dead._readings.clear()  # so far it came
    store.create(order(2))
    assert work(store, noting) == ["created c o2"]
    assert noting.noted == ["created c o1", "created c o2"]


def test_the_lag_is_told(store: Shop) -> None:
    noting = Noting(store)
    work(store, noting)
    store.create(order(1))
    assert [one.behind is not None for one in lag(store)] == [True]
    work(store, noting)
    assert [one.behind for one in lag(store)] == [None]


def test_a_stream_folds_to_its_table(store: Shop) -> None:
    store.put_many(order(number) for number in range(40))
    store.update(order(7), total=7)
    store.delete(order(8))
    work(store, Noting(store))
    folded: dict[str, Any] = {}
    for _, records in follow(store):
        for record in records:
            folded[record.keys["SK"]["S"]] = record.new
    items = store.send("Scan", {"TableName": store.table_name})["Items"]
    present = {item["SK"]["S"]: item for item in items}
    assert {name: item for name, item in folded.items() if item} == present


def test_what_the_service_deletes_is_told_apart(place: Place, store: Shop) -> None:
    """Except on DynamoDB Local, which deletes what has expired when it likes to."""
    store.put(Basket(basket_id="left"))
    store.delete(Basket(basket_id="left"))
    expected = ["deleted left"]
    if place.engine is not None:
        over = Basket(basket_id="over")
        over.expires_at = over.expires_at and over.expires_at.replace(year=over.expires_at.year - 1)
        store.put(over)
        assert place.engine.expire() == 1
        expected.append("expired over")
    noted = [line for line in work(store, Noting(store)) if not line.startswith("created")]
    assert sorted(noted) == expected


def test_what_another_program_keeps_in_the_place_of_an_entity_is_no_change(store: Shop) -> None:
    key = {"PK": {"S": "BASKET#b"}, "SK": {"S": "BASKET"}}
    place = {"TableName": store.table_name}
    store.send("PutItem", {**place, "Item": {**key, "Type": {"S": "Stranger"}}})
    store.send("DeleteItem", {**place, "Key": key})
    assert work(store, Noting(store)) == []


def _raise(_: object, error: Exception) -> None:
    raise error
