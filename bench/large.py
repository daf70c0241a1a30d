"""A table of a million items in a file: how much slower Query gets, and how large the process.

`python -m bench.large ITEMS` queries it and a table of ten thousand items in turns, in a process
that holds nothing but the engine and this module, so that its memory is the engine's.
"""

import sys
import time
from contextlib import ExitStack
from statistics import median
from typing import Any

import psutil

from bench.embedded import open_engine
from bench.goals import QUERY_GROWTH_MAX, RESIDENT_MB_MAX, at_most
from bench.report import heading, keep, machine, table
from bench.targets import BUILD, InProcess
from bench.workload import (
    CREATE_TABLE,
    ITEMS_PER_PARTITION,
    partition_items,
    query_of,
    scatter,
    write_batches,
)

SMALL_ITEMS = 10_000
ROUNDS = 10
QUERIES_PER_ROUND = 200


def main(items: int) -> None:
    """Load both tables, query them in turns, print the report and keep it."""
    facts = machine(BUILD)
    with ExitStack() as stack:
        small, _ = _load("small", SMALL_ITEMS, stack)
        large, load_s = _load("large", items, stack)
        resident_mb = [_resident_mb()]
        small_us, large_us = _query_in_turns((small, SMALL_ITEMS), (large, items))
        resident_mb.append(_resident_mb())
    figures = {
        "items": items,
        "load_items_per_s": items / load_s,
        "query_small_p50_us": small_us,
        "query_large_p50_us": large_us,
        "query_growth": large_us / small_us,
        "resident_mb": max(resident_mb),
    }
    keep(BUILD, "large", _markdown(facts, figures), {"machine": facts, **figures})


def _load(name: str, items: int, stack: ExitStack) -> tuple[Any, float]:
    target = InProcess(name, "file", open_engine)
    target.start()
    stack.callback(target.stop)
    target.client.create_table(**CREATE_TABLE)
    partitions = items // ITEMS_PER_PARTITION
    started = time.perf_counter()
    for n in range(0, partitions, 5):  # five partitions are four full batches
        # scattered over the key space, as users come
        numbers = [scatter(each, partitions) for each in range(n, min(n + 5, partitions))]
        written = [item for number in numbers for item in partition_items(_user(number))]
        for request in write_batches(written):
            target.client.batch_write_item(**request)
    return target.client, time.perf_counter() - started


def _query_in_turns(*tables: tuple[Any, int]) -> list[float]:
    latencies_us: list[list[float]] = [[] for _ in tables]
    for turn in range(ROUNDS):
        for (client, items), latencies in zip(tables, latencies_us, strict=True):
            for n in range(turn * QUERIES_PER_ROUND, (turn + 1) * QUERIES_PER_ROUND):
                user = scatter(n, items // ITEMS_PER_PARTITION)
                latencies.append(_query_us(client, _user(user)))
    return [median(latencies) for latencies in latencies_us]


def _query_us(client: Any, pk: str) -> float:
    request = query_of(pk)
    started = time.perf_counter()
    answer = client.query(**request)
    elapsed = time.perf_counter() - started
    if answer["Count"] != ITEMS_PER_PARTITION:
        raise AssertionError(f"{pk} has {answer['Count']} items")
    return elapsed * 1e6


def _user(number: int) -> str:
    return f"USER#{number:08d}"


def _resident_mb() -> float:
    return float(psutil.Process().memory_info().rss / 1e6)


def _markdown(facts: dict[str, Any], figures: dict[str, float]) -> str:
    goals = {
        "query_growth": at_most(QUERY_GROWTH_MAX, "x", figures["query_growth"]),
        "resident_mb": at_most(RESIDENT_MB_MAX, " MB", figures["resident_mb"]),
    }
    lines = [[name, f"{figure:,.2f}", str(goals.get(name, ""))] for name, figure in figures.items()]
    return f"{heading('A large table', facts)}\n\n{table(('figure', 'value', 'goal'), lines)}\n"


if __name__ == "__main__":
    main(int(sys.argv[1]))
