"""The designs as they were first written: every finding is right, and every miss is known."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from singletable.check import check
from singletable.check.reports import said
from singletable.cli._target import load
from tests.check.golden import expect

FOLDER = Path(__file__).parent / "seeds"
DEFENCES: dict[str, Any] = tomllib.loads((FOLDER / "defences.toml").read_text("utf-8"))
DESIGNS = ["campaigns", "stories", "surveys"]


@pytest.mark.parametrize("design", DESIGNS)
def test_what_is_found_in_a_design_as_written(design: str) -> None:
    findings = check(load(str(FOLDER / f"{design}_as_written.py"))).findings
    expect(FOLDER / f"{design}.txt", "\n\n".join(map(said, findings)) + "\n")


@pytest.mark.parametrize("design", DESIGNS)
def test_every_finding_is_defended_and_every_defence_has_a_finding(design: str) -> None:
    findings = check(load(str(FOLDER / f"{design}_as_written.py"))).findings
    named = sorted(f"{finding.code} {finding.place}" for finding in findings)
    assert named == sorted(DEFENCES[design])


def test_every_miss_says_what_is_missed_and_why() -> None:
    assert all(set(miss) == {"design", "fault", "why"} for miss in DEFENCES["misses"])


@pytest.mark.parametrize("design", DESIGNS)
def test_the_corrected_design_has_no_errors_and_no_warnings(design: str) -> None:
    report = check(load(f"apps.{design}.design"))
    assert not [finding for finding in report.findings if finding.severity != "note"]
