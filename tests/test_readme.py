"""The README is short, its picture is that of the example below it, its figures have commands."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from singletable import cli

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs/images/readme.svg"
TEXT = (ROOT / "README.md").read_text("utf-8")
LINES_MAX = 90
"""A screen and a half."""
PEERS = ("PynamoDB", "ElectroDB", "DynamoDB Local", "moto", "NoSQL Workbench", "modelling server")


def _example() -> str:
    found = re.search(r"```python\n(.*?)```", TEXT, re.DOTALL)
    assert found is not None
    return found[1]


@pytest.fixture
def at_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Give the target of a command that is to read the example."""
    (tmp_path / "readme_example.py").write_text(_example(), "utf-8")
    monkeypatch.chdir(tmp_path)
    return "readme_example.py:Campaigns"


def _printed(*arguments: str) -> str:
    return CliRunner().invoke(cli.app, arguments).stdout


def test_it_is_read_on_a_screen_and_a_half() -> None:
    assert sum(map(bool, TEXT.splitlines())) <= LINES_MAX
    assert sum(map(bool, _example().splitlines())) <= 30


def test_nothing_is_found_in_the_example_and_each_of_its_patterns_has_a_price(
    at_example: str,
) -> None:
    assert "Campaigns: nothing found" in _printed("check", at_example)
    made = json.loads(_printed("cost", at_example, "--format", "json"))
    assert all(one["units_per_s"] for one in made["patterns"])
    assert made["month"]["on_demand"] > 0


def test_every_figure_has_the_command_that_repeats_it() -> None:
    rows = TEXT.partition("## Figures")[2].partition("## ")[0].splitlines()[6:]
    assert [row for row in rows if row and not row.endswith("` |")] == []


def test_it_is_compared_with_every_peer() -> None:
    heading = TEXT.partition("## Beside others")[2].split("\n")[2]
    assert [peer for peer in PEERS if peer not in heading] == []


def test_the_picture_shows_the_example(at_example: str) -> None:
    """``REWRITE=1 pytest tests/test_readme.py`` draws it anew."""
    drawn = _printed("describe", at_example, "--format", "svg")
    if "REWRITE" in os.environ:
        PICTURE.write_text(drawn, "utf-8")
    assert drawn == PICTURE.read_text("utf-8")
