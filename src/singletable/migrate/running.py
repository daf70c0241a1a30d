"""A run of a migration: begun once, gone on with after every stop, until all parts are copied."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, wait
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from multiprocessing import get_context, parent_process
from pathlib import Path
from threading import Thread
from typing import Any, TypeVar
from uuid import uuid4

from singletable.errors import AlreadyExists, ConditionFailed, UsageError
from singletable.model.conditions import F
from singletable.model.fields import now
from singletable.store.store import Store

from .bookkeeping import Books, Part, Run
from .contesting import settle_contests
from .copying import Copier, TakenOver, from_span, is_of
from .layouts.proving import must_not_meet
from .migration import Migration
from .owners import Owners
from .pacing import Pace
from .progress import Meter, Progress
from .rejects import write_rejects
from .settling import is_settled, settle, settle_segment
from .sources.address import open_source
from .sources.source import Followed, Source
from .turns import Turn

LOOK_S = 0.5
PARTS_A_WORKER = 8
SETTLED_AT_ONCE = 20_000
"""A table of no more items is settled here, and not by workers."""
GARBAGE = 100_000
"""So many objects are made before cycles are looked for."""
ROWS_A_PART = 5_000
"""Parts are not made smaller than this."""

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
    """Is a migration with both its sides open."""

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
        meter = Meter(begun, sides.books, _total(sides))
        if begun.state == "copying":
            waiting = [part for part in sides.books.parts(job.name) if part.rest is not None]
            look = None if show is None else lambda: show(meter.look("copying"))
            with _workers(workers, executor) as pool:
                side_by_side(partial(copy_part, job, begun), waiting, workers, pool, look)
                _finish(job, sides, begun, partial(_settle, job, workers, pool))
            begun = _ended(sides, begun)
        kinds = sides.migration.rules
        rejected = write_rejects(sides.books, job.name, kinds, job.rejects)
        return replace(meter.look(begun.state), rejected=rejected)


def begin(job: Job, sides: Sides, workers: int, *, follow: bool) -> Run:
    """Find a migration that was begun, or begin it: note changes first, then divide the rows."""
    found = sides.books.run_of(job.name).first()
    if found is None:
        if sides.migration.in_place:
            must_not_meet(job.migration)
        position = followed(sides.source).begin(sides.migration.kinds) if follow else None
        made = Run(name=job.name, began_at=_second(job.began_at or now()), position=position)
        try:
            found = sides.books.create(made)
        except AlreadyExists:
            found = sides.books.run_of(job.name).one()
    if found.state == "copying":
        found = _taken(sides, found)
    if not found.divided:
        sides.books.delete_many(list(sides.books.parts(job.name)))
        sides.books.put_many(list(_parts(job, sides, workers)))
        found = sides.books.update(found, divided=True)
    return found


def _taken(sides: Sides, found: Run) -> Run:
    """Take a run over: whoever was at it, and may live somewhere, has no part in it any more."""
    try:
        copying = F("state") == "copying"
        return sides.books.update(found, token=uuid4().hex, only_if=copying)
    except ConditionFailed:
        return sides.books.run_of(found.name).one()


def _ended(sides: Sides, begun: Run) -> Run:
    try:
        return sides.books.update(begun, state="copied", only_if=is_of(begun))
    except ConditionFailed as error:
        raise TakenOver.of(begun) from error


def followed(source: Source) -> Followed:
    """Give a source that tells of changes, or say that this one does not."""
    if not isinstance(source, Followed):
        raise UsageError(
            f"{source!r} does not tell of changes: stop the writes to it while it is copied, "
            "and leave out follow"
        )
    return source


def _parts(job: Job, sides: Sides, workers: int) -> Iterator[Part]:
    for kind in sides.migration.rules:
        most = max(1, sides.source.count(kind) // ROWS_A_PART)
        spans = sides.source.split(kind, min(most, workers * PARTS_A_WORKER))
        for number, span in enumerate(spans):
            whole = from_span(span)
            yield Part(name=job.name, kind=kind, number=number, span=whole, rest=whole)


def side_by_side(
    work: Callable[[P], R],
    parts: Iterable[P],
    workers: int,
    executor: Executor | None,
    look: Callable[[], None] | None = None,
) -> list[R]:
    """Do parts in several processes, and look how far they are until all are done."""
    results: list[R] = []
    with _workers(workers, executor) as pool:
        pending = {pool.submit(work, part) for part in parts}
        try:
            while pending:
                done, pending = wait(pending, timeout=LOOK_S)
                results += [future.result() for future in done]
                if look is not None:
                    look()
        finally:
            for future in pending:
                future.cancel()
    return results


@contextmanager
def _workers(workers: int, executor: Executor | None) -> Iterator[Executor]:
    if executor is not None:
        yield executor
        return
    # A fork would share open connections.
    spawning = get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=spawning, initializer=_prepare) as made:
        yield made


def _prepare() -> None:
    """Have a process end with its parent, and look for cycles less often: it makes none."""
    Thread(target=_end_with_parent, daemon=True).start()
    gc.freeze()
    gc.set_threshold(GARBAGE, 50, 100)


def _end_with_parent() -> None:
    """End at once where the parent was killed: it would be in the way of who goes on."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


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
    work = partial(settle_part, job, workers)
    return all(side_by_side(work, range(workers), workers, pool))


def settle_part(job: Job, segments: int, number: int) -> bool:
    """Settle a segment of the table, in whichever process this is."""
    with job.opened() as sides:
        return settle_segment(sides.store, number, segments)


@contextmanager
def _copier(job: Job, sides: Sides, begun: Run) -> Iterator[Copier]:
    scratch = job.folder / f"{job.name}.owners"
    with ExitStack() as stack:
        turn = stack.enter_context(closing(Turn(scratch.with_suffix(".turn"))))
        with turn:  # SQLite does not wait for who makes a file at the same time
            owners = stack.enter_context(closing(Owners(scratch)))
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


def _total(sides: Sides) -> int:
    return sum(sides.source.count(kind) for kind in sides.migration.rules)


def _second(moment: datetime) -> datetime:
    return moment.replace(microsecond=0)
