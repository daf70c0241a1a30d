"""Real clients of Replicache converge to the table, whatever happens on the way.

A schedule is five clients that edit at random, on and offline, behind a proxy that drops, delays
and doubles requests, on a server that is killed. Every edit is made once, no client ever shows a
part of what others did at once, and in the end all show the table. ``driver.mjs`` runs them.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests import components

ROOT = Path(__file__).resolve().parents[3]
SHORT = range(1, 2)
BLOCK = 10
ALL = [range(first, first + BLOCK) for first in range(1, 101, BLOCK)]
SCHEDULE_S_MAX = 120


def node() -> str:
    """Find node, where Replicache's client is installed."""
    found = shutil.which("node")
    if found is None:
        components.missing("node", "install Node.js 20 or later")
    if not (components.FOLDER / "node_modules/replicache").is_dir():
        components.missing("Replicache's client", "run `make components` (npm)")
    return found


def run(seeds: range, folder: Path) -> list[dict[str, Any]]:
    """Run the schedules of some seeds; give what each tells."""
    driver = str(Path(__file__).with_name("driver.mjs"))
    places = [str(components.FOLDER), sys.executable, str(folder)]
    ran = subprocess.run(
        [node(), "--no-warnings", driver, *places, str(seeds[0]), str(seeds[-1])],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=SCHEDULE_S_MAX * len(seeds),
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return [json.loads(line) for line in ran.stdout.splitlines()]


def check(told: list[dict[str, Any]], seeds: range) -> None:
    """Every schedule converged, and enough went wrong in them to mean something."""
    assert [one["seed"] for one in told] == list(seeds)
    assert not [one for one in told if "error" in one]
    total: Counter[str] = sum((Counter(one) for one in told), Counter())
    del total["seed"]
    print(f"{len(told)} schedules:", dict(total))  # noqa: T201 - the figures are the result
    assert not total["torn"]
    assert not total["forgotten"]
    assert not total["refused"], "an answer had an error's status"
    assert total["kills"] == len(seeds)
    assert total["edits"] > 30 * len(seeds)
    for kind in ("dropped", "unanswered", "doubled", "delayed", "offline", "plain", "cut"):
        assert total[kind] > 0, f"nothing was {kind}"


def test_clients_converge_to_the_table(tmp_path: Path) -> None:
    check(run(SHORT, tmp_path), SHORT)


@pytest.mark.slow
@pytest.mark.parametrize("seeds", ALL, ids=lambda seeds: f"{seeds[0]}-{seeds[-1]}")
def test_clients_converge_to_the_table_in_100_schedules(seeds: range, tmp_path: Path) -> None:
    check(run(seeds, tmp_path), seeds)
