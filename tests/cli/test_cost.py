"""``singletable cost`` estimates, compares and measures a design, in every format."""

import json
import re
from io import StringIO
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from apps.campaigns.design import Campaigns
from singletable import cli
from singletable.cli.cost import cost
from tests.apps.campaigns import ITEMS

TARGET = "apps.campaigns.design:Campaigns"


def _run(*arguments: object) -> Result:
    return CliRunner().invoke(cli.app, ["cost", *map(str, arguments)])


@pytest.fixture
def traffic(tmp_path: Path) -> Path:
    """A file with some traffic."""
    path = tmp_path / "traffic.toml"
    path.write_text("[entities.Session]\nwrites_per_s = 2\nitems = 1000000\nbytes = 900\n")
    return path


def test_it_prints_plain_tables_where_nobody_looks() -> None:
    shown = _run(TARGET)
    assert shown.exit_code == 0, shown.output
    assert "Campaigns, table rpg_sessions; USD, us-east-1, 2026-11-15" in shown.output
    assert re.search(r"sessions +Query +GSI1 +20  17,640", shown.output)
    assert "more than 28.9% of it is in use" in shown.output


def test_it_draws_tables_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr("sys.stdout", terminal)
    monkeypatch.setenv("COLUMNS", "200")
    cost(TARGET)
    assert re.search(r"─\s+profile +GetItem(.*\n)+ sessions +Query +GSI1 ", terminal.getvalue())
    assert "- A text has 32 bytes" in terminal.getvalue()


def test_traffic_comes_from_a_file(traffic: Path) -> None:
    shown = json.loads(_run(TARGET, "--traffic", traffic, "--format", "json").output)
    session = next(one for one in shown["entities"] if one["name"] == "Session")
    assert (session["bytes"], session["items"]) == (900, 1_000_000)
    assert shown["month"]["write_units_per_s"] == 2 * 10
    assert shown["month"]["on_demand_writes"] == pytest.approx(20 * 730 * 3600 / 1e6 * 0.625)


def test_markdown_has_tables() -> None:
    shown = _run(TARGET, "--format", "markdown").output
    assert shown.startswith("# Campaigns, table rpg_sessions")
    assert "| pattern | operation | index |" in shown


def test_assumptions_can_be_changed() -> None:
    options = ("--text-bytes", 100, "--items", 3, "--utilisation", 50, "--format", "json")
    shown = json.loads(_run(TARGET, *options).output)
    assert shown["assumptions"] == {
        "text_bytes": 100,
        "elements": 3,
        "content_bytes": 10_000,
        "items": 3,
        "utilisation": 0.5,
    }


def test_two_designs_are_compared(traffic: Path) -> None:
    other = "apps.stories.design:Stories"
    shown = _run(TARGET, "--against", other, "--traffic", traffic)
    assert shown.exit_code == 0, shown.output
    assert "Campaigns compared with Stories" in shown.output
    data = json.loads(_run(TARGET, "--against", other, "--format", "json").output)
    assert data["patterns"]["profile"] == {"one": 0.5, "other": 1.0, "change": -0.5}
    assert re.search(r"profile +1 +0.5 +-50%", shown.output)


def test_a_sample_is_measured(tmp_path: Path) -> None:
    path = tmp_path / "campaigns.db"
    with Campaigns.connect(str(path)) as store:
        for item in ITEMS:
            store.create(item)
    shown = _run(TARGET, "--sample", path)
    assert shown.exit_code == 0, shown.output
    assert "by the model  measured" in shown.output
    assert "Sizes are measured for" in shown.output
    data = json.loads(_run(TARGET, "--sample", path, "--format", "json").output)
    assert data["measured"]["patterns"]["sessions"]["units"] == 0.5
    assert data["measured"]["items"]["Session"] == 6


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--region", "eu-west-1"), "no prices for 'eu-west-1'"),
        (("--prices", "nowhere.json"), "The price file nowhere.json cannot be read"),
        (("--traffic", "nowhere.toml"), "The traffic file nowhere.toml cannot be read"),
        (("--sample", "nowhere.db"), "There is no database 'nowhere.db' to sample"),
        (("--against", "apps.nowhere:Store"), "There is no module 'apps.nowhere'"),
    ],
)
def test_what_the_user_did_wrong_is_said_plainly(options: tuple[str, ...], told: str) -> None:
    shown = _run(TARGET, *options)
    assert (shown.exit_code, told in shown.output) == (2, True), shown.output
