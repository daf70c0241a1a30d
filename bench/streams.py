"""What follows a write: how fast a worker delivers a stream, and how soon after the write.

`python -m bench.streams` has a counting handler drain a stream, in memory and in a file, beside a
bare loop of GetRecords; then handlers and consumers that write; then the lag between a write by
another process and the handler that is called for it.
"""

import argparse
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from bench.embedded import open_engine
from bench.goals import Goal, at_least, at_most
from bench.report import heading, keep, machine, table
from bench.streams_design import DOCUMENT, Adding, Counting, Shelf, Thing
from bench.streams_lag import Lags, first_iterator, lag_of_loop, lag_of_worker
from bench.targets import BUILD, InProcess
from singletable.engine import Engine
from singletable.streams import Consumer, Worker
from singletable.streams.aggregates import Aggregates
from singletable.streams.search import SearchIndex

COUNTED_PER_S_MIN = 20_000
LAG_MS_MAX = 50.0
LAG_WRITES_PER_S = 1_000
RATE_SHARE_MIN = 0.95
"""What was written has to come close to what was asked for, or the lag says nothing."""


@dataclass(frozen=True)
class Pace:
    """How much is written and how often it is read."""

    records: int
    writes: int
    """How many records those who write themselves are given."""
    rounds: int
    lag_s: float


FULL = Pace(records=50_000, writes=5_000, rounds=5, lag_s=3.0)
QUICK = Pace(records=10_000, writes=1_000, rounds=3, lag_s=1.5)


@dataclass(frozen=True)
class Rate:
    """How many records a second somebody gets through."""

    reader: str
    storage: str
    per_s: float
    reference: str = ""
    times: float = 0.0

    @property
    def goal(self) -> Goal | None:
        """Hold the counting handler against its promise."""
        if self.reader != Counting.name:
            return None
        return at_least(COUNTED_PER_S_MIN, " records/s", self.per_s)


def main(pace: Pace) -> None:
    """Measure, print the report, and keep it in the build folder."""
    facts = machine(BUILD)
    rates = [rate for storage in ("memory", "file") for rate in _rates(storage, pace)]
    lags = _lags(pace)
    document = {"machine": facts, "rates": rates, "lags": lags}
    keep(BUILD, "streams", markdown(facts, rates, lags), document)


@dataclass(frozen=True)
class Written:
    """An engine whose stream has records that nobody has read."""

    engine: Engine
    store: Shelf
    folder: Path | None
    stack: ExitStack

    def search(self) -> SearchIndex:
        """Give an index that is kept as the engine is, in memory or in a file."""
        where = ":memory:" if self.folder is None else self.folder / "search.db"
        return self.stack.enter_context(SearchIndex(where, DOCUMENT))


@contextmanager
def written(storage: str, records: int) -> Iterator[Written]:
    """Open an engine for the length of a block, and write to it."""
    target = InProcess("streams", storage, open_engine)
    target.start()
    with ExitStack() as stack:
        stack.callback(target.stop)
        store = Shelf.connect(target.client)
        store.put_many(Thing.drawn(number) for number in range(records))
        yield Written(target.client, store, target.data, stack)


WRITING: dict[str, Callable[[Written], Consumer]] = {
    Adding.name: lambda opened: Adding(opened.store),
    "aggregates": lambda opened: Aggregates(opened.store),
    "search, FTS5": lambda opened: opened.search(),
}


def _rates(storage: str, pace: Pace) -> Iterator[Rate]:
    loop_per_s, counting_per_s = _reading(storage, pace)
    yield Rate("GetRecords loop", storage, loop_per_s)
    yield Rate(Counting.name, storage, counting_per_s, "loop", counting_per_s / loop_per_s)
    for name, make in WRITING.items():
        per_s = median(_writing(storage, pace, make) for _ in range(pace.rounds))
        yield Rate(name, storage, per_s, Counting.name, per_s / counting_per_s)


def _reading(storage: str, pace: Pace) -> tuple[float, float]:
    """Read one stream in turns, by a bare loop and by workers of groups of their own."""
    loops, countings = [], []
    with written(storage, pace.records) as opened:
        for turn in range(pace.rounds):
            loops.append(_per_s(pace.records, lambda: read_all(opened.engine)))
            counting = Counting(opened.store)
            worker = Worker(opened.store, counting, name=f"turn-{turn}")
            countings.append(_per_s(pace.records, worker.drain))
            if counting.count != pace.records:
                raise AssertionError(f"{counting.count} of {pace.records} records were counted")
    return median(loops), median(countings)


def _writing(storage: str, pace: Pace, make: Callable[[Written], Consumer]) -> float:
    """Have a consumer write what a stream that is its own comes to."""
    with written(storage, pace.writes) as opened:
        return _per_s(pace.writes, Worker(opened.store, make(opened)).drain)


def read_all(engine: Engine) -> int:
    """Read a stream with bare calls; give the number of records."""
    iterator, count = first_iterator(engine), 0
    while True:
        answer = engine.get_records(ShardIterator=iterator)
        if not answer["Records"]:
            return count
        count += len(answer["Records"])
        iterator = answer["NextShardIterator"]


def _lags(pace: Pace) -> list[Lags]:
    """Measure the bare loop and the worker in turns."""
    readers = (lag_of_loop, lag_of_worker)
    turns = [[read(LAG_WRITES_PER_S, pace.lag_s) for read in readers] for _ in range(pace.rounds)]
    return [Lags.typical(runs) for runs in zip(*turns, strict=True)]


def _per_s(records: int, work: Callable[[], Any]) -> float:
    started = time.perf_counter()
    work()
    return records / (time.perf_counter() - started)


def lag_goals(lag: Lags) -> list[Goal]:
    """Hold the lag of a worker against its promise, at the rate for which it was made."""
    if lag.reader != "worker":
        return []
    rate = at_least(RATE_SHARE_MIN * LAG_WRITES_PER_S, " writes/s", lag.writes_per_s)
    return [at_most(LAG_MS_MAX, " ms p99", lag.p99_ms), rate]


def markdown(facts: dict[str, Any], rates: list[Rate], lags: list[Lags]) -> str:
    """Write the two tables, then the goals that were missed."""
    goals = [goal for rate in rates if (goal := rate.goal)]
    goals += [goal for lag in lags for goal in lag_goals(lag)]
    sections = [
        heading("Streams", facts),
        "## Records a second\n\n" + table(RATE_HEADINGS, map(_rate_line, rates)),
        f"## Lag at {LAG_WRITES_PER_S:,} writes a second, file\n\n"
        + table(LAG_HEADINGS, map(_lag_line, lags)),
        "## Goals missed\n\n" + ("\n".join(f"- {one}" for one in goals if not one.met) or "None."),
    ]
    return "\n\n".join(sections) + "\n"


RATE_HEADINGS = ("reader", "storage", "records/s", "times", "goal")
LAG_HEADINGS = ("reader", "writes/s", "p50 ms", "p99 ms", "max ms", "goals")


def _rate_line(rate: Rate) -> list[str]:
    times = f"{rate.times:.2f} x {rate.reference}" if rate.reference else ""
    return [rate.reader, rate.storage, f"{rate.per_s:,.0f}", times, str(rate.goal or "")]


def _lag_line(lag: Lags) -> list[str]:
    figures = (lag.p50_ms, lag.p99_ms, lag.max_ms)
    goals = ", ".join(map(str, lag_goals(lag)))
    return [lag.reader, f"{lag.writes_per_s:,.0f}", *(f"{each:.1f}" for each in figures), goals]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m bench.streams", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer records, rougher figures")
    main(QUICK if parser.parse_args().quick else FULL)
