"""A recount of the table finds what drifted, and mends it."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from singletable import Entity, Store, Table, count_of
from singletable.model.fields import sum_of
from singletable.streams.aggregates import Aggregates, Drift, rebuild, repair, verify

from .sales import DAY, Customer, Daily, Feed, Order, Rank, Sales, Stats


@pytest.fixture(autouse=True)
def orders(store: Sales, feed: Feed, aggregates: Aggregates) -> None:
    """Three orders of one customer, counted."""
    store.create(Customer(customer_id="c1", name="Ann"))
    for number in range(3):
        made = Order(customer_id="c1", order_id=str(number), seller="s", total=Decimal(number))
        store.create(made)
    feed.deliver(aggregates)


def drift(store: Sales, key: Any, **attributes: Any) -> None:
    """Change attributes behind everybody's back."""
    names = {f"#{name}": name for name in attributes}
    values = {f":{name}": value for name, value in attributes.items()}
    clauses = ", ".join(f"#{name} = :{name}" for name in attributes)
    request = {
        "TableName": store.table_name,
        "Key": key.item_key,
        "UpdateExpression": f"SET {clauses}",
        "ExpressionAttributeNames": names,
        "ExpressionAttributeValues": values,
    }
    store.send("UpdateItem", request)


def test_what_is_right_is_no_drift(store: Sales) -> None:
    assert verify(store, settled=True) == []


def test_a_drift_is_found_and_mended(store: Sales, feed: Feed, aggregates: Aggregates) -> None:
    key = Customer.key(customer_id="c1")
    drift(store, key, orders={"N": "7"}, largest={"N": "99"})
    found = verify(store, wait_s=0)
    assert found == [Drift(key, "orders", 7, 3), Drift(key, "largest", 99, 2)]
    assert str(found[0]) == "Customer.key(customer_id='c1'): orders is 7, and should be 3"
    assert repair(store, wait_s=0) == found
    assert verify(store, settled=True) == []
    feed.deliver(aggregates)
    assert store.bind(Customer.get(customer_id="c1")).one().orders == 3


def test_the_keys_of_indexes_are_mended_too(store: Sales) -> None:
    drift(store, Rank.key(seller="s"), sold={"N": "7"})
    repair(store, settled=True)
    [found] = store.bind(Rank.by_sold.query()).all()
    assert found.sold == 3
    items = [
        item
        for request in store.bind(Rank.by_sold.query()).requests()
        for item in store.send("Query", request)["Items"]
    ]
    assert [item["GSI2SK"]["S"] for item in items] == ["0000000003#s"]


def test_what_moves_on_is_no_drift(store: Sales, monkeypatch: pytest.MonkeyPatch) -> None:
    """The stream was behind at the first look, and is not at the second."""
    key = Customer.key(customer_id="c1")
    drift(store, key, orders={"N": "2"})
    waited: list[float] = []

    def wait(seconds: float) -> None:
        waited.append(seconds)
        drift(store, key, orders={"N": "3"})

    monkeypatch.setattr("time.sleep", wait)
    assert verify(store, wait_s=7) == []
    assert waited == [7]


def test_nothing_is_mended_that_changed_since(
    store: Sales, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = Customer.key(customer_id="c1")
    drift(store, key, orders={"N": "7"})
    seen = verify(store, settled=True)
    drift(store, key, orders={"N": "8"})
    monkeypatch.setattr("singletable.streams.aggregates.verifying.verify", lambda *_, **__: seen)
    assert repair(store) == []
    assert store.bind(Customer.get(customer_id="c1")).one().orders == 8


def test_a_table_that_had_items_before_is_built_up(store: Sales) -> None:
    """Items that hold aggregates alone are made."""
    for key in (Stats.key(customer_id="c1"), Daily.key(day=date(2026, 3, 1))):
        store.delete(key)
    seen: list[int] = []
    mended = rebuild(store, progress=seen.append)
    assert {(one.key.schema.name, one.stored) for one in mended} == {
        ("Stats", None),
        ("Daily", None),
    }
    assert store.bind(Stats.get(customer_id="c1")).one() == Stats(
        customer_id="c1", orders=3, first_at=DAY
    )
    assert verify(store, settled=True) == []
    assert seen[-1] == store.send("Scan", {"TableName": store.table_name})["Count"] - 2


def test_what_was_waiting_is_not_added_to_what_was_rebuilt(
    store: Sales, feed: Feed, aggregates: Aggregates
) -> None:
    store.create(Order(customer_id="c2", order_id="1"))
    feed.deliver(aggregates)
    store.create(Customer(customer_id="c2", name="Bob"))
    feed.deliver(aggregates)
    assert store.bind(Customer.get(customer_id="c2")).one().orders == 1
    assert verify(store, settled=True) == []


def test_counts_that_writes_keep_are_verified_too() -> None:
    table = Table("kept")

    class Team(Entity, table=table, pk="TEAM#{team}", sk="TEAM"):
        team: str
        members: int = count_of("Member")
        points: int = sum_of("Member", "score")

    class Member(Entity, table=table, pk="TEAM#{team}", sk="MEMBER#{name}"):
        team: str
        name: str
        score: int = 0

    class Teams(Store, table=table):
        """Teams."""

    with Teams.connect(":memory:") as store:
        store.create(Team(team="a"))
        store.create(Member(team="a", name="x", score=3))
        store.create(Member(team="a", name="y", score=4))
        assert verify(store, settled=True) == []
        gone = Member.key(team="a", name="x").item_key
        store.send("DeleteItem", {"TableName": store.table_name, "Key": gone})
        key = Team.key(team="a")
        assert repair(store, settled=True) == [
            Drift(key, "members", 2, 1),
            Drift(key, "points", 7, 4),
        ]
        assert store.bind(Team.get(team="a")).one() == Team(team="a", members=1, points=4)
