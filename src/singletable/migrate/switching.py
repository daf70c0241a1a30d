"""The next phase, with all that has to be done before it: for an operator, and the command line.

Two phases are entered while writes are held: ``dual``, when the last change is applied, and
``done``, when nobody brings a row of the old side over any more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic, sleep
from typing import Final

from singletable.errors import UsageError

from .bookkeeping import PhaseName, Run
from .dual import unsettled
from .following import following
from .phases import Cutover, Flags, Pause, PauseExceeded
from .phases.cutover import REFRESH_S
from .running import Job

FEW = 100
"""So many changes may be left to be applied while writes are held."""
POLL_S = 0.2
HELD: Final[frozenset[tuple[PhaseName, PhaseName]]] = frozenset(
    {("old", "dual"), ("new-100", "done")}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Switched:
    """Tells what came of a change of the phase."""

    flags: Flags
    applied: int = 0
    """How many changes of the old side were applied for it."""
    paused_s: float | None = None
    """For how long writes were held; None if they went on."""


def switch(  # noqa: PLR0913 - each is a setting with a default
    job: Job,
    to: PhaseName,
    *,
    by: str,
    note: str = "",
    force: bool = False,
    max_s: float = 30.0,
    settle_s: float = 1.0,
    refresh_s: float = REFRESH_S,
    show: Callable[[int], None] = lambda _: None,
) -> Switched:
    """Change the phase, and apply what is left before the new side has to be complete.

    Writes are held for ``max_s`` at most, where they have to be. Whoever was let through before has
    to be done within ``settle_s``. ``show`` is told how many changes are left to be applied.
    """
    with job.migration.store.connect(job.destination, table_name=job.table_name) as store:
        cutover = Cutover(store, job.migration, refresh_s=refresh_s)
        if (cutover.phase, to) not in HELD:
            return Switched(flags=cutover.advance(to, by=by, note=note, force=force))
        with _following(job, show, force=force) as caught_up:
            applied = caught_up(_Nearly(monotonic() + max_s))
            cutover.prepare(to)
            with cutover.paused(by=by, max_s=max_s, settle_s=settle_s) as pause:
                applied += _wholly(job, pause, caught_up)
                _settle(job)
                flags = pause.advance(to, by=by, note=note, force=force)
        return Switched(flags=flags, applied=applied, paused_s=pause.lasted_s)


class _Nearly:
    """Ends when little is left, or after a while: what is left then is left to the pause."""

    def __init__(self, until: float) -> None:
        self._until = until
        self._backlog: int | None = None

    def show(self, backlog: int) -> None:
        self._backlog = backlog

    def stop(self) -> bool:
        is_near = self._backlog is not None and self._backlog <= FEW
        return is_near or monotonic() > self._until


@dataclass(slots=True)
class _Wholly:
    """Ends when nothing is told any more, or the pause is over; knows what is left then."""

    pause: Pause
    backlog: int = 0

    def show(self, backlog: int) -> None:
        self.backlog = backlog

    def stop(self) -> bool:
        return not self.pause.left_s


CatchUp = Callable[[_Nearly | _Wholly], int]
"""Applies what has changed; gives the number of changes."""


def _wholly(job: Job, pause: Pause, caught_up: CatchUp) -> int:
    """Apply all that is left; a source may know of changes that it cannot tell as yet."""
    applied, how = 0, _Wholly(pause)
    while pause.left_s:
        applied += caught_up(how)
        if pause.left_s and not how.backlog:
            return applied
        sleep(min(POLL_S, pause.left_s))
    raise PauseExceeded(
        f"After {pause.max_s} s not all changes of the old side were applied ({how.backlog} left), "
        f"so {job.name} is not switched. PostgreSQL tells of none as long as a transaction is open "
        "that wrote anything before it: look for those in pg_stat_activity, and for who writes "
        "without asking whether writes are held, and try again when they have ended, or with a "
        "longer pause"
    )


@contextmanager
def _following(job: Job, show: Callable[[int], None], *, force: bool) -> Iterator[CatchUp]:
    """Give how to apply what has changed, the rest of it in the pause.

    Without notes of that, who switches has to say that nothing has.
    """
    if not job.source:
        raise UsageError(
            f"{job.name} has to follow the old side until nothing is left: say where that is "
            "(--from)"
        )
    with job.opened() as sides:
        begun = _begun(sides.books.run_of(job.name).first(), job)
        phase = sides.books.phase_of(job.name).first()
    if begun.position is not None:
        with following(job) as session:
            yield lambda how: session.catch_up(how.stop, _both(how.show, show))
    elif not force and (phase is None or phase.phase == "old"):
        raise UsageError(
            f"{job.name} was copied without noting changes: stop the writes to the old side, "
            "verify, and force it"
        )
    else:
        yield lambda _: 0


def _both(one: Callable[[int], None], other: Callable[[int], None]) -> Callable[[int], None]:
    def told(backlog: int) -> None:
        one(backlog)
        other(backlog)

    return told


def _settle(job: Job) -> None:
    """Settle what writers to both sides have left undone; nobody is at it now."""
    with job.opened() as sides:
        begun = _begun(sides.books.run_of(job.name).first(), job)
        left = list(unsettled(sides, begun, older_s=0))
        if left:
            raise UsageError(
                f"{len(left)} rows of the journal of {job.name} could not be settled, so it is not "
                f"switched: {'; '.join(left[:3])}"
            )


def _begun(begun: Run | None, job: Job) -> Run:
    if begun is None or begun.state == "copying":
        raise UsageError(f"{job.name} is not copied yet: run it first")
    return begun
