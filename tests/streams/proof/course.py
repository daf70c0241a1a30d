"""The course of the proof: writers write while workers are killed, until all is delivered."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import IO

from singletable.streams.bookkeeping import Books

from .seen import Seen
from .support import connect, seeded, start

WRITERS = 4


@dataclass(frozen=True)
class Size:
    """Says how long a course is, and of what a worker is made."""

    writes: int
    kills: int
    batch: int
    shards: int = 1
    lease_s: float = 0.3

    def shares(self) -> list[int]:
        """Give how much is written before each kill."""
        ends = [self.writes * life // self.kills for life in range(self.kills + 1)]
        return [end - begin for begin, end in pairwise(ends)]


SHORT = Size(writes=3_000, kills=5, batch=100)
FULL = Size(writes=200_000, kills=50, batch=500)
MOMENT_S = 0.1
PATIENCE_S = 120.0


class Writers:
    """Programs that write at the same time."""

    def __init__(self, path: Path, count: int) -> None:
        self._programs = [start("writer", path, f"w{number}") for number in range(count)]
        self.steps: Counter[str] = Counter()

    def write(self, total: int) -> None:
        """Have them make so many changes, beginning now."""
        each, rest = divmod(total, len(self._programs))
        for number, program in enumerate(self._programs):
            print(each + (number < rest), file=_input(program), flush=True)

    def wait(self) -> None:
        """Wait until all is written; note the changes of each parcel."""
        for program in self._programs:
            said, _ = program.communicate()
            assert program.returncode == 0, "a writer failed"
            self.steps.update(json.loads(said))

    def kill(self) -> None:
        """End those that still write."""
        for program in self._programs:
            program.kill()
            program.communicate()


@contextmanager
def writing(path: Path) -> Iterator[Writers]:
    """Run writers, which do not outlive the block."""
    writers = Writers(path, WRITERS)
    try:
        yield writers
    finally:
        writers.kill()


def prepare(folder: Path) -> None:
    """Make the tables, and have the bookkeeping tell its own changes: they are looked at later."""
    with connect(folder / "database") as store, Books.beside(store) as books:
        view = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
        books.send("UpdateTable", {"TableName": books.table_name, "StreamSpecification": view})


def run(folder: Path, size: Size, seed: int) -> Counter[str]:
    """Run the whole course; give how many changes of each parcel were made."""
    random, seen, written = seeded(seed), Seen(folder / "seen"), 0
    prepare(folder)
    with writing(folder / "database") as writers:
        for share in size.shares():
            writers.write(share)
            worker = start_worker(folder, size)
            if random.random() < 0.9:  # others are killed as they begin
                goal = written + int(share * random.random())
                wait_for(partial(seen.has, goal), worker)
            time.sleep(random.random() * MOMENT_S)
            kill(worker)
            written += share
        writers.wait()
    drain(folder, size)
    return writers.steps


def wait_for(condition: Callable[[], bool], worker: subprocess.Popen[str]) -> None:
    """Wait until something is so, which a worker sees to."""
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert worker.poll() is None, "a worker ended by itself"
        assert time.monotonic() < deadline, "a worker does not come on"
        time.sleep(0.01)


def start_worker(folder: Path, size: Size, *options: str) -> subprocess.Popen[str]:
    """Start a worker."""
    return start("worker", folder, size.shards, size.lease_s, size.batch, *options)


def drain(folder: Path, size: Size) -> None:
    """Have one more worker do all that is left."""
    with start_worker(folder, size, "--drain") as worker:
        worker.communicate()
    assert worker.returncode == 0, "the last worker failed"


def kill(worker: subprocess.Popen[str]) -> None:
    """Kill a worker, which was alive until then."""
    worker.kill()
    worker.communicate()
    assert_killed(worker)


def assert_killed(worker: subprocess.Popen[str]) -> None:
    """See that a worker did not end by itself."""
    assert worker.returncode == -signal.SIGKILL, "a worker ended by itself"


def leave(worker: subprocess.Popen[str]) -> None:
    """Ask a worker to leave, and wait for that."""
    worker.terminate()
    worker.communicate()
    assert worker.returncode == 0, "a worker failed"


def _input(program: subprocess.Popen[str]) -> IO[str]:
    assert program.stdin is not None
    return program.stdin
