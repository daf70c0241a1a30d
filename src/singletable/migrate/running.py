"""A run of a migration: begun once, gone on with after every stop, until all parts are copied."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, wait
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from singletable.errors import AlreadyExists, UsageError
from singletable.model.fields import now
from singletable.store.store import Store

from .bookkeeping import Books, Part, Run
from .copying import Copier, from_span
from .migration import Migration
from .owners import Owners
from .pacing import Pace
from .progress import Meter, Progress
from .rejects import write_rejects
from .settling import settle
from .sources.address import open_source
from .sources.source import Followed, Source

LOOK_S = 0.5
PARTS_A_WORKER = 8
ROWS_A_PART = 5_000
"""Parts are not made smaller than this."""

Show = Callable[[Progress], None]


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
            _copy(job, begun, waiting, workers, executor, meter, show)
            settle(sides.store)
            begun = sides.books.update(begun, state="copied")
        kinds = sides.migration.rules
        write_rejects(sides.books, job.name, kinds, job.rejects)
        return meter.look(begun.state)


def begin(job: Job, sides: Sides, workers: int, *, follow: bool) -> Run:
    """Find a migration that was begun, or begin it: note changes first, then divide the rows."""
    found = sides.books.run_of(job.name).first()
    if found is None:
        position = followed(sides.source).begin(sides.migration.kinds) if follow else None
        made = Run(name=job.name, began_at=_second(now()), position=position)
        try:
            found = sides.books.create(made)
        except AlreadyExists:
            found = sides.books.run_of(job.name).one()
    if not found.divided:
        sides.books.delete_many(list(sides.books.parts(job.name)))
        sides.books.put_many(list(_parts(job, sides, workers)))
        found = sides.books.update(found, divided=True)
    return found


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
            yield Part(name=job.name, kind=kind, number=number, rest=from_span(span))


def _copy(
    job: Job,
    begun: Run,
    parts: Sequence[Part],
    workers: int,
    executor: Executor | None,
    meter: Meter,
    show: Show | None,
) -> None:
    """Copy parts side by side, and show how far they are until all are done."""
    with _workers(workers, executor) as pool:
        pending = {pool.submit(copy_part, job, begun, part) for part in parts}
        try:
            while pending:
                done, pending = wait(pending, timeout=LOOK_S)
                for future in done:
                    future.result()
                if show is not None:
                    show(meter.look("copying"))
        finally:
            for future in pending:
                future.cancel()


@contextmanager
def _workers(workers: int, executor: Executor | None) -> Iterator[Executor]:
    if executor is not None:
        yield executor
        return
    # A fork would share open connections.
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as made:
        yield made


def copy_part(job: Job, begun: Run, part: Part) -> Part:
    """Copy one part, in whichever process this is."""
    with job.opened() as sides, closing(Owners(job.folder / f"{job.name}.owners")) as owners:
        copier = Copier(
            begun, sides.migration, sides.source, sides.store, sides.books, owners, sides.pace
        )
        return copier.copy(part)


def _total(sides: Sides) -> int:
    return sum(sides.source.count(kind) for kind in sides.migration.rules)


def _second(moment: datetime) -> datetime:
    return moment.replace(microsecond=0)
