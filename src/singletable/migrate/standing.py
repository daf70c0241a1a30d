"""Where a migration stands, from its notes alone; makes nothing and changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from datetime import datetime
from itertools import groupby
from typing import Any

from singletable.errors import TableMissing

from .bookkeeping import SUFFIX, Books, Part, Run
from .makes import named_by
from .migration import Migration
from .running import Job
from .sources.address import open_source
from .sources.source import Followed


@dataclass(frozen=True, slots=True, kw_only=True)
class KindStatus:
    """Is how far the rows of a table are."""

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
class Status:
    """Is where a migration stands."""

    name: str
    state: str
    """``not begun``, or what its notes say."""
    began_at: datetime | None = None
    kinds: tuple[KindStatus, ...] = ()
    backlog: int | None = None
    """Changes that are not applied yet, where the source was asked."""

    def as_data(self) -> dict[str, Any]:
        """Give it for JSON."""
        return asdict(self)


def status(job: Job) -> Status:
    """Tell where a migration stands; a job without a source is not asked for its backlog."""
    store = job.migration.store
    with store.connect(job.destination, table_name=job.table_name, create=False) as opened:
        name = f"{opened.table_name}{SUFFIX}"
        books = Books.connect(opened.backend, table_name=name, create=False)
        try:
            begun = books.run_of(job.name).first()
            parts = list(books.parts(job.name))
        except TableMissing:
            begun, parts = None, []
    if begun is None:
        return Status(name=job.name, state="not begun")
    return Status(
        name=job.name,
        state=begun.state,
        began_at=begun.began_at,
        kinds=tuple(_kinds(job.migration, parts)),
        backlog=_backlog(job, begun),
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


def _backlog(job: Job, begun: Run) -> int | None:
    if not job.source or begun.position is None:
        return None
    with closing(open_source(job.source)) as source:
        position = begun.applied or begun.position
        return source.backlog(position) if isinstance(source, Followed) else None
