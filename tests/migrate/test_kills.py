"""Killed at any moment and run again, a migration ends with the same bytes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from . import running_kills
from .conftest import LATER, WHEN, Old
from .test_running import contents

BEGAN_AT = "2026-03-01T00:00:00+00:00"


def contest(old: Old) -> None:
    """Add rows of which one alone can be there, and long content."""
    old.execute(
        "INSERT INTO users VALUES ('u0b', 'u9@example.com', 'Same mail', ?, ?)", WHEN, LATER
    )
    old.execute("UPDATE sessions SET transcript_text = hex(zeroblob(200000)) WHERE id = 's7'")
    for number in (3, 150, 399):
        old.execute(
            "INSERT INTO sessions SELECT 'x' || id, campaign_id, user_id, name, NULL, audio_url,"
            f" 'LOST', created_at, updated_at FROM sessions WHERE id = 's{number}'"
        )


def check(old: Old, tmp_path: Path, kills: int, seed: int) -> None:
    old.fill(users=40, sessions=400)
    contest(old)
    source = f"sqlite:///{old.path}"
    whole = running_kills.job_of(source, tmp_path / "whole", BEGAN_AT)
    running_kills.run(whole)
    items, refused = contents(whole.destination), whole.rejects.read_bytes()
    assert len(items) > 1600
    assert refused.count(b"\n") == 4
    script, environment = (
        str(Path(running_kills.__file__)),
        {**os.environ, "PYTHONPATH": str(Path.cwd())},
    )
    arguments = [source, str(tmp_path), BEGAN_AT, str(kills), str(seed)]
    done = subprocess.run(
        [sys.executable, script, *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    lines = [line.rsplit(" ", 1) for line in done.stdout.splitlines()]
    assert int(lines[-1][1]) == kills
    for destination, _ in lines:
        assert contents(destination) == items
        assert (Path(destination).parent / whole.rejects.name).read_bytes() == refused


@pytest.mark.skipif(not hasattr(os, "fork"), reason="runs are forked")
def test_a_dozen_kills(old: Old, tmp_path: Path) -> None:
    check(old, tmp_path, 12, seed=6)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="runs are forked")
def test_a_hundred_kills(old: Old, tmp_path: Path) -> None:
    check(old, tmp_path, 100, seed=7)
