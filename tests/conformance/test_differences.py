"""The list of differences names cases that exist."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from .differences import LOCAL


def test_every_difference_names_a_case() -> None:
    """A test that was renamed takes its difference along."""
    folder = Path(__file__).parent
    listed = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", str(folder)],
        capture_output=True,
        text=True,
        check=True,
        cwd=folder.parent.parent,
    ).stdout.splitlines()
    local = [line.partition("conformance/")[2] for line in listed if "[local" in line]
    cases = {line.replace("[local-", "[").replace("[local]", "") for line in local}
    tests = {case.partition("[")[0] for case in cases}
    assert set(LOCAL) <= cases | tests
