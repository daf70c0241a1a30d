"""A run of a migration: begun once, gone on with after every stop, until all parts are copied."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, wait
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from singletable.backends.address import AWS
from singletable.errors import ConditionFailed, UsageError
from singletable.store.store import Store

from .beginning import begin
from .bookkeeping import Books, Part, Run
from .contesting import settle_contests
from .copying import Copier, TakenOver, is_of
from .migration import Migration
from .owners import Owners
from .pacing import Pace
from .processes import drop, workers_of
from .progress import Meter, Progress
from .rejects import write_rejects
from .settling import is_settled, settle, settle_segment
from .sources.address import open_source
from .sources.source import Source
from .turns import Turn

LOOK_S = 0.5
SETTLED_AT_ONCE = 20_000
"""A table of no more items is settled here, and not by workers."""
SEGMENTS_EACH = 4
"""So many segments of the table each worker settles: one writes while others count."""

Show = Callable[[Progress], None]
P = TypeVar("P")
R = TypeVar("R")


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Says all that a process needs to know to do a part of a migration."""

    migration: type[Migration[Any]]
    source: str
    """The address of what is left."""
    destination: str
    """The address of the store."""
    table_name: str | None = None
    objects: str | None = None
    folder: Path = Path()
    """Where rejects and scratch go."""
    units_per_s: float | None = None
    """How much may be consumed a second, by each worker."""
    began_at: datetime | None = None
    """What a run is dated that begins; now, if it is None. Runs of one date end alike."""

    @property
    def name(self) -> str:
        """Name the migration, after its class."""
        return self.migration.__name__

    @property
    def rejects(self) -> Path:
        """Give the file that tells the rows which were refused."""
        return self.folder / f"{self.name}.rejects.jsonl"

    @property
    def turn(self) -> Path:
        """Give the file that its workers on one machine take turns by."""
        return self.folder / f"{self.name}.turn"

    @contextmanager
    def opened(self) -> Iterator[Sides]:
        """Open both sides."""
        pace = Pace(self.units_per_s)
        with (
            closing(open_source(self.source)) as source,
            self.migration.store.connect(
                self.destination,
                table_name=self.table_name,
                objects=self.objects,
                observers=[pace.observe] if self.units_per_s else [],
            ) as store,
        ):
            yield Sides(self.migration(), source, store, Books.beside(store), pace)


@dataclass(frozen=True, slots=True)
class Sides:
    """A migration with both its sides open."""

    migration: Migration[Any]
    source: Source
    store: Store
    books: Books
    pace: Pace


def run_migration(
    job: Job,
    *,
    workers: int = 2,
    follow: bool = False,
    executor: Executor | None = None,
    show: Show | None = None,
) -> Progress:
    """Copy everything that is not copied yet; give how it stands then.

    With ``follow`` the source notes what changes from before the copy on, for ``follow`` to apply
    afterwards. An ``executor``, such as a Dask client's, runs the parts elsewhere.
    """
    job.folder.mkdir(parents=True, exist_ok=True)
    with job.opened() as sides:
        begun = begin(job, sides, workers, follow=follow)
        owners_of(job).close()  # before anything is copied
        meter = Meter(begun, sides.books, _total(sides))
        if begun.state == "copying":
            waiting = [part for part in sides.books.parts(job.name) if part.rest is not None]
            look = None if show is None else lambda _: show(meter.look("copying"))
            with workers_of(workers, executor) as pool:
                side_by_side(partial(copy_part, job, begun), waiting, workers, pool, look)
                if show is not None:
                    show(meter.look("settling"))
                _finish(job, sides, begun, partial(_settle, job, workers, pool))
            begun = _ended(sides, begun)
        kinds = sides.migration.kinds
        rejected = write_rejects(sides.books, job.name, kinds, job.rejects)
        return replace(meter.look(begun.state), rejected=rejected)


def _ended(sides: Sides, begun: Run) -> Run:
    try:
        return sides.books.update(begun, state="copied", only_if=is_of(begun))
    except ConditionFailed as error:
        raise TakenOver.of(begun) from error


def side_by_side(
    work: Callable[[P], R],
    parts: Iterable[P],
    workers: int,
    executor: Executor | None,
    look: Callable[[list[R]], None] | None = None,
) -> list[R]:
    """Do parts in several processes, and look how far they are until all are done.

    ``look`` is given what came of those that are.
    """
    results: list[R] = []
    with workers_of(workers, executor) as pool:
        pending = {pool.submit(work, part) for part in parts}
        try:
            while pending:
                done, pending = wait(pending, timeout=LOOK_S)
                results += [future.result() for future in done]
                if look is not None:
                    look(results)
        finally:
            drop(pool, pending)
    return results


def copy_part(job: Job, begun: Run, part: Part) -> Part:
    """Copy one part, in whichever process this is."""
    with job.opened() as sides, _copier(job, sides, begun) as copier:
        return copier.copy(part)


def _finish(job: Job, sides: Sides, begun: Run, settle_all: Callable[[], bool]) -> None:
    """Settle what can be settled only when all is there."""
    parts = list(sides.books.parts(job.name))
    left = sum(part.rest is not None for part in parts)
    if left:
        raise UsageError(
            f"{left} of {len(parts)} parts were copied, but not to {job.destination} as it is seen "
            "from here: give an address that is the same for all workers"
        )
    with _copier(job, sides, begun) as copier:
        settle_contests(copier, parts)
    if sides.migration.in_place or is_settled(sides.store.table):
        return  # in place, others keep counts while they write
    is_large = sum(part.items for part in parts) > SETTLED_AT_ONCE
    if not is_large or not settle_all():
        settle(sides.store)


def _settle(job: Job, workers: int, pool: Executor) -> bool:
    """Settle segments of the table side by side, if that can be."""
    segments = SEGMENTS_EACH * workers
    work = partial(settle_part, job, segments)
    return all(side_by_side(work, range(segments), workers, pool))


def settle_part(job: Job, segments: int, number: int) -> bool:
    """Settle a segment of the table, in whichever process this is."""
    with job.opened() as sides, closing(Turn(job.turn)) as turn:
        return settle_segment(sides.store, number, segments, turn)


@contextmanager
def _copier(job: Job, sides: Sides, begun: Run) -> Iterator[Copier]:
    with ExitStack() as stack:
        turn = stack.enter_context(closing(Turn(job.turn)))
        owners = stack.enter_context(closing(owners_of(job)))
        yield Copier(
            begun=begun,
            migration=sides.migration,
            source=sides.source,
            store=sides.store,
            books=sides.books,
            owners=owners,
            pace=sides.pace,
            turn=turn,
        )


def owners_of(job: Job) -> Owners:
    """Open the file that knows which row makes which item; refuse another destination's."""
    at = str(job.destination)
    if not at.startswith((AWS, "http://", "https://")):
        at = str(Path(at).resolve())
    into = f"{job.table_name or job.migration.store.table.name} at {at}"
    # SQLite does not wait for who makes a file at the same time.
    with closing(Turn(job.turn)) as turn, turn:
        return Owners(job.folder / f"{job.name}.owners", into)


def _total(sides: Sides) -> int:
    return sum(sides.source.count(kind) for kind in sides.migration.rules)
