"""A pass over a table: begun once, gone on with after every stop, until all items were looked at.

What is done to an item follows from the item alone, and is noted after it was done: a pass that is
stopped at any moment goes on from its notes, looks at some items again, and ends with the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import Executor
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from singletable.errors import (
    ConditionFailed,
    ItemCollectionSizeLimitExceededException,
    NotFound,
    TransactionCancelled,
    UniqueViolation,
    UsageError,
    ValidationException,
)
from singletable.migrate.bookkeeping import Books, Part, Run
from singletable.migrate.copying import together
from singletable.migrate.progress import COPYING, Meter, Progress
from singletable.migrate.rejects import rejected, write_rejects
from singletable.migrate.running import Show, side_by_side
from singletable.migrate.transforming import Reject, reason_of
from singletable.model.fields import now
from singletable.model.schema import Schema
from singletable.model.table import Table
from singletable.store.drivers import run
from singletable.store.steps import Program, Together
from singletable.values import Item

from . import scanning
from .deriving import Deriver
from .guarding import guard
from .job import Backfill, Opened
from .judging import UNKNOWN, Judged, judge, reject
from .rewriting import rewrite

WORKERS = 2
UNITS_AN_ITEM = 5
"""About what it takes to rewrite an item, with its indexes."""
ITS_OWN = (
    ConditionFailed,
    ItemCollectionSizeLimitExceededException,
    NotFound,
    TransactionCancelled,
    UniqueViolation,
    UsageError,
    ValidationException,
)
"""What can go wrong with one item, and not with the table or the connection."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Passed(Progress):
    """Tells how far a pass is: rows are items that were looked at, items those written."""

    def __str__(self) -> str:
        share = 100 * self.rows / self.total if self.total else 100.0
        eta = "" if self.eta_s is None else f"; ETA {self.eta_s:.0f} s"
        return (
            f"Looked at {self.rows:,}/{self.total:,} {share:.1f}%; {self.rows_per_s:,.0f} items/s; "
            f"Written {self.items:,}; Left alone {self.rejected:,}; State {self.state}{eta}"
        )


def backfill(
    job: Backfill,
    *,
    workers: int = WORKERS,
    executor: Executor | None = None,
    show: Show | None = None,
) -> Passed:
    """Make every item be as the design has it; give how it stands then.

    A pass that was stopped is gone on with; after one that was not, all items are looked at again.
    """
    if job.migration is not None and job.migration.in_place:
        raise UsageError(
            f"{job.design.__name__} changes the layout: the new items follow the old ones, by "
            "run_migration and follow, with the job that in_place gives"
        )
    job.folder.mkdir(parents=True, exist_ok=True)
    with job.opened() as opened:
        books, store = opened.books, opened.store
        kinds = kinds_of(store.table)
        begun = _begun(job, books, kinds, scanning.segments(store, workers))
        meter = Meter(begun, books, scanning.count(store))
        waiting = [part for part in books.parts(begun.name) if part.rest is not None]
        meter.look(COPYING)  # the rate counts from here
        look = None if show is None else lambda _: show(_passed(meter.look(COPYING)))
        pool = scanning.executor_of(workers, executor)
        side_by_side(partial(pass_part, job, begun), waiting, workers, pool, look)
        books.update(begun, state="done")
        write_rejects(books, begun.name, kinds, job.rejects)
        return _passed(meter.look("done"))


def kinds_of(table: Table) -> list[str]:
    """Name the kinds of items that may be left alone."""
    return [*(schema.name for schema in table.entities.values()), UNKNOWN]


def _begun(job: Backfill, books: Books, kinds: Iterable[str], segments: int) -> Run:
    """Find a pass that was stopped, or begin one and divide the table."""
    found = books.run_of(job.name).first()
    if found is not None and found.state == "copying" and found.divided:
        return found
    books.delete_many(list(books.parts(job.name)))
    for kind in kinds:
        books.delete_many(list(books.rejected(job.name, kind)))
    books.put_many(list(scanning.parts(job.name, segments)))
    return books.put(Run(name=job.name, began_at=now(), divided=True))


def pass_part(job: Backfill, begun: Run, part: Part) -> Part:
    """Do one part, in whichever process this is."""
    with job.opened() as opened:
        worker = Worker(job, begun, opened)
        opened.pace.wait()  # it counts from here
        while part.rest is not None:
            part = worker.step(part, part.rest)
            opened.pace.wait()
    return part


def _passed(progress: Progress) -> Passed:
    state = "backfilling" if progress.state == COPYING else progress.state
    return Passed(**{**asdict(progress), "state": state})


class Worker:
    """Steps through a part, a page at a time."""

    def __init__(self, job: Backfill, begun: Run, opened: Opened) -> None:
        self._store = opened.store
        self._books = opened.books
        self._pace = opened.pace
        self._limit = _limit(job)
        self._deriver = Deriver.of(job.migration, self._store.context, begun.began_at)

    def step(self, part: Part, rest: dict[str, Any]) -> Part:
        """Do a page, and note what is left."""
        items, after = scanning.read(self._store, rest, self._limit)
        judged = judge(self._store.table, items)
        context, backend = self._store.context, self._store.backend
        done = run(guard(context, judged.entities), backend)
        with together(backend):
            done += run(self._done(judged), backend)
        rejects = [*judged.rejects, *(one for one in done if isinstance(one, Reject))]
        letters = {one.row_id: one for one in (rejected(part.name, one) for one in rejects)}
        self._books.put_many(list(letters.values()))
        update = {
            "rest": after,
            "rows": part.rows + len(items),
            "items": part.items + sum(one for one in done if not isinstance(one, Reject)),
            "rejected": part.rejected + len(letters),
            "used_per_s": self._pace.used_per_s if after else 0.0,
            "held_per_s": self._pace.units_per_s if after and self._pace.due_s else None,
        }
        return self._books.put(part.model_copy(update=update))

    def _done(self, judged: Judged) -> Program[list[int | Reject]]:
        """Do what is to be done with a page, side by side; count what was written for each item."""
        made = tuple(self._derived(judged))
        work = tuple(
            _kept(rewrite(self._store.context, one), one.schema, one.old)
            for one in judged.differing
        )
        derived: list[int | Reject] = (yield Together(made)) if made else []
        rewritten: list[int | Reject] = (yield Together(work)) if work else []
        return [*derived, *rewritten]

    def _derived(self, judged: Judged) -> Iterator[Program[int | Reject]]:
        deriver = self._deriver
        for schema, item in judged.entities if deriver else ():
            if deriver and deriver.makes_of(schema):
                yield _kept(deriver.derive(schema, item), schema, item)


def _limit(job: Backfill) -> int | None:
    """Keep pages as small as a second allows, where little may be consumed."""
    units = job.units_per_s
    return None if units is None else max(1, min(scanning.BATCH_ITEMS, int(units / UNITS_AN_ITEM)))


def _kept(work: Program[int | Reject], schema: Schema, item: Item) -> Program[int | Reject]:
    """Do what concerns one item; what is wrong with it alone is told, and all others go on."""
    try:
        return (yield from work)
    except ITS_OWN as error:
        return reject(schema.table, schema.name, item, reason_of(error))
