"""Workers are killed while writers write: nothing is missed, and what they keep is right."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pytest

from . import course
from .checks import check_all, check_no_letters
from .consumers import check_kept, consumers_of
from .outcome import Outcome
from .support import connect
from .tenures import Tenure, check_tenures


def check(folder: Path, size: course.Size, steps: Counter[str]) -> list[Tenure]:
    """Hold what a course left behind against the stream and the table."""
    assert steps.total() == size.writes
    with connect(folder / "database", size.shards) as store:
        outcome = Outcome.of(store, folder, steps)
        check_all(outcome)
        check_no_letters(outcome, *(each.name for each in consumers_of(store, folder)))
        check_kept(store, folder)
        held = check_tenures(outcome, size.batch)
    repeats = len(outcome.seen) - len(outcome.first_sights())
    sys.stdout.write(
        f"{size.writes:,} writes in {len(outcome.records)} shards, taken {len(held)} times by"
        f" {len({tenure.worker for tenure in held})} workers: {repeats} changes delivered again\n"
    )
    return held


def test_a_killed_worker_misses_nothing_and_repeats_a_batch_at_most(tmp_path: Path) -> None:
    check(tmp_path, course.SHORT, course.run(tmp_path, course.SHORT, seed=1))


@pytest.mark.slow
def test_fifty_kills_in_two_hundred_thousand_writes_leave_no_trace(tmp_path: Path) -> None:
    check(tmp_path, course.FULL, course.run(tmp_path, course.FULL, seed=2))
