"""Ctrl-C ends a run and its processes at once; nothing is half done, and the next goes on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from singletable.migrate import Job, status

from .conftest import Old
from .test_running import contents, run

COMMAND = (sys.executable, "-c", "from singletable.cli import main; main()")
TARGET = "tests.migrate.campaigns:ToOneTable"
UNITS_PER_S = 300
"""So that a run would last for some twenty seconds."""

Run = subprocess.Popen[str]
posix = pytest.mark.skipif(not hasattr(os, "killpg"), reason="there are no groups of processes")


def terminal(run: Run) -> None:
    """Press Ctrl-C: every process of the command hears it."""
    os.killpg(run.pid, signal.SIGINT)


def command(run: Run) -> None:
    """Send it to the command alone, as a supervisor does."""
    run.send_signal(signal.SIGINT)


def twice(run: Run) -> None:
    """Send it again, if the command has not ended yet."""
    run.send_signal(signal.SIGINT)
    time.sleep(0.5)
    run.send_signal(signal.SIGINT)


def begun(job: Job) -> Run:
    """Run a migration in processes of its own, until something is copied."""
    units = ("--units-per-s", str(UNITS_PER_S), "--folder", str(job.folder))
    started = subprocess.Popen(
        [*COMMAND, "migrate", "run", TARGET, "--from", job.source, "--to", job.destination, *units],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    until = time.monotonic() + 60
    while not _copied(job):
        assert started.poll() is None, started.communicate()
        assert time.monotonic() < until
        time.sleep(0.05)
    return started


def _copied(job: Job) -> int:
    return sum(one.rows for one in status(job).kinds) if Path(job.destination).exists() else 0


@posix
@pytest.mark.parametrize("interrupt", [terminal, command, twice])
def test_a_run_ends_at_once_and_the_next_ends_with_the_same(
    old: Old, job: Job, tmp_path: Path, interrupt: Callable[[Run], None]
) -> None:
    old.fill(users=20, sessions=800)
    with begun(job) as stopped:
        since = time.monotonic()
        interrupt(stopped)
        said, told = stopped.communicate(timeout=60)
        took_s = time.monotonic() - since
    assert told == "Stopped. The same command goes on from here.\n"
    assert (said, took_s < 15) == ("", True)
    assert stopped.returncode in {130, -signal.SIGINT}  # the second may meet it at its very end
    left = contents(job.destination)
    time.sleep(1)  # in which any process that is left would write
    assert contents(job.destination) == left
    run(job)
    whole = Job(
        migration=job.migration,
        source=job.source,
        destination=str(tmp_path / "whole.db"),
        folder=tmp_path / "whole",
    )
    run(whole)
    assert len(left) < len(contents(job.destination))
    assert contents(job.destination) == contents(whole.destination)
