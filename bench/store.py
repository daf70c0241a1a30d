"""What types cost: the store beside the bare calls that it makes, and beside other mappers.

`python -m bench.store` measures in one run: on the engine in this process, in memory and in a
file, typed calls against the very requests that they send; and over HTTP, typed calls against
boto3 itself and against every mapper that is installed, all on one endpoint.
"""

import argparse
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from typing import Any, TypeVar

from bench.catalogue import targets
from bench.embedded import open_engine
from bench.goals import Goal, Row, Rows, at_most
from bench.mappers import LIBRARIES
from bench.mappers.base import OPERATIONS, Arguments, Mapper
from bench.mappers.with_singletable import open_mapper
from bench.measure import FAILURES, Cell, run_rounds
from bench.report import heading, keep, machine, table
from bench.run import FULL, QUICK, Pace, row_of
from bench.targets import BUILD, InProcess
from bench.workload import ITEMS_PER_PARTITION

RAW, OURS, HTTP = "raw", "singletable", "http"
STORE_TIMES_ENGINE_MAX = 2.0
METHODS = {"get": "get_item", "put": "put_item", "update": "update_item", "query": "query"}
HEADINGS = ("target", "ops/s", "p50 µs", "p99 µs", "CPU µs/op", "p50 x raw", "goal")


M = TypeVar("M", bound=Mapper)


@dataclass(frozen=True)
class Calls:
    """One operation of one target: a method of its client, and the arguments of its calls."""

    name: str
    method: str
    arguments: list[Arguments] = field(repr=False)

    def requests(self, _thread: int) -> list[Arguments]:
        """Give the arguments of all calls."""
        return self.arguments

    def verify(self, client: Any) -> None:
        """Call once; what the call does was verified when its mapper was opened."""
        getattr(client, self.method)(**self.arguments[0])


def main(pace: Pace) -> None:
    """Measure, print the report, and keep it in the build folder."""
    facts = machine(BUILD)
    with ExitStack() as stack:
        cells = [*_embedded(stack), *_over_http(stack)]
        cells.sort(key=lambda cell: OPERATIONS.index(cell.operation.name))
        run_rounds(cells, pace.rounds, pace.slice_s)
        rows = [row_of(cell) for cell in cells]
    keep(BUILD, "store", markdown(facts, rows), {"machine": facts, "rows": rows})


def _embedded(stack: ExitStack) -> Iterator[Cell]:
    for storage in ("memory", "file"):
        target = InProcess("store", storage, open_engine)
        target.start()
        stack.callback(target.stop)
        yield from _bare(storage, target.client)
        yield from _typed(OURS, storage, _opened(open_mapper("", target.client)))


def _over_http(stack: ExitStack) -> Iterator[Cell]:
    """Start the server once; each mapper has a table of its own on it."""
    [server, _] = targets(frozenset({"server"}))
    server.start()
    stack.callback(server.stop)
    yield from _bare(HTTP, server.client)
    endpoint = server.client.meta.endpoint_url
    for library in LIBRARIES:
        if not library.is_here:
            print(f"{library.module}: not installed, left out (python -m bench --install)")
            continue
        try:
            mapper = _opened(library.mapper(endpoint, server.client))
        except (*FAILURES, RuntimeError, TypeError) as error:
            print(f"{library.module}: left out, {type(error).__name__}: {error}")
            continue
        yield from _typed(library.module, HTTP, mapper)


def _opened(mapper: M) -> M:
    mapper.seed()
    mapper.verify()
    return mapper


def _bare(storage: str, client: Any) -> Iterator[Cell]:
    """Send the requests of the store, to a table of their own: no write finds its work done."""
    typed = _opened(open_mapper("", client, table_name="bench-raw"))
    for operation, method in METHODS.items():
        yield _cell(RAW, storage, client, Calls(operation, method, typed.requests(operation)))


def _typed(name: str, storage: str, mapper: Mapper) -> Iterator[Cell]:
    for operation in OPERATIONS:
        yield _cell(name, storage, mapper, Calls(operation, operation, mapper.arguments(operation)))


def _cell(name: str, storage: str, client: Any, calls: Calls) -> Cell:
    target = InProcess(name, storage, lambda _: client)
    target.client = client  # opened already: a mapper and the bare client share it
    return Cell(target, calls, threads=1)


def markdown(facts: dict[str, Any], rows: list[Row]) -> str:
    """Write one table per storage and operation, then the goals that were missed."""
    compared = Rows(rows)
    sections = [heading("The store", facts)]
    by_place = sorted(rows, key=attrgetter("storage"), reverse=True)
    for (storage, operation), group in groupby(by_place, attrgetter("storage", "operation")):
        title = f"{operation} of {ITEMS_PER_PARTITION}" if operation == "query" else operation
        lines = [_line(row, compared) for row in group]
        sections.append(f"## {title}, {storage}\n\n{table(HEADINGS, lines)}")
    missed = [f"- {row.operation}, {row.storage}: {goal}" for row, goal in _missed(compared)]
    sections.append("## Goals missed\n\n" + ("\n".join(missed) or "None."))
    return "\n\n".join(sections) + "\n"


def goal_of(row: Row, rows: Rows) -> Goal | None:
    """Hold the store on the engine against its promise."""
    times_raw = _times_raw(row, rows)
    if row.target != OURS or row.storage == HTTP or times_raw is None:
        return None
    return at_most(STORE_TIMES_ENGINE_MAX, "x raw", times_raw)


def _times_raw(row: Row, rows: Rows) -> float | None:
    raw = rows.peer(RAW, row)
    return None if raw is None or row.failure is not None else row.p50_us / raw.p50_us


def _missed(rows: Rows) -> Iterator[tuple[Row, Goal]]:
    for row in rows.all:
        goal = goal_of(row, rows)
        if goal is not None and not goal.met:
            yield row, goal


def _line(row: Row, rows: Rows) -> list[str]:
    if row.failure is not None:
        return [row.target, "", "", "", "", "", f"failed: {row.failure}"]
    times_raw = _times_raw(row, rows)
    figures = (row.ops_per_s, row.p50_us, row.p99_us, row.cpu_us)
    return [
        row.target,
        *(f"{figure:,.0f}" for figure in figures),
        "" if times_raw is None else f"{times_raw:.2f}",
        str(goal_of(row, rows) or ""),
    ]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m bench.store", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="shorter slices, rougher figures")
    main(QUICK if parser.parse_args().quick else FULL)
