"""A revert that is killed goes on, whatever it was at, and the old side has everything once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from singletable.migrate import Cutover, Job

from .test_reverting import cutover, done, job, old, store

__all__ = ["cutover", "done", "job", "old", "store"]


def test_it_gets_through_in_the_end(done: Cutover, job: Job, tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "tests.migrate.reverting_kills", str(tmp_path)],
        capture_output=True, text=True, check=False, timeout=600,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    assert int(ended.stdout) > 8
