"""Work on a table that is killed before a random request of its own, and begun again.

``python -m tests.migrate.backfilling_kills backfill|layout|clean PATH FOLDER KILLS``
"""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from singletable.migrate import (
    Backfill,
    backfill,
    clean,
    copying,
    follow,
    in_place,
    run_migration,
)
from singletable.migrate.backfilling import scanning

from .backfills import WithSettings
from .kills import in_child, kill_before
from .layouts import ByBook

BATCH = 25
REQUESTS_MAX = 160


def killed(work: str, path: Path, folder: Path, kills: int) -> Iterator[str]:
    """Begin work so many times, elsewhere; say of each time whether it was killed, or ended."""
    command = [sys.executable, "-m", __name__, work, str(path), str(folder), str(kills)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8") as process:
        assert process.stdout is not None
        yield from (line.strip() for line in process.stdout)
    assert process.returncode == 0


def _backfill(path: str, folder: Path) -> None:
    backfill(Backfill(WithSettings, path, folder=folder), executor=ThreadPoolExecutor(1))


def _layout(path: str, folder: Path) -> None:
    job = in_place(ByBook, path, folder=folder)
    run_migration(job, executor=ThreadPoolExecutor(1), follow=True)
    follow(job)


def _clean(path: str, folder: Path) -> None:
    clean(in_place(ByBook, path, folder=folder), executor=ThreadPoolExecutor(1))


WORK = {"backfill": _backfill, "layout": _layout, "clean": _clean}


def _main(name: str, path: str, folder: str, kills: str) -> None:
    scanning.BATCH_ITEMS = copying.BATCH_ROWS = BATCH
    chance = random.Random(kills)  # noqa: S311 - no secret

    def work() -> None:
        kill_before(step)
        WORK[name](path, Path(folder))

    for _ in range(int(kills)):
        step = chance.randrange(1, REQUESTS_MAX)
        print("ended" if in_child(work) else "killed", flush=True)  # noqa: T201 - it tells


if __name__ == "__main__":
    _main(*sys.argv[1:])
