"""A sample measures the items of a table and meters every pattern on it, and writes nothing."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from singletable import Engine, UsageError
from singletable.cost import measuring
from singletable.cost.arguments import found_arguments, load_arguments
from singletable.cost.estimating import estimate
from singletable.cost.figures import Figures
from singletable.cost.measuring import Measurement, measure
from singletable.cost.prices import Prices
from singletable.cost.rehearsing import rehearse
from singletable.cost.traffic import Traffic
from singletable.store.tracing import trace
from singletable.values import item_size
from tests.cost.designs import Banner, Customer, Faulty, Line, Order, Shop

DAY = datetime(2026, 5, 4, tzinfo=UTC)


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    """An engine with a shop: two customers, eight orders, two lines, a banner."""
    with Engine() as engine:
        store = Shop.connect(engine)
        for number in range(2):
            email = f"{number}@example.com"
            store.create(Customer(customer_id=f"c{number}", email=email, name="x" * 5000))
        for number in range(8):
            order = f"o{number}"
            note = "n" * 1000
            store.create(Order(customer_id="c1", order_id=order, status="SENT", note=note))
        for number in range(2):
            store.put(Line(customer_id="c1", order_id="o1", line=f"l{number}"))
        store.put(Banner(name="b", text="hello"))
        yield engine


@pytest.fixture(scope="module")
def measured(engine: Engine) -> Measurement:
    """What a sample of that shop finds."""
    return measure(Shop, engine)


def test_items_are_counted_and_weighed_by_entity(measured: Measurement, engine: Engine) -> None:
    assert dict(measured.items) == {"Customer": 2, "Order": 8, "Line": 2, "Banner": 3}
    items = engine.scan(TableName="shop")["Items"]
    lines = [item_size(item) for item in items if item["Type"]["S"] == "Line"]
    assert measured.sizes["Line"].item == sum(lines) / len(lines)
    assert measured.sizes["Order"].entries["KEYS"] < measured.sizes["Order"].item


def test_what_belongs_to_no_entity_is_counted_apart(measured: Measurement) -> None:
    """Two guards of unique emails."""
    assert measured.strangers == 2


def test_every_pattern_is_metered(measured: Measurement) -> None:
    assert set(measured.runs) == set(Shop.patterns)
    assert {name: run.fault for name, run in measured.runs.items() if run.fault} == {}
    assert measured.runs["customer"].units == 1.0  # more than 4 KB
    assert measured.runs["customer_now"].units == 2.0
    assert measured.runs["customers"].items == 2
    assert measured.runs["sent"].requests == 4
    assert measured.runs["order"].items == pytest.approx((7 + 3) / 8, abs=0.5)
    assert measured.runs["changed"].units > measured.runs["totals"].units


def test_measured_sizes_make_the_estimate_what_was_measured(measured: Measurement) -> None:
    """For as many items as were found, the units agree."""
    items = {"orders": {"items": {"Order": 8, "Line": 2}}}
    figures = Figures(Shop, Traffic.of({"patterns": items}), sizes=measured.sizes)
    made = {one.name: one.units for one in estimate(figures, Prices.of_region()).patterns}
    assert made["orders"] == measured.runs["orders"].units
    assert made["customer"] == measured.runs["customer"].units


def test_writes_are_metered_on_a_copy_and_agree_with_the_estimate(measured: Measurement) -> None:
    made = estimate(Figures(Shop, sizes=measured.sizes), Prices.of_region())
    estimated = {(one.name, each.name): each for one in made.entities for each in one.writes}
    assert {entity for entity, _ in measured.writes} == {"Customer", "Order", "Line", "Banner"}
    assert ("Order", "delete") in measured.writes
    for name, write in measured.writes.items():
        assert (name, write.units) == (name, estimated[name].units)
        assert write.fault is None


def test_a_write_that_cannot_be_rehearsed_says_why() -> None:
    """The sample has an order, and not the customer who counts it."""
    order = Order(customer_id="c1", order_id="o1")
    create = rehearse(Shop, [], [order], 1)["Order", "create"]
    assert create.calls == 0
    assert "Customer" in str(create.fault)


def test_a_field_is_changed_to_what_another_item_has_one_after_the_other() -> None:
    """So an update is of an item as it is then, also where its version is looked at."""
    lines = [Banner(name=name, text=text) for name, text in [("a", "x"), ("b", "yy")]]
    with Engine() as engine:
        store = Shop.connect(engine)
        store.put_many(lines)
        sampled = engine.scan(TableName="shop")["Items"]
    writes = rehearse(Shop, sampled, [*lines, *lines], 5)
    assert {name: one.calls for name, one in writes.items()} == {
        ("Banner", "update"): 2,
        ("Banner", "delete"): 2,
        ("Banner", "create"): 2,
    }


def test_nothing_is_written(engine: Engine) -> None:
    before = engine.scan(TableName="shop")["Items"]
    measure(Shop, engine)
    assert engine.scan(TableName="shop")["Items"] == before


def test_a_sample_is_bounded(engine: Engine) -> None:
    few = measure(Shop, engine, items_max=3, calls_max=1)
    assert sum(few.items.values()) + few.strangers == 3
    assert max(run.calls for run in few.runs.values()) == 1


def test_arguments_can_be_given(engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "arguments.json"
    path.write_text('{"changed": [{"customer_id": "c1", "since": "2020-01-01T00:00:00Z"}]}')
    given = load_arguments(path, Shop)
    assert given["changed"][0]["since"] == datetime(2020, 1, 1, tzinfo=UTC)
    run = measure(Shop, engine, arguments=given).runs["changed"]
    assert (run.calls, run.items) == (1, 8)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("[]", "is an object"),
        ("{", "cannot be read"),
        ('{"changes": {}}', "Shop has no pattern 'changes', only customer"),
        ('{"changed": {"since": "yesterday"}}', "arguments of changed do not fit"),
    ],
)
def test_arguments_that_cannot_be_meant_are_refused(
    content: str, told: str, tmp_path: Path
) -> None:
    path = tmp_path / "arguments.json"
    path.write_text(content)
    with pytest.raises(UsageError, match=told):
        load_arguments(path, Shop)


def _found(name: str, *entities: Any) -> list[dict[str, Any]]:
    [traced] = [one for one in trace(Shop) if one.pattern.name == name]
    return list(found_arguments(traced, entities))


def test_arguments_are_found_in_items() -> None:
    order = Order(customer_id="c1", order_id="o1", total=7, placed_at=DAY, updated_at=DAY)
    assert _found("order", order) == [{"customer_id": "c1", "order_id": "o1"}]
    assert _found("totals", order) == [{"customer_id": "c1", "least": 7}]
    assert _found("changed", order) == [{"customer_id": "c1", "since": DAY}]
    assert _found("placed", order) == [{"first": DAY, "last": DAY}]
    assert _found("noted", order) == [{"customer_id": "c1", "words": "‹words›"}]
    assert _found("sent") == [{}]


def test_arguments_are_not_tried_twice() -> None:
    orders = [Order(customer_id="c1", order_id=f"o{number}") for number in range(3)]
    assert _found("orders", *orders) == [{"customer_id": "c1"}]


def test_a_batch_is_tried_with_several_keys() -> None:
    customers = [Customer(customer_id=f"c{n}", email=f"{n}@x", name="") for n in range(3)]
    assert _found("customers", *customers) == [{"customer_ids": ["c0", "c1", "c2"]}]


def test_an_empty_table_says_that_arguments_are_missing() -> None:
    with Engine() as engine:
        Shop.connect(engine)
        runs = measure(Shop, engine).runs
    assert "give some with --arguments" in str(runs["customer"].fault)
    assert runs["sent"].units == 4 * 0.5


def test_a_pattern_at_fault_is_not_run() -> None:
    with Engine() as engine:
        Faulty.connect(engine)
        assert all(run.fault and not run.calls for run in measure(Faulty, engine).runs.values())


def test_what_is_not_there_is_not_made(tmp_path: Path) -> None:
    missing = tmp_path / "none.db"
    with pytest.raises(UsageError, match="There is no database"):
        measure(Shop, str(missing))
    assert not missing.exists()
    with Engine() as engine, pytest.raises(UsageError, match="There is no table 'shop'"):
        measure(Shop, engine)


def test_what_was_measured_stands_beside_what_was_estimated(measured: Measurement) -> None:
    bytes_ = dict.fromkeys(measured.sizes, 100)
    estimated = {("Customer", "create"): 4.0}
    sizes, units, writes = measuring.grids(measured, {"customer": 0.5}, estimated, bytes_)
    assert "by the model" in sizes.text()
    assert "customer            0.5" in units.text()
    assert "Customer  create          4        12" in writes.text()
    assert measuring.data(measured)["patterns"]["sent"]["requests"] == 4
