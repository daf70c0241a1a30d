"""How long after a write somebody is called for it, while another process writes at a rate.

    python -m bench.streams_lag FILE WRITES_PER_S SECONDS

is that process: several threads write, each by a timetable, and each item says when it was sent.
"""

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench.embedded import open_engine
from bench.peers import ROOT
from bench.streams_design import Shelf, Thing
from bench.targets import InProcess
from singletable.engine import Engine
from singletable.streams import Created, Handlers, Worker, handler

THREADS = 4
POLL_S = 0.01
"""How often the bare loop looks, as the worker does on the embedded engine."""


@dataclass(frozen=True)
class Lags:
    """How long writes were on their way to a reader."""

    reader: str
    writes_per_s: float
    p50_ms: float
    p99_ms: float
    max_ms: float

    @classmethod
    def of(cls, reader: str, writes_per_s: float, lags_ns: list[int]) -> "Lags":
        """Rank what was measured."""
        ranked = sorted(lags_ns)
        p50, p99, worst = (ranked[int((len(ranked) - 1) * part)] / 1e6 for part in (0.5, 0.99, 1))
        return cls(reader, writes_per_s, p50, p99, worst)

    @classmethod
    def typical(cls, lags: Sequence["Lags"]) -> "Lags":
        """Take the medians of several runs, and the worst of all."""
        return cls(
            lags[0].reader,
            median(each.writes_per_s for each in lags),
            median(each.p50_ms for each in lags),
            median(each.p99_ms for each in lags),
            max(each.max_ms for each in lags),
        )


class Timing(Handlers[Shelf]):
    """Measures how long ago what it is called for was sent."""

    def __init__(self, store: Shelf) -> None:
        super().__init__(store)
        self.lags_ns: list[int] = []

    @handler
    def measure(self, change: Created[Thing]) -> None:
        """Measure a lag."""
        self.lags_ns.append(time.time_ns() - change.new.sent_ns)


def lag_of_worker(writes_per_s: int, duration_s: float) -> Lags:
    """Measure a worker that calls a handler."""
    with _database() as (path, engine):
        store = Shelf.connect(engine)
        timing = Timing(store)
        worker = Worker(store, timing)
        with _writing(path, writes_per_s, duration_s) as writing:
            # It stops at the first look that finds the writer gone and all of it delivered.
            writing.then(lambda total: len(timing.lags_ns) >= total, worker.stop)
            worker.run()
        return Lags.of("worker", writing.per_s, timing.lags_ns)


def lag_of_loop(writes_per_s: int, duration_s: float) -> Lags:
    """Measure a bare loop of GetRecords, for comparison."""
    with _database() as (path, engine):
        Shelf.connect(engine)
        lags_ns: list[int] = []
        stopped = threading.Event()
        with _writing(path, writes_per_s, duration_s) as writing:
            writing.then(lambda total: len(lags_ns) >= total, stopped.set)
            _loop(engine, lags_ns, stopped)
        return Lags.of("GetRecords loop", writing.per_s, lags_ns)


def first_iterator(engine: Engine) -> str:
    """Begin to read the stream with bare calls."""
    [stream] = engine.list_streams(TableName=Shelf.table.name)["Streams"]
    arn = stream["StreamArn"]
    [shard] = engine.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]
    where = {"StreamArn": arn, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
    iterator: str = engine.get_shard_iterator(**where)["ShardIterator"]
    return iterator


def _loop(engine: Engine, lags_ns: list[int], stopped: threading.Event) -> None:
    iterator = first_iterator(engine)
    while not stopped.is_set():
        answer = engine.get_records(ShardIterator=iterator)
        for record in answer["Records"]:
            sent_ns = int(record["dynamodb"]["NewImage"]["sent_ns"]["N"])
            lags_ns.append(time.time_ns() - sent_ns)
        if not answer["Records"]:
            stopped.wait(POLL_S)
        iterator = answer["NextShardIterator"]


@contextmanager
def _database() -> Iterator[tuple[Path, Engine]]:
    target = InProcess("streams-lag", "file", open_engine)
    target.start()
    try:
        assert target.data is not None
        yield target.data / "engine.db", target.client
    finally:
        target.stop()


class _Writing:
    """The process that writes, and what it says in the end."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._watch: threading.Thread | None = None
        self.per_s = 0.0

    def then(self, is_over: Callable[[int], bool], stop: Callable[[], None]) -> None:
        """Have somebody stopped when all was written, and all of that has arrived."""
        self._watch = threading.Thread(target=self._wait, args=(is_over, stop))
        self._watch.start()

    def _wait(self, is_over: Callable[[int], bool], stop: Callable[[], None]) -> None:
        try:
            said, _ = self._process.communicate()
            total, self.per_s = int(said.split()[0]), float(said.split()[1])
            while not is_over(total):
                time.sleep(0.05)
        finally:
            stop()

    def join(self) -> None:
        """Wait until it is over."""
        if self._watch is not None:
            self._watch.join()


@contextmanager
def _writing(path: Path, writes_per_s: int, duration_s: float) -> Iterator[_Writing]:
    arguments = (str(path), str(writes_per_s), str(duration_s))
    command = [sys.executable, "-m", "bench.streams_lag", *arguments]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            writing = _Writing(process)
            yield writing
            writing.join()
        finally:
            process.kill()


def write(path: Path, writes_per_s: int, duration_s: float) -> tuple[int, float]:
    """Write by a timetable; give how much was written, and how much of it a second."""
    total = int(writes_per_s * duration_s)
    with Shelf.connect(path) as store, ThreadPoolExecutor(THREADS) as threads:
        started = time.perf_counter()

        def follow(first: int) -> None:
            for number in range(first, total, THREADS):
                ahead_s = started + number / writes_per_s - time.perf_counter()
                if ahead_s > 0:
                    time.sleep(ahead_s)
                store.put(Thing.drawn(number, sent_ns=time.time_ns()))

        list(threads.map(follow, range(THREADS)))
        return total, total / (time.perf_counter() - started)


if __name__ == "__main__":
    print(*write(Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])))
