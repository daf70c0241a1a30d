"""The measuring: short slices, round-robin over all targets, so that noise hits all alike.

A cell is one operation on one target with one number of threads. Each round gives every cell
one slice, after one that does not count, for compilers and caches to warm up.
"""

import gc
import time
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import cycle
from statistics import median
from textwrap import shorten
from typing import Any, Protocol

from botocore.exceptions import BotoCoreError, ClientError

from bench.targets import Target
from bench.workload import Request

now_ns = time.perf_counter_ns
# What a target may do wrong; anything else is a fault of ours and ends the run.
FAILURES = (BotoCoreError, ClientError, LookupError, AssertionError)


class Work(Protocol):
    """What a cell does: it calls a method of a target's client, with one request after another."""

    @property
    def name(self) -> str:
        """Name the work in the report."""

    @property
    def method(self) -> str:
        """Name the method."""

    def requests(self, thread: int, /) -> list[Request]:
        """Give the requests of one thread."""

    def verify(self, client: Any, /) -> None:
        """Fail unless the target does what is asked."""


class Cell:
    """One operation on one target with one number of threads, and its figures so far."""

    def __init__(self, target: Target, operation: Work, threads: int) -> None:
        self.target = target
        self.operation = operation
        self.threads = threads
        self.failure: str | None = None
        # Each thread goes on where its last slice ended, or slow targets would never go round.
        self._requests = [cycle(operation.requests(thread)) for thread in range(threads)]
        self._forget()

    def _forget(self) -> None:
        self._latencies_ns: array[int] = array("q")
        self._slices_ops_per_s: list[float] = []
        self._cpu_s = 0.0

    @property
    def ops_per_s(self) -> float:
        """Operations per second in the median slice: a neighbour's burst is not the target's."""
        return median(self._slices_ops_per_s)

    @property
    def cpu_per_op_us(self) -> float:
        """CPU time of the serving process per operation."""
        return self._cpu_s / len(self._latencies_ns) * 1e6

    def percentiles_us(self, *percents: float) -> list[float]:
        """Latencies that so many percent of the calls did not exceed."""
        ranked = sorted(self._latencies_ns)
        return [ranked[int((len(ranked) - 1) * each / 100)] / 1e3 for each in percents]

    def warm_up(self) -> None:
        """Check that the target does what is asked, then run a slice that does not count."""
        self.operation.verify(self.target.client)
        self.run(self.target.warm_up_s)
        self._forget()

    def run(self, duration_s: float) -> None:
        """Add one slice."""
        call = getattr(self.target.client, self.operation.method)
        gc.collect()  # or one target pays for the garbage of the one before
        cpu_s, started_ns = self.target.cpu_s(), now_ns()
        latencies_ns = _call_together(call, self._requests, duration_s)
        elapsed_s = (now_ns() - started_ns) / 1e9
        self._cpu_s += self.target.cpu_s() - cpu_s
        self._slices_ops_per_s.append(len(latencies_ns) / elapsed_s)
        self._latencies_ns.extend(latencies_ns)


def run_rounds(cells: Iterable[Cell], rounds: int, slice_s: float) -> None:
    """Warm up, then give every cell one slice a round; a cell that fails is left out."""
    gc.freeze()  # the requests are ours: no target in this process should pay for their scan
    alive = [cell for cell in cells if _survives(cell, cell.warm_up)]
    for _ in range(rounds):
        alive = [cell for cell in alive if _survives(cell, partial(cell.run, slice_s))]


def _survives(cell: Cell, step: Callable[[], None]) -> bool:
    try:
        step()
    except FAILURES as error:
        cell.failure = shorten(f"{type(error).__name__}: {error}", 70)
    return cell.failure is None


def _call_together(
    call: Any, requests: Sequence[Iterator[Request]], duration_s: float
) -> "array[int]":
    if len(requests) == 1:
        return _call(call, requests[0], duration_s)
    together: array[int] = array("q")
    with ThreadPoolExecutor(len(requests)) as pool:
        for latencies_ns in pool.map(partial(_call, call, duration_s=duration_s), requests):
            together.extend(latencies_ns)
    return together


def _call(call: Any, requests: Iterator[Request], duration_s: float) -> "array[int]":
    latencies_ns = array("q")
    deadline_ns = now_ns() + int(duration_s * 1e9)
    for request in requests:
        started_ns = now_ns()
        call(**request)
        ended_ns = now_ns()
        latencies_ns.append(ended_ns - started_ns)
        if ended_ns >= deadline_ns:
            break
    return latencies_ns
