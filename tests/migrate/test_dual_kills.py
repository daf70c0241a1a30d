"""Killed between any two steps, writes to both sides leave what can be settled."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from apps.campaigns.design import Campaigns
from singletable.migrate import Cutover, Job

from .conftest import Old
from .test_running import run


@pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.slow)])
def test_both_sides_agree_after_a_kill_before_any_step(
    old: Old, job: Job, tmp_path: Path, every: int
) -> None:
    old.fill(users=3, sessions=4)
    run(job)
    with Campaigns.connect(job.destination) as store:
        Cutover(store, job.name, refresh_s=0.02).advance("dual", by="ann")
    done = subprocess.run(
        [sys.executable, "-m", "tests.migrate.dual_kills", str(tmp_path), str(every)],
        capture_output=True, text=True, check=False, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 30 // every
