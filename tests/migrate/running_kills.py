"""Runs of a migration that are killed at random moments, until that was often enough.

``python running_kills.py SOURCE FOLDER BEGAN_AT KILLS SEED``: a process of its own, without
threads, as it forks each run, which is quicker than to import everything each time.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from itertools import count
from pathlib import Path

from singletable.migrate import Job, beginning, copying, run_migration
from tests.migrate.campaigns import ToOneTable

RUN_S = 500.0
KILLED_AFTER_S = 0.6


def job_of(source: str, folder: Path, began_at: str) -> Job:
    """Give the job of a run, to a destination of its own."""
    return Job(
        migration=ToOneTable,
        source=source,
        destination=str(folder / "new.db"),
        folder=folder,
        began_at=datetime.fromisoformat(began_at),
    )


def small_steps() -> None:
    """Have many parts and batches, so that there is much to be interrupted."""
    copying.BATCH_ROWS = 50
    beginning.ROWS_A_PART = 60


def run(job: Job) -> None:
    """Copy in two threads, which are as little in step as processes are."""
    with ThreadPoolExecutor(2) as threads:
        run_migration(job, executor=threads)


def main(source: str, folder: Path, began_at: str, kills: int, seed: int) -> None:
    """Run to one destination after another until so many runs were killed; say where they went."""
    chance, killed = random.Random(seed), 0  # noqa: S311 - no secret
    for number in count():
        job = job_of(source, folder / f"killed-{number}", began_at)
        while not _finished(job, chance.uniform(0, KILLED_AFTER_S) if killed < kills else RUN_S):
            killed += 1
        print(job.destination, killed, flush=True)  # noqa: T201 - for the test that waits
        if killed >= kills:
            return


def _finished(job: Job, after_s: float) -> bool:
    """Run in a fork; False if it took so long that it was killed."""
    child = os.fork()
    if not child:
        try:
            run(job)
        except BaseException:  # noqa: BLE001 - nothing may leave a fork but by its exit
            sys.excepthook(*sys.exc_info())
            os._exit(1)
        os._exit(0)
    deadline = time.monotonic() + after_s
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            if status:
                sys.exit(f"a run failed: {status}")
            return True
        time.sleep(0.002)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


if __name__ == "__main__":
    small_steps()
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
