"""Writers that run as they like: threads, in this process or as a program of its own.

    python -m tests.store.properties.writers FILE NAME

The program says on stdout what became of its jobs, as JSON: the stamp of each → the outcome.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from random import Random

from singletable.backends import Backend
from singletable.backends.address import connect
from singletable.errors import InternalServerError, StoreError, UsageError
from singletable.store.context import Context
from singletable.store.drivers import run
from singletable.store.retries import Retries

from .design import Report, Team, Ticket, table
from .jobs import NOW, Job, any_job, work

JOBS = 25
STAYING = (Team, Ticket, Report)
"""These are not deleted, so that all numbers that were given are still there."""

IN_DOUBT = "in doubt"
"""Becomes of a job after which nobody can say whether it was done."""

Outcomes = dict[str, str]


def context() -> Context:
    """Give what programs need."""
    return Context(
        table=table, table_name=table.name, clock=lambda: NOW, retries=Retries(base_s=0.001)
    )


def write_in_threads(backend: Backend, name: str, threads: int) -> Outcomes:
    """Do jobs that follow from the name in threads; give what became of each."""
    with ThreadPoolExecutor(threads) as pool:
        parts = pool.map(lambda number: _write(backend, f"{name}.{number}"), range(threads))
        return {stamp: outcome for part in parts for stamp, outcome in part.items()}


def _write(backend: Backend, name: str) -> Outcomes:
    outcomes: Outcomes = {}
    for number, job in enumerate(_jobs(Random(name))):  # noqa: S311 - to do the same every time
        stamp = f"{name}.{number}"
        try:
            run(work(context(), job, stamp), backend)
        except InternalServerError:
            outcomes[stamp] = IN_DOUBT
        except (StoreError, UsageError) as error:
            outcomes[stamp] = type(error).__name__
        else:
            outcomes[stamp] = "done"
    return outcomes


def _jobs(random: Random) -> Iterator[Job]:
    for _ in range(JOBS):
        job = any_job(random.choice)
        if not any(ask.verb.startswith("delete") and ask.kind in STAYING for ask in job):
            yield job


def main(path: str, name: str) -> None:
    """Write to a file, in four threads."""
    backend = connect(path)
    print(json.dumps(write_in_threads(backend, name, 4)))  # noqa: T201 - it is how it answers
    backend.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
