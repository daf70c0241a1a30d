"""Prices are dated data, and nothing is guessed for a region that is not known."""

import json
from pathlib import Path

import pytest

from singletable import UsageError
from singletable.cost.bills import GB, Bill
from singletable.cost.prices import Prices, known_regions


def test_the_prices_that_are_brought_are_dated() -> None:
    prices = Prices.of_region()
    assert (prices.region, prices.as_of, prices.currency) == ("us-east-1", "2026-11-15", "USD")
    assert (prices.per_million_write_units, prices.per_million_read_units) == (0.625, 0.125)
    assert (prices.per_write_unit_hour, prices.per_read_unit_hour) == (0.00065, 0.00013)
    assert (prices.per_gb_month, prices.hours_per_month) == (0.25, 730)


def test_an_unknown_region_is_refused_with_what_to_do() -> None:
    with pytest.raises(
        UsageError, match=r"no prices for 'eu-west-1', only for us-east-1.*--prices"
    ):
        Prices.of_region("eu-west-1")
    assert known_regions() == ["us-east-1"]


def test_prices_of_ones_own_come_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "prices.json"
    content = {
        "region": "here",
        "as_of": "2027-01-01",
        "currency": "EUR",
        "on_demand": {"per_million_read_units": 1, "per_million_write_units": 5},
        "provisioned": {"per_read_unit_hour": 0.0018, "per_write_unit_hour": 0.009},
        "storage": {"per_gb_month": 1},
        "streams": {"per_million_stream_reads": 1},
        "hours_per_month": 730,
    }
    path.write_text(json.dumps(content))
    assert Prices.load(path).region == "here"
    assert Prices.load(path).crossing == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("[]", "lacks region"),
        ('{"region": "x"}', "as_of"),
        ('{"storage": 0.25}', "per_gb_month"),
        ("{", "be read"),
    ],
)
def test_a_file_that_lacks_prices_is_refused(tmp_path: Path, content: str, told: str) -> None:
    path = tmp_path / "prices.json"
    path.write_text(content)
    with pytest.raises(UsageError, match=told):
        Prices.load(path)


def test_both_ways_to_pay_cost_the_same_where_they_cross() -> None:
    """At 28.9 percent of what is provisioned in use: 0.00065 / 3600 s over 0.625 / a million."""
    prices = Prices.of_region()
    assert prices.crossing == pytest.approx(0.00065 / 3600 / 0.625e-6)
    assert round(prices.crossing, 3) == 0.289
    bill = Bill.of(prices, 100, 40, 0, prices.crossing)
    assert bill.on_demand == pytest.approx(bill.provisioned)


def test_a_month_has_730_hours() -> None:
    bill = Bill.of(Prices.of_region(), 1, 1, 3 * GB, 0.5)
    assert bill.on_demand_reads == pytest.approx(730 * 3600 / 1e6 * 0.125)
    assert bill.on_demand_writes == pytest.approx(730 * 3600 / 1e6 * 0.625)
    assert bill.provisioned_reads == pytest.approx(2 * 730 * 0.00013)
    assert bill.provisioned_writes == pytest.approx(2 * 730 * 0.00065)
    assert bill.storage == 0.75
    assert bill.on_demand == pytest.approx(0.3285 + 1.6425 + 0.75)
