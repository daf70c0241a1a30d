"""After the copy, counts, extremes and sequences are as the items say."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from unittest.mock import MagicMock

import pytest

from singletable import Entity, Store, Table, count_of, created, sequence, sum_of
from singletable.migrate import settling, spilling
from singletable.migrate.settling import settle, settle_segment
from singletable.migrate.turns import Turn
from singletable.streams.aggregates import verify

table = Table("shop")


class Shop(Entity, table=table, pk="SHOP#{shop}", sk="SHOP"):
    shop: str
    orders: int = count_of("Order")
    created_at: datetime = created()


class Order(Entity, table=table, pk="SHOP#{shop}", sk="ORDER#{number:08d}"):
    shop: str
    number: int = sequence("SHOP#{shop}")


class Shops(Store, table=table):
    """Every access pattern."""


chains = Table("chains")


class Chain(Entity, table=chains, pk="CHAIN#{chain}", sk="CHAIN"):
    chain: str
    tills: int = sum_of("Branch", "tills", kept_by="stream")


class Branch(Entity, table=chains, pk="CHAIN#{chain}", sk="BRANCH#{branch}"):
    chain: str
    branch: str
    tills: int = count_of("Till")


class Till(Entity, table=chains, pk="CHAIN#{chain}", sk="TILL#{branch}#{till}"):
    chain: str
    branch: str
    till: str


class Chains(Store, table=chains):
    """Every access pattern."""


@pytest.fixture
def chain() -> Iterator[Chains]:
    with Chains.connect(":memory:") as opened:
        yield opened


@pytest.fixture
def store() -> Iterator[Shops]:
    with Shops.connect(":memory:") as opened:
        yield opened


def fill(store: Shops, shops: int, orders: int) -> None:
    """Write items past the store, as a copy does."""
    made: list[Entity] = [Shop(shop=f"s{number}") for number in range(shops)]
    made += [
        Order(shop=f"s{number}", number=order + 1)
        for number in range(shops)
        for order in range(orders)
    ]
    for entity in made:
        item = entity.__schema__.items.write(entity.__dict__)
        store.backend.call("PutItem", {"TableName": store.table_name, "Item": item})


def test_counts_are_set_and_numbers_go_on_after_the_last(
    store: Shops, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spilling, "IN_MEMORY", 3)
    monkeypatch.setattr(settling, "AT_ONCE", 4)
    fill(store, shops=11, orders=3)
    assert len(verify(store, settled=True)) == 11
    settle(store)
    assert verify(store, settled=True) == []
    assert {shop.orders for shop in store.bind(Shop.scan())} == {3}
    assert store.create(Order(shop="s7")).number == 4


def test_a_sum_of_counts_is_right_when_they_are(chain: Chains) -> None:
    """Though they were all wrong when it was added up."""
    copied: list[Entity] = [
        Chain(chain="c1"),
        *(Branch(chain="c1", branch=f"b{number}") for number in range(2)),
        *(Till(chain="c1", branch=f"b{number % 2}", till=f"t{number}") for number in range(5)),
    ]
    for entity in copied:
        item = entity.__schema__.items.write(entity.__dict__)
        chain.backend.call("PutItem", {"TableName": chain.table_name, "Item": item})
    assert not settle_segment(chain, 0, 1)
    settle(chain)

    assert chain.bind(Chain.get(chain="c1")).one().tills == 5
    assert verify(chain, settled=True) == []


def test_segments_are_settled_each_by_itself_where_a_partition_has_all(store: Shops) -> None:
    fill(store, shops=11, orders=3)
    assert all(settle_segment(store, number, 3) for number in range(3))
    assert verify(store, settled=True) == []
    assert store.create(Order(shop="s7")).number == 4


def test_a_segment_is_left_where_something_counts_for_an_item_elsewhere(store: Shops) -> None:
    fill(store, shops=2, orders=1)
    store.backend.call(
        "DeleteItem", {"TableName": "shop", "Key": {"PK": {"S": "SHOP#s1"}, "SK": {"S": "SHOP"}}}
    )
    assert not settle_segment(store, 0, 1)
    assert {shop.orders for shop in store.bind(Shop.scan())} == {0}


def test_what_is_right_already_is_not_written(store: Shops) -> None:
    fill(store, shops=2, orders=1)
    settle(store)
    requests: list[str] = []
    real = store.backend.call

    def call(operation: str, request: dict[str, object]) -> dict[str, object]:
        requests.append(operation)
        return real(operation, request)

    store.backend.call = call  # type: ignore[method-assign] # to see what is asked
    settle(store)
    assert "UpdateItem" not in requests


def test_a_mapping_that_spills_is_a_mapping(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spilling, "IN_MEMORY", 2)
    scratch = spilling.Scratch()
    spilled, plain = scratch.mapping(), {}
    for number in (3, 1, 2, 3, 5, 1, 4):
        spilled[("a", str(number))] = plain["a", str(number)] = (Shop.__schema__, number)
    del spilled["a", "5"], plain["a", "5"]
    assert dict(spilled) == plain
    assert len(spilled) == 4
    assert ("a", "9") not in spilled
    assert spilled.get(("a", "3")) == (Shop.__schema__, 3)
    assert list(islice(spilled, 1)) == [("a", "1")]
    scratch.close()


def test_processes_write_segments_in_turns(store: Shops) -> None:
    """One that finds a file locked by another would sleep, and look again."""
    fill(store, shops=3, orders=2)
    turn = MagicMock(spec=Turn)
    assert settle_segment(store, 0, 1, turn)
    assert turn.__enter__.called
    assert verify(store, settled=True) == []
