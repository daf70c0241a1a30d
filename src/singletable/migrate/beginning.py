"""A run begun: changes noted first, then the rows divided; once begun, it is gone on with."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import uuid4

from singletable.errors import AlreadyExists, ConditionFailed, UsageError
from singletable.model.conditions import F
from singletable.model.fields import now

from .bookkeeping import Part, Run
from .copying import from_span
from .layouts.proving import must_not_meet
from .sources.showing import masked
from .sources.source import Followed, Source

if TYPE_CHECKING:
    from .running import Job, Sides

PARTS_A_WORKER = 8
ROWS_A_PART = 5_000
"""Parts are not made smaller than this."""


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
    if follow and found.position is None:
        raise UsageError(
            f"{job.name} was begun without noting changes, and those since then are not known: "
            "leave out follow, and stop the writes until it is verified; or begin anew, into "
            "another table"
        )
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


def followed(source: Source) -> Followed:
    """Give a source that tells of changes, or say that this one does not."""
    if not isinstance(source, Followed):
        raise UsageError(
            f"{masked(source.address)} does not tell of changes: stop the writes to it while it is "
            "copied, and leave out follow"
        )
    return source


def _parts(job: Job, sides: Sides, workers: int) -> Iterator[Part]:
    for kind in (*sides.migration.rules, *sides.migration.along):
        most = max(1, sides.source.count(kind) // ROWS_A_PART)
        spans = sides.source.split(kind, min(most, workers * PARTS_A_WORKER))
        for number, span in enumerate(spans):
            whole = from_span(span)
            yield Part(name=job.name, kind=kind, number=number, span=whole, rest=whole)


def _second(moment: datetime) -> datetime:
    return moment.replace(microsecond=0)
