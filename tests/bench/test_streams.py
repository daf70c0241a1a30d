"""The benchmark of streams measures what it says, and holds it against what was promised."""

from dataclasses import replace
from pathlib import Path

import orjson
import pytest

from bench import streams, targets
from bench.streams_design import SHELVES, Load, Thing, Total
from bench.streams_lag import Lags
from singletable.streams import Worker
from singletable.streams.aggregates import Aggregates
from singletable.streams.search import SearchIndex

PACE = streams.Pace(records=200, writes=60, rounds=1, lag_s=0.2)


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (streams, targets):
        monkeypatch.setattr(module, "BUILD", tmp_path)


def test_the_bare_loop_reads_all_that_was_written() -> None:
    with streams.written("memory", PACE.records) as opened:
        assert streams.read_all(opened.engine) == PACE.records


@pytest.mark.parametrize("name", streams.WRITING)
def test_who_writes_writes_what_is_measured(name: str) -> None:
    with streams.written("memory", PACE.writes) as opened:
        consumer = streams.WRITING[name](opened)
        Worker(opened.store, consumer).drain()
        things = list(opened.store.bind(Thing.scan()))
        grams = sum(thing.grams for thing in things)
        if isinstance(consumer, SearchIndex):
            assert consumer.verify(opened.store, settle_s=0).is_right
            found = consumer.search(things[0].text, scope={"shelf": things[0].shelf})
            assert len(found.items) == 1
        elif isinstance(consumer, Aggregates):
            loads = list(opened.store.bind(Load.scan()))
            assert len(loads) == SHELVES
            assert sum(load.grams for load in loads) == grams
        else:
            assert sum(total.grams for total in opened.store.bind(Total.scan())) == grams


def test_a_run_reports_every_reader(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    streams.main(PACE)
    kept = orjson.loads((tmp_path / "streams.json").read_bytes())
    readers = ["GetRecords loop", "counting-handler", *streams.WRITING]
    assert [(rate["storage"], rate["reader"]) for rate in kept["rates"]] == [
        (storage, reader) for storage in ("memory", "file") for reader in readers
    ]
    assert all(rate["per_s"] > 0 for rate in kept["rates"])
    assert [lag["reader"] for lag in kept["lags"]] == ["GetRecords loop", "worker"]
    assert all(0 < lag["p50_ms"] <= lag["p99_ms"] <= lag["max_ms"] for lag in kept["lags"])
    assert "## Lag at 1,000 writes a second, file" in capsys.readouterr().out


def test_promises_are_held_against_the_counting_handler_and_the_lag_of_a_worker() -> None:
    rates = [
        streams.Rate("counting-handler", "file", 19_000),
        streams.Rate("counting-handler", "memory", 21_000),
        streams.Rate("once-handler", "memory", 1_000),
    ]
    lag = Lags("worker", writes_per_s=1_000, p50_ms=5, p99_ms=51, max_ms=80)
    slow = replace(lag, writes_per_s=900, p99_ms=49)
    loop = replace(lag, reader="GetRecords loop")
    text = streams.markdown({}, rates, [loop, lag, slow])
    assert text.partition("## Goals missed")[2].split("\n")[2:-1] == [
        "- ≥ 20000 records/s: FAIL (1.9e+04)",
        "- ≤ 50 ms p99: FAIL (51)",
        "- ≥ 950 writes/s: FAIL (900)",
    ]
