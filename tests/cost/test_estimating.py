"""An estimate adds up what patterns and writes consume, and what is stored."""

import json
from typing import Any

import pytest

from singletable.cost import reporting
from singletable.cost.bills import GB
from singletable.cost.estimating import Estimate, estimate
from singletable.cost.figures import Figures
from singletable.cost.prices import Prices
from singletable.cost.specimens import Sizes
from singletable.cost.traffic import Traffic
from tests.cost.designs import Faulty, Shop


def _estimate(content: Any = None, store: Any = Shop) -> Estimate:
    return estimate(Figures(store, Traffic.of(content or {})), Prices.of_region())


def test_rates_come_from_the_design_until_the_traffic_tells_others() -> None:
    assert _estimate().read_units_per_s == 10 * 0.5
    told = _estimate({"patterns": {"customer": {"rate_per_s": 2}, "order": {"rate_per_s": 4}}})
    assert told.read_units_per_s == 2 * 0.5 + 4 * 0.5


@pytest.mark.parametrize(
    ("rates", "units", "reads"),
    [
        ({"creates_per_s": 2}, 2 * 4, 0),
        ({"updates_per_s": 2}, 2 * 1, 0),
        ({"updates_per_s": {"email": 2, "name": 1}}, 2 * 6 + 1, 2),
        ({"deletes_per_s": 1}, 4, 1),
        ({"writes_per_s": 1}, 4, 0),
        ({"creates_per_s": 1, "deletes_per_s": 1}, 8, 1),
    ],
)
def test_writes_count_what_is_kept_true_and_what_is_read_first(
    rates: dict[str, Any], units: float, reads: float
) -> None:
    """A customer has a unique email: two items in a transaction, three if it changes."""
    made = _estimate({"entities": {"Customer": rates}})
    assert made.write_units_per_s == units
    assert made.read_units_per_s == 10 * 0.5 + reads


def test_storage_has_100_bytes_more_for_each_item_and_entry() -> None:
    made = _estimate({"entities": {"Order": {"items": 1000, "bytes": 2000}}})
    order = next(one for one in made.entities if one.name == "Order")
    assert order.entries["GSI1"] == 2000
    assert order.stored_bytes == 2000 + sum(order.entries.values()) + 6 * 100
    assert made.storage_bytes == 1000 * order.stored_bytes
    assert made.bill.storage == pytest.approx(made.storage_bytes / GB * 0.25)


def test_guards_and_copies_are_stored_too() -> None:
    entities = {one.name: one for one in _estimate().entities}
    customer, banner = entities["Customer"], entities["Banner"]
    assert customer.stored_bytes == customer.size + 100 + customer.guards[0] + 100
    assert banner.stored_bytes == 3 * (banner.size + 100)


def test_a_pattern_that_cannot_run_is_named_and_costs_nothing() -> None:
    made = _estimate(store=Faulty)
    assert {one.name for one in made.patterns if one.fault} == set(Faulty.patterns)
    assert made.read_units_per_s == 0
    assert "task cannot run: " in "\n".join(reporting.notes(made))


def test_notes_say_what_was_assumed_and_what_is_read_in_vain() -> None:
    notes = "\n".join(reporting.notes(_estimate()))
    assert "A text has 32 bytes" in notes
    assert "orders reads Line too" in notes
    assert "noted, dear: what a filter leaves out is read and paid for" in notes
    assert "No entity has a write rate" in notes
    assert "more than 28.9% of it is in use" in notes


def _notes(sizes: dict[str, Sizes]) -> str:
    made = estimate(Figures(Shop, sizes=sizes), Prices.of_region())
    return "\n".join(reporting.notes(made))


def test_nothing_is_said_of_texts_where_every_size_is_known() -> None:
    names = [schema.name for schema in Shop.table.entities.values()]
    told = _estimate({"entities": {name: {"bytes": 500} for name in names}})
    assert "A text has" not in "\n".join(reporting.notes(told))
    measured = _notes({name: Sizes(500) for name in names})
    assert "A text has" not in measured
    assert "An item is in every index, and in every count, that it can be in." in measured
    assert "A text has 32 bytes" in _notes({name: Sizes(500) for name in names[1:]})


def test_the_data_of_an_estimate_is_json() -> None:
    shown = json.loads(json.dumps(reporting.data(_estimate())))
    assert shown["prices"]["as_of"] == "2026-11-15"
    assert shown["month"]["crossing"] == pytest.approx(0.2889, abs=0.0001)
    orders = next(one for one in shown["patterns"] if one["name"] == "orders")
    assert orders["also_reads"] == ["Line"]
    create = shown["entities"][0]["writes"][0]
    assert (create["name"], create["units"], create["transactional"]) == ("create", 4, True)
