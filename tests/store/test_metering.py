"""On an engine with a meter, a store says which access pattern a request is for."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from singletable import Engine, Entity, Index, Meter, Query, Store, Table, pattern
from singletable.errors import TableMissing
from singletable.store.context import Context

table = Table("shop", indexes=["GSI1"])


class Order(Entity, table=table, pk="CUSTOMER#{customer}", sk="ORDER#{number:03d}"):
    by_status = Index("GSI1", pk="STATUS#{status}#{number:shard 2}", sk="{number:03d}")

    customer: str
    number: int
    status: str = "OPEN"


class Shop(Store, table=table):
    @pattern(page=2)
    def orders(self, customer: str) -> Query[Order]:
        """The orders of a customer."""
        return Order.query(customer=customer)

    @pattern(page=2)
    def with_status(self, status: str) -> Query[Order]:
        """The orders with a status."""
        return Order.by_status.query(status=status)


@pytest.fixture
def meter() -> Meter:
    return Meter()


@pytest.fixture(params=[":memory:", "shop.db"])
def shop(request: pytest.FixtureRequest, tmp_path: Path, meter: Meter) -> Iterator[Shop]:
    """Give a store on an engine with a meter, in memory and in a file."""
    path = None if request.param == ":memory:" else tmp_path / request.param
    with Engine(path, durable=False, ttl_interval=None) as engine:
        shop = Shop.connect(engine.metered(meter))
        shop.put_many(Order(customer="ann", number=number) for number in range(5))
        yield shop


def requests_for(meter: Meter) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for heat in meter.hottest():
        for purpose in heat.purposes:
            found.setdefault(purpose, set()).add(str(heat.key))
    return found


def test_reads_are_told_by_pattern(shop: Shop, meter: Meter) -> None:
    assert len(shop.orders("ann").all()) == 5
    shop.with_status("OPEN").page()
    [first, second] = sorted(requests_for(meter)["with_status"])
    assert requests_for(meter) == {
        "orders": {"CUSTOMER#ann"},
        "with_status": {first, second},
        "BatchWriteItem": {"CUSTOMER#ann", first, second},
    }


def test_tasks_side_by_side_have_their_own_patterns(shop: Shop, meter: Meter) -> None:
    async def read() -> None:
        pages = (shop.orders("ann").apage(), shop.with_status("OPEN").apage())
        await asyncio.gather(*pages, shop.aput(Order(customer="bob", number=1)))

    asyncio.run(read())
    found = requests_for(meter)
    assert found["orders"] == {"CUSTOMER#ann"}
    assert len(found["with_status"]) == 2
    assert "CUSTOMER#bob" in found["PutItem"]


def test_what_is_no_pattern_is_for_what_the_caller_says(shop: Shop, meter: Meter) -> None:
    with meter.purpose("checkout"):
        shop.put(Order(customer="bob", number=1))
        shop.orders("bob").page()
    shop.put(Order(customer="cid", number=1))
    found = requests_for(meter)
    assert len(found["checkout"]) == 2
    assert "CUSTOMER#bob" in found["checkout"]
    assert found["orders"] == {"CUSTOMER#bob"}


def test_a_request_that_fails_leaves_no_pattern_behind(shop: Shop, meter: Meter) -> None:
    shop.backend.call("DeleteTable", {"TableName": "shop"})
    with pytest.raises(TableMissing):
        shop.orders("ann").page()
    shop.create_table()
    shop.put(Order(customer="bob", number=1))
    assert "orders" not in requests_for(meter)


def test_a_confined_store_says_its_patterns_too(shop: Shop, meter: Meter) -> None:
    shop.confined(customer="ann").orders("ann").page()
    assert requests_for(meter)["orders"] == {"CUSTOMER#ann"}


def test_without_a_meter_nothing_is_said() -> None:
    shop = Shop.connect(":memory:")
    assert type(shop.context) is Context
