"""Back to the old side: all is written there and verified, and the phase switched in a pause."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

from singletable.errors import UsageError
from singletable.migrate.bookkeeping import PhaseName
from singletable.migrate.phases import Cutover, Pause, PauseExceeded
from singletable.migrate.running import Job
from singletable.migrate.verifying import Verification, verify

from .writing_back import catch_up, drain, keep_up

BACK_TO: tuple[PhaseName, ...] = ("new-100", "old")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reverted:
    """Tells what came of a revert."""

    phase: PhaseName
    rows: int
    """How many rows were written to the old side, or deleted there, since it was left."""
    verification: Verification | None
    """What was compared before the switch; None where that was not asked for."""
    paused_s: float | None
    """For how long writes were held; None if the phase was not switched."""

    @property
    def is_reverted(self) -> bool:
        """Tell whether the old side is the right one again."""
        return self.phase != "done"

    def as_data(self) -> dict[str, Any]:
        """Give it for JSON."""
        compared = self.verification.as_data() if self.verification else None
        return {**asdict(self), "verification": compared, "is_reverted": self.is_reverted}


def revert(  # noqa: PLR0913 - each is a setting with a default
    job: Job,
    *,
    by: str,
    to: PhaseName = "new-100",
    max_s: float = 30.0,
    settle_s: float = 1.0,
    workers: int = 1,
    verified: bool = True,
    show: Callable[[Any], None] | None = None,
) -> Reverted:
    """Write back what the old side lacks, verify, and switch to an earlier phase.

    Writes go on but for the last moment, when they are held for ``max_s`` at most. Where both sides
    differ nothing is switched. Stopped at any moment, it goes on when it is called again.
    """
    if to not in BACK_TO:
        raise UsageError(f"A migration is reverted to {' or '.join(BACK_TO)}, not to {to}")
    with job.migration.store.connect(job.destination, table_name=job.table_name) as store:
        cutover = Cutover(store, job.migration)
        if cutover.phase == to and _was_reverted(cutover):
            return Reverted(phase=to, rows=_rows(cutover), verification=None, paused_s=None)
        catch_up(job)
        checked = _verified(job, workers, show) if verified else None
        if checked is not None and not checked.agrees:
            return Reverted(phase="done", rows=_rows(cutover), verification=checked, paused_s=None)
        with cutover.paused(by=by, max_s=max_s, settle_s=settle_s) as pause:
            _drain(job, pause)
            pause.advance(to, by=by, note="reverted", force=True)
        return Reverted(
            phase=to, rows=_rows(cutover), verification=checked, paused_s=pause.lasted_s
        )


def _verified(job: Job, workers: int, show: Callable[[Any], None] | None) -> Verification:
    """Compare both sides, while what goes on to be written is written back."""
    with _writing_back(job):
        return verify(job, workers=workers, show=show)


@contextmanager
def _writing_back(job: Job) -> Iterator[None]:
    done = threading.Event()
    with ThreadPoolExecutor(1) as thread:
        writer = thread.submit(keep_up, job, done.is_set)
        try:
            yield
        finally:
            done.set()
        writer.result()


def _drain(job: Job, pause: Pause) -> None:
    """Write the rest back, in time."""
    if not drain(job, stop=lambda: not pause.left_s):
        raise PauseExceeded(
            f"Not all that the old side lacks was written back within {pause.max_s} s, so "
            f"{job.name} is not reverted: what was is noted, try again, or give a longer pause"
        )


def _was_reverted(cutover: Cutover) -> bool:
    history = cutover.history()
    return bool(history) and history[-1].before == "done"


def _rows(cutover: Cutover) -> int:
    noted = cutover.books.return_of(cutover.migration).first()
    return noted.rows if noted else 0
