"""One run of the workload: start the targets, measure in rounds, report, stop everything."""

from collections.abc import Collection, Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from statistics import median

from bench import report
from bench.catalogue import targets
from bench.goals import Row
from bench.measure import FAILURES, Cell, run_rounds
from bench.servers import Server
from bench.targets import BUILD, Target
from bench.workload import OPERATIONS, seed

READY_STARTS = 3


@dataclass(frozen=True)
class Pace:
    """How long a cell is measured: so many slices of so many seconds."""

    rounds: int
    slice_s: float


FULL = Pace(rounds=15, slice_s=0.2)
"""A slow peer answers 40 requests in a slice, and one in Java is still getting faster in the first.

With a third of this its figures differ by a third from run to run.
"""
QUICK = Pace(rounds=3, slice_s=0.1)


def main(
    pace: Pace, only: Collection[str], operations: Collection[str], threads: Collection[int]
) -> None:
    """Measure, print the report, and keep it in the build folder."""
    chosen = targets(frozenset(only))
    machine = report.machine(BUILD)
    ready_s = measure_ready(chosen)
    with ExitStack() as stack:
        started = [target for target in chosen if _start(target, stack)]
        cells = plan(started, operations, threads)
        run_rounds(cells, pace.rounds, pace.slice_s)
        rows = [row_of(cell) for cell in cells]
    text = report.markdown(machine, rows, ready_s)
    report.keep(BUILD, "report", text, {"machine": machine, "rows": rows, "ready_s": ready_s})


def measure_ready(chosen: Iterable[Target]) -> dict[str, float]:
    """Time each server from its start to its first answer; takes the median of a few starts."""
    servers = [each for each in chosen if isinstance(each, Server) and each.storage == "memory"]
    seconds: dict[str, list[float]] = {}
    for _ in range(READY_STARTS):
        for server in servers:
            with ExitStack() as stack:
                if _start(server, stack, seeded=False):
                    seconds.setdefault(server.name, []).append(server.ready_s)
    return {name: median(times) for name, times in seconds.items()}


def plan(
    started: Iterable[Target], operations: Collection[str], threads: Collection[int]
) -> list[Cell]:
    """List the cells so that the same work on every target lies close together in time."""
    return [
        Cell(target, operation, count)
        for operation in OPERATIONS
        for count in threads
        for target in started
        if operation.name in operations and operation.name in target.operations
        if count <= target.threads_max
    ]


def _start(target: Target, stack: ExitStack, *, seeded: bool = True) -> bool:
    try:
        target.start()
        stack.callback(target.stop)
        if seeded:
            seed(target.client)
    except (*FAILURES, RuntimeError) as error:
        print(f"{target.name} ({target.storage}): left out, {type(error).__name__}: {error}")
        return False
    return True


def row_of(cell: Cell) -> Row:
    """Give the figures of a cell."""
    place = (cell.target.name, cell.target.storage, cell.operation.name, cell.threads)
    if cell.failure is not None:
        return Row(*place, failure=cell.failure)
    p50_us, p99_us = cell.percentiles_us(50, 99)
    return Row(*place, cell.ops_per_s, p50_us, p99_us, cell.cpu_per_op_us)
