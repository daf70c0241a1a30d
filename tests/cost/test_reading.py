"""What a read is estimated to cost is what the engine charges for it, to the unit."""

from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from typing import Any

import pytest

from singletable import Entity
from singletable.cost.figures import Figures
from singletable.cost.measuring import sizes_of
from singletable.cost.reading import ReadCost, read_cost
from singletable.cost.specimens import Sizes
from singletable.cost.traffic import Traffic
from tests.cost.designs import Banner, Customer, Line, Order, Shop
from tests.cost.metering import Metered, metered

NOTE = "n" * 1500
DAY = datetime(2026, 5, 4, tzinfo=UTC)


def _order(number: int) -> Order:
    return Order(
        customer_id="c1",
        order_id=f"o{number:02}",
        status="SENT",
        total=10,
        note=NOTE,
        placed_at=DAY,
        updated_at=DAY,
    )


def _customer(number: int) -> Customer:
    return Customer(customer_id=f"c{number}", email=f"{number}@example.com", name="x" * 5000)


ORDERS: list[Entity] = [_order(number) for number in range(12)]
LINES: list[Entity] = [
    Line(customer_id="c1", order_id="o03", line=f"l{n}", text="t" * 700) for n in range(5)
]
CUSTOMERS: list[Entity] = [_customer(number) for number in range(4)]
BANNERS: list[Entity] = [Banner(name="b1", text="x" * 9000)]


@pytest.fixture(scope="module")
def shop() -> Iterator[Metered]:
    """A shop whose orders are all alike."""
    with metered(Shop) as meter:
        for entity in (*ORDERS, *LINES, *CUSTOMERS, *BANNERS):
            values = {**entity.__dict__, "copy": 0}
            for copy in range(entity.__schema__.copies or 1):
                meter.write(entity.__schema__.items.write({**values, "copy": copy}))
        yield meter


def _sizes() -> dict[str, Sizes]:
    return {
        entity.__schema__.name: sizes_of(
            Shop.table, [entity.__schema__.items.write({**entity.__dict__, "copy": 0})]
        )
        for entity in (ORDERS[0], LINES[0], CUSTOMERS[0], BANNERS[0])
    }


def _cost(name: str, items: Any = None) -> ReadCost:
    told = {"patterns": {name: {"items": items}}} if items is not None else {}
    figures = Figures(Shop, Traffic.of(told), sizes=_sizes())
    [traced] = [one for one in figures.traces if one.pattern.name == name]
    return read_cost(traced, figures)


Calls = Callable[[Any], object]


@pytest.mark.parametrize(
    ("name", "items", "call"),
    [
        ("customer", None, lambda s: s.customer("c1").first()),
        ("customer_now", None, lambda s: s.customer_now("c1").first()),
        ("customers", 4, lambda s: s.customers([f"c{n}" for n in range(4)]).all()),
        ("at_once", 4, lambda s: s.at_once([f"c{n}" for n in range(4)]).all()),
        ("order_top", {"Order": 1, "Line": 2}, lambda s: s.order_top("c1", "o03").one()),
        ("order_top", None, lambda s: s.order_top("c1", "o03").one()),
        ("dearest", None, lambda s: s.dearest("c1").all()),
        ("order", {"Order": 1, "Line": 5}, lambda s: s.order("c1", "o03").one()),
        ("orders", {"Order": 12, "Line": 5}, lambda s: s.orders("c1").page()),
        ("noted", {"Order": 12, "Line": 5}, lambda s: s.noted("c1", "nothing").page()),
        (
            "placed",
            12,
            lambda s: s.placed(date(2026, 5, 1), date(2026, 5, 30)).page(),
        ),
        ("totals", 12, lambda s: s.totals("c1", 1).page()),
        ("changed", 12, lambda s: s.changed("c1", DAY).page()),
        (
            "everything",
            {"Order": 12, "Line": 5, "Customer": 4, "Banner": 3},
            lambda s: s.everything().page(),
        ),
        ("dear", 12, lambda s: s.dear("c1", 1, 5).page()),
        ("banner", None, lambda s: s.banner("b1").first()),
    ],
)
def test_a_read_costs_what_the_engine_charges(
    name: str, items: Any, call: Calls, shop: Metered
) -> None:
    charged, _ = shop.units(call)
    estimated = _cost(name, items)
    assert (estimated.units, estimated.requests) == (charged, len(shop.events))


def test_a_missing_item_costs_half_a_unit(shop: Metered) -> None:
    assert shop.units(lambda s: s.customer("nobody").first()) == (0.5, 0)


def test_shards_are_read_side_by_side_and_each_is_rounded(shop: Metered) -> None:
    """The engine spreads 12 orders unevenly: rounding makes up for at most half a unit a shard."""
    charged, _ = shop.units(lambda s: s.sent().page())
    estimated = _cost("sent", 12)
    assert estimated.requests == len(shop.events) == 4
    assert abs(estimated.units - charged) <= 0.5 * 4


def test_a_page_of_shards_reads_as_many_items_of_each() -> None:
    assert _cost("sent").total_items == 4 * 20


def test_items_that_lie_among_the_wanted_are_counted() -> None:
    """A page of orders has lines in it: half of what is read is not wanted."""
    cost = _cost("orders")
    assert cost.foreign == ("Line",)
    assert cost.items == {"Order": 10, "Line": 10}


def test_a_strong_read_costs_twice() -> None:
    assert _cost("customer_now").units == 2 * _cost("customer").units


def test_a_snapshot_costs_twice_a_strong_read_in_one_request() -> None:
    cost = _cost("at_once", 100)
    assert (cost.requests, cost.units) == (1, 2 * 100 * _cost("customer_now").units)
    assert cost.consistent


def test_a_limit_bounds_what_a_collection_or_a_query_reads() -> None:
    assert _cost("order_top").items == {"Order": 1, "Line": 2}
    assert _cost("dearest").items == {"Order": 5}


def test_keys_are_cheaper_to_read_than_items() -> None:
    cost = _cost("totals", 12)
    assert cost.item_bytes["Order"] < 200
    assert cost.units == 0.5


def test_a_collection_has_one_root_and_some_of_the_rest() -> None:
    assert _cost("order").items == {"Order": 1, "Line": 10}


def test_what_is_more_than_1_mb_takes_several_requests() -> None:
    assert _cost("changed", 1000).requests == 1
    large = _cost("order", {"Order": 1, "Line": 3000})
    assert large.requests == 3
    assert large.units == pytest.approx(large.total_bytes / 8192, rel=0.01)


def test_a_batch_of_more_than_100_keys_takes_several_requests() -> None:
    cost = _cost("customers", 250)
    assert (cost.requests, cost.units) == (3, 250 * 1.0)
