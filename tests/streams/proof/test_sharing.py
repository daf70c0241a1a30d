"""Several workers share the shards: they join, leave, are killed, and sleep; nobody notices."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from singletable.streams import Batch, Failures, Worker, follow
from singletable.streams.bookkeeping import Books

from . import course
from .course import Size
from .design import Parcel, Parcels, number_of
from .support import connect
from .test_kills import check

SHARED = Size(writes=1_500, kills=1, batch=50, shards=3, lease_s=0.6)


@contextmanager
def working(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Run a worker that has a shard; it does not outlive the block."""
    with course.start_worker(folder, SHARED) as program:
        try:
            _wait_for_shard(folder, program)
            yield program
        finally:
            program.kill()


def _wait_for_shard(folder: Path, worker: subprocess.Popen[str]) -> None:
    with connect(folder / "database") as store, Books.beside(store) as books:
        course.wait_for(
            lambda: any(f"-{worker.pid}-" in (one.owner or "") for one in books.leases("worker")),
            worker,
        )


def test_workers_come_and_go_and_miss_nothing(tmp_path: Path) -> None:
    """One joins two, one of these is killed, one leaves, and another comes."""
    course.prepare(tmp_path)
    with course.writing(tmp_path / "database") as writers:
        writers.write(SHARED.writes // 3)
        with working(tmp_path) as first, working(tmp_path) as second:
            writers.write(SHARED.writes // 3)
            with working(tmp_path) as third:
                course.kill(first)
                writers.write(SHARED.writes // 3)
                with working(tmp_path) as fourth:
                    course.leave(second)
                    writers.wait()
                    course.leave(third)
                    course.leave(fourth)
    course.drain(tmp_path, SHARED)
    held = check(tmp_path, SHARED, writers.steps)
    assert len({tenure.worker for tenure in held}) >= 4


class Noting:
    """Notes what it is given."""

    name = "Noting"

    def __init__(self) -> None:
        self.numbers: list[int] = []
        self.meanwhile: Callable[[], None] = lambda: None

    def deliver(self, batch: Batch, failures: Failures) -> None:
        """Note the numbers of changes, and let something happen before that is over."""
        self.numbers += [number_of(change) for change in batch.changes]
        self.meanwhile()


def test_a_worker_that_slept_goes_on_where_another_has_come_meanwhile() -> None:
    """It neither delivers again what was done while it slept, nor takes the checkpoint back."""
    store = Parcels.connect(":memory:")
    put(store, 1, 2)
    sleeper, other = Sleeping(store), Sleeping(store)
    sleeper.turn()
    put(store, 3, 4)
    other.turn()
    assert other.noting.numbers == [], "the other took what is not free"
    time.sleep(LEASE_S)
    other.turn()
    other.leave()
    put(store, 5)
    sleeper.turn()
    assert (sleeper.noting.numbers, other.noting.numbers) == ([1, 2, 5], [3, 4])


def test_a_worker_that_fell_asleep_at_work_makes_no_checkpoint() -> None:
    """What it was given before, another has delivered as well, and gone further."""
    store = Parcels.connect(":memory:")
    put(store, 1, 2)
    sleeper, other = Sleeping(store), Sleeping(store)

    def pass_by() -> None:
        put(store, 3)
        other.turn()
        time.sleep(LEASE_S)
        other.turn()

    sleeper.noting.meanwhile = pass_by
    sleeper.turn()
    assert (sleeper.noting.numbers, other.noting.numbers) == ([1, 2], [1, 2, 3])
    [lease] = Books.beside(store).leases("worker")
    [(_, records)] = list(follow(store))
    assert (lease.owner, lease.sequence_number) == (other.id, records[-1].sequence_number)


LEASE_S = 0.05


class Sleeping:
    """A worker that does something only when told to."""

    def __init__(self, store: Parcels) -> None:
        self.noting = Noting()
        self._worker = Worker(store, self.noting, lease_s=LEASE_S)
        self.id = self._worker.id

    def turn(self) -> None:
        """Do what a worker does again and again."""
        self._worker._leases.beat()
        self._worker._turn(_raise)

    def leave(self) -> None:
        """Leave the group as a worker does that is stopped."""
        held = [reading.lease for reading in self._worker._readings.values()]
        self._worker._leases.leave(held)


def put(store: Parcels, *steps: int) -> None:
    """Change a parcel."""
    for step in steps:
        store.put(Parcel(depot="d", name="p", step=step))


def _raise(_: object, error: Exception) -> None:
    raise error
