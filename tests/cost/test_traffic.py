"""Traffic comes from a file whose names the design knows."""

from pathlib import Path
from typing import Any

import pytest

from apps.surveys.design import Surveys
from singletable import UsageError
from singletable.cost.comparing import Comparison
from singletable.cost.estimating import estimate
from singletable.cost.figures import Figures
from singletable.cost.prices import Prices
from singletable.cost.reporting import data, grids, notes
from singletable.cost.traffic import EntityTraffic, PatternTraffic, Traffic
from tests.cost.designs import Faulty, Shop

FILE = """
[patterns.orders]
rate_per_s = 5
items = 20
[patterns.order]
items = {Order = 1, Line = 4}
[entities.Order]
writes_per_s = 1
items = 100000
bytes = 900
"""


def test_a_file_tells_rates_counts_and_sizes(tmp_path: Path) -> None:
    path = tmp_path / "traffic.toml"
    path.write_text(FILE)
    traffic = Traffic.load(path, Shop)
    assert traffic.pattern("orders") == PatternTraffic(rate_per_s=5, items=20)
    assert traffic.pattern("order").items == {"Order": 1, "Line": 4}
    assert traffic.entity("Order") == EntityTraffic(writes_per_s=1, items=100_000, bytes=900)


def test_what_is_not_told_is_unknown() -> None:
    assert Traffic.none().pattern("orders") == PatternTraffic()
    assert Traffic.none().entity("Order").items is None


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ({"pattern": {}}, "there is no 'pattern', only patterns, entities, stream"),
        ({"stream": {"reader": 1}}, "no 'reader', only readers, polls_per_s, shards"),
        ({"patterns": {"order": {"rate": 1}}}, "no 'rate', only rate_per_s, items"),
        ({"patterns": {"order": 3}}, "patterns.order is a table of numbers, not 3"),
        ({"patterns": 3}, "patterns is a table of names, not 3"),
        ({"entities": {"Order": {"bytes": "1 KB"}}}, "bytes is a number from 0 on, not '1 KB'"),
        ({"entities": {"Order": {"items": -1}}}, "items is a number from 0 on, not -1"),
        ({"entities": {"Order": {"items": True}}}, "items is a number from 0 on, not True"),
        ({"entities": {"Order": {"items": float("nan")}}}, "items is a number from 0 on, not nan"),
    ],
)
def test_what_cannot_be_meant_is_refused(content: Any, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        Traffic.of(content)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ({"patterns": {"ordres": {}}}, "patterns of Shop: there is no 'ordres', only customer, "),
        ({"entities": {"Ordre": {}}}, "entities of Shop: there is no 'Ordre', only Customer, "),
        ({"patterns": {"order": {"items": {"Lin": 1}}}}, r"order\.items: there is no 'Lin'"),
        (
            {"entities": {"Order": {"updates_per_s": {"stat": 1}}}},
            r"Order\.updates_per_s: there is no 'stat', only customer_id, ",
        ),
    ],
)
def test_a_misspelt_name_is_refused_with_those_there_are(content: Any, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        Traffic.of(content).check(Shop)


def test_a_file_that_cannot_be_read_is_an_error_of_use(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        Traffic.load(tmp_path / "none.toml")
    (tmp_path / "broken.toml").write_text("[patterns")
    with pytest.raises(UsageError, match="cannot be read"):
        Traffic.load(tmp_path / "broken.toml")


def test_another_design_takes_what_it_knows() -> None:
    traffic = Traffic.of({"patterns": {"everything": {"rate_per_s": 1}, "order": {"items": 1}}})
    assert list(traffic.within(Faulty).patterns) == ["everything"]


def test_readers_of_the_stream_are_in_the_bill_and_lambda_is_not() -> None:
    """Two readers ask each of four shards once a second: 21 million times a month."""
    prices = Prices.of_region()
    silent = estimate(Figures(Surveys), prices)
    made = estimate(Figures(Surveys, Traffic.of({"stream": {"readers": 2}})), prices)
    assert made.bill.streams == pytest.approx(8 * 730 * 3600 / 100_000 * 0.02)
    assert made.bill.on_demand == pytest.approx(silent.bill.on_demand + made.bill.streams)
    assert made.bill.provisioned == pytest.approx(silent.bill.provisioned + made.bill.streams)
    assert "streams  8 reads/s" in list(grids(made))[-1].text()
    assert "streams" not in list(grids(silent))[-1].text()
    assert [any("poll the stream" in note for note in notes(one)) for one in (silent, made)] == [
        True,
        False,
    ]
    assert Comparison(made, silent).month["streams"] == (made.bill.streams, 0)
    assert "streams" not in Comparison(silent, silent).month


def test_a_stream_that_the_table_has_not_has_no_readers() -> None:
    traffic = Traffic.of({"stream": {"readers": 1}})
    with pytest.raises(UsageError, match="stream: the table shop has no stream"):
        traffic.check(Shop)
    assert traffic.within(Shop).stream.readers == 0
    assert traffic.within(Surveys).stream.readers == 1


def test_retries_are_paid_for_and_stated() -> None:
    told = {
        "entities": {"Order": {"creates_per_s": 1}},
        "patterns": {"customer": {"rate_per_s": 2}},
    }
    once = estimate(Figures(Shop, Traffic.of(told)), Prices.of_region())
    more = estimate(Figures(Shop, Traffic.of({**told, "retries": 0.05})), Prices.of_region())
    assert more.bill.on_demand == pytest.approx(once.bill.on_demand * 1.05)
    assert "5.0% of the requests are sent and paid for twice" in " ".join(notes(more))
    assert "No request is sent and paid for twice" in " ".join(notes(once))
    assert data(more)["retries"] == Traffic.of({"retries": 0.05}).within(Shop).retries == 0.05
    with pytest.raises(UsageError, match="retries is a number from 0 on, not 'few'"):
        Traffic.of({"retries": "few"})
