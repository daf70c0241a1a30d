"""Where a migration stands, from its notes alone; makes nothing and changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from datetime import datetime
from itertools import groupby
from typing import Any

from singletable.errors import TableMissing
from singletable.store.store import Store

from .backfilling import Backfill
from .bookkeeping import SUFFIX, Books, Part, Phase, PhaseName, Return, Run
from .dual.journal import SHARDS
from .makes import named_by
from .migration import Migration
from .running import Job
from .sources.address import open_source
from .sources.dynamodb.positions import hours_left
from .sources.errors import ChangesLost
from .sources.source import Followed


@dataclass(frozen=True, slots=True, kw_only=True)
class KindStatus:
    """How far the rows of a table are."""

    kind: str
    makes: tuple[str, ...]
    """The entities that come of them, by the names in their rule."""
    rows: int
    items: int
    rejected: int
    parts: int
    done: int
    """How many of the parts are copied."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Following:
    """How far changes of the source were applied."""

    backlog: int | None = None
    """Changes that are not applied yet, where the source was asked."""
    hours_left: float | None = None
    """For how long they can be gone on with; None where the source keeps them."""
    lost: str | None = None
    """Why they cannot be any more, where the source says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseStatus:
    """Where the application stands between both sides."""

    phase: PhaseName
    since: datetime
    postponed: str | None
    paused_by: str | None
    """Who holds the writes, if somebody does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WayBack:
    """How far the old side has what was written to the new one alone."""

    rows: int
    """How many rows were written back, or deleted."""
    hours_left: float | None
    """For how long the way back is open, unless more is written back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BackfillStatus:
    """How far a backfill of the design as it is now came."""

    name: str
    began_at: datetime
    is_done: bool
    looked: int
    written: int
    left_alone: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """Where a migration stands."""

    name: str
    state: str
    """``not begun``, or what its notes say."""
    began_at: datetime | None = None
    kinds: tuple[KindStatus, ...] = ()
    following: Following | None = None
    """None where changes are not noted."""
    phase: PhaseStatus | None = None
    """None if nobody has begun to switch over."""
    journal: int = 0
    """How many rows are being written on both sides, or were left undone."""
    way_back: WayBack | None = None
    """None unless the new side alone is written to, and there are rules of the way back."""
    backfills: tuple[BackfillStatus, ...] = ()

    def as_data(self) -> dict[str, Any]:
        """Give it for JSON."""
        return asdict(self)


def status(job: Job) -> Status:
    """Tell where a migration stands; a job without a source is not asked for its backlog."""
    store = job.migration.store
    with store.connect(job.destination, table_name=job.table_name, create=False) as opened:
        try:
            return _status(job, opened, _books(opened))
        except TableMissing:
            return Status(name=job.name, state="not begun")


def _books(store: Store) -> Books:
    return Books.connect(store.backend, table_name=f"{store.table_name}{SUFFIX}", create=False)


def _status(job: Job, store: Store, books: Books) -> Status:
    begun, phase = books.run_of(job.name).first(), books.phase_of(job.name).first()
    clock = store.context.clock
    return Status(
        name=job.name,
        state=begun.state if begun else "not begun",
        began_at=begun.began_at if begun else None,
        kinds=tuple(_kinds(job.migration, list(books.parts(job.name)))),
        following=_following(job, begun, clock) if begun else None,
        phase=_phase(phase) if phase else None,
        journal=sum(books.journal(job.name, shard).count() for shard in range(SHARDS)),
        way_back=_way_back(phase, books.return_of(job.name).first(), clock),
        backfills=tuple(_backfills(job, books)),
    )


def _kinds(migration: type[Migration[Any]], parts: list[Part]) -> Iterator[KindStatus]:
    for kind, some in groupby(parts, lambda part: part.kind):
        listed, rule = list(some), migration.rules.get(kind)
        yield KindStatus(
            kind=kind,
            makes=tuple(named_by(migration, rule)) if rule else (),
            rows=sum(part.rows for part in listed),
            items=sum(part.items for part in listed),
            rejected=sum(part.rejected for part in listed),
            parts=len(listed),
            done=sum(part.rest is None for part in listed),
        )


def _following(job: Job, begun: Run, clock: Callable[[], datetime]) -> Following | None:
    if begun.position is None:
        return None
    left = hours_left(begun.position, clock())
    try:
        return Following(backlog=_backlog(job, begun.applied or begun.position), hours_left=left)
    except ChangesLost as error:
        return Following(hours_left=left, lost=str(error))


def _backlog(job: Job, position: str) -> int | None:
    if not job.source:
        return None
    with closing(open_source(job.source)) as source:
        return source.backlog(position) if isinstance(source, Followed) else None


def _phase(phase: Phase) -> PhaseStatus:
    return PhaseStatus(
        phase=phase.phase,
        since=phase.since,
        postponed=phase.postponed,
        paused_by=phase.paused_by if phase.pause_id else None,
    )


def _way_back(
    phase: Phase | None, noted: Return | None, clock: Callable[[], datetime]
) -> WayBack | None:
    if phase is None or noted is None or phase.phase != "done" or phase.number <= noted.number:
        return None
    return WayBack(rows=noted.rows, hours_left=hours_left(noted.position, clock()))


def _backfills(job: Job, books: Books) -> Iterator[BackfillStatus]:
    for design in (job.migration.store, job.migration):
        name = Backfill(design, job.destination).name
        begun = books.run_of(name).first()
        if begun is not None:
            parts = list(books.parts(name))
            yield BackfillStatus(
                name=design.__name__,
                began_at=begun.began_at,
                is_done=begun.state == "done",
                looked=sum(part.rows for part in parts),
                written=sum(part.items for part in parts),
                left_alone=sum(part.rejected for part in parts),
            )
