"""The course that each proof takes: copied, followed and verified while writers write."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from singletable.migrate import (
    Job,
    Reverted,
    Verification,
    follow,
    revert,
    run_migration,
    verify,
)
from singletable.migrate.progress import Progress

from .writers import SLOWER, Clock, Writer, Writers, following

WRITERS = 4
MOMENT_S = 4.0
"""How long a write that was let through may take."""
PAUSE_S_MAX = 60.0


def arrive(
    job: Job, writer: Callable[[int], Writer], *, workers: int, pause_s: float
) -> Verification:
    """Bring everything over while writers write; compare meanwhile, and when they have stopped."""
    clock, writers = Clock(), Writers([writer(seed) for seed in range(WRITERS)], pause_s)
    with writers.at_work():
        done = copy(job, workers)
        clock.tell(f"copied {done.rows:,} rows while {writers.written:,} changes were made")
        assert done.rejected == 0
        with following(job, writers):
            while writers.written <= WRITERS:  # few rows are copied before any of them wrote twice
                time.sleep(0.1)
            clock.tell(f"applied what was changed meanwhile: {writers.written:,} changes by now")
            before = writers.written
            meanwhile = verify(job, workers=workers, settle_s=0.3)
            clock.tell(f"verified while {writers.written - before:,} changes were made")
    assert not meanwhile.differences, meanwhile.differences[:3]
    follow(job)
    checked = check(job, workers=workers)
    clock.tell(f"applied the last of {writers.written:,} changes and verified again")
    return checked


def copy(job: Job, workers: int) -> Progress:
    """Copy all rows, in processes of their own; one worker is a thread, which begins at once."""
    executor = ThreadPoolExecutor(1) if workers == 1 else None
    return run_migration(job, workers=workers, follow=True, executor=executor)


def check(job: Job, *, workers: int = 1) -> Verification:
    """Compare both sides, which nobody writes to: they agree in every field."""
    checked = verify(job, workers=workers, settle_s=0.2)
    assert not checked.differences, checked.differences[:3]
    assert (checked.agrees, checked.unsettled) == (True, 0)
    assert all(one.expected_hash == one.found_hash for one in checked.entities)
    return checked


def _reverted(job: Job, writers: Writers, workers: int) -> Reverted:
    """Go back, and again with writers that take more time, while they outrun who compares."""
    while True:
        made = revert(job, by="proof", workers=workers, settle_s=MOMENT_S, max_s=PAUSE_S_MAX)
        assert made.verification is not None
        assert not made.verification.differences, made.verification.differences[:3]
        if not made.verification.unsettled:
            return made
        writers.pause_s *= SLOWER


def come_back(
    job: Job, writer: Callable[[int], Writer], *, workers: int, writes: int, pause_s: float
) -> None:
    """Write to the new side alone, and go back while that goes on: the old side has all of it."""
    clock, writers = Clock(), Writers([writer(seed) for seed in range(WRITERS)], pause_s)
    with writers.at_work():
        while writers.written < writes:
            time.sleep(0.1)
        clock.tell(f"wrote to the new side alone, {writers.written:,} times")
        made = _reverted(job, writers, workers)
        assert made.is_reverted
        clock.tell(
            f"wrote {made.rows:,} rows back, verified and switched; {writers.written:,} writes"
        )
    sys.stdout.write(f"{'':8}    writes were held for {made.paused_s:.1f} s\n")
    assert made.rows > 0
    check(job, workers=workers)
    clock.tell("verified again")
