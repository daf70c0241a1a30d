"""``singletable check``: its formats, its exit codes, and what it says of a wrong call."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from singletable.cli import app

ROOT = Path(__file__).parents[2]
BAD = "tests/check/cases/R102/bad.py"
GOOD = "tests/check/cases/R102/good.py"


@pytest.fixture(autouse=True)
def at_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def _check(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["check", *arguments])


def test_errors_end_with_1_and_a_line_to_click_on() -> None:
    shown = _check(BAD)
    assert shown.exit_code == 1
    assert f"{BAD}:" in shown.output
    assert "error R102 foreign-items" in shown.output


def test_a_design_without_errors_ends_with_0() -> None:
    shown = _check(GOOD)
    assert (shown.exit_code, shown.output) == (0, "Games: nothing found\n")


def test_warnings_alone_end_with_0() -> None:
    shown = _check("tests/check/cases/H401/bad.py")
    assert (shown.exit_code, "warning H401" in shown.output) == (0, True)


def test_the_formats_for_programs() -> None:
    assert json.loads(_check(BAD, "--format", "json").output)["store"] == "Games"
    assert json.loads(_check(BAD, "--format", "sarif").output)["version"] == "2.1.0"


def test_rules_are_selected_and_ignored() -> None:
    assert _check(BAD, "--ignore", "r102").exit_code == 0
    assert _check(BAD, "--select", "K,H", "--select", "T").exit_code == 0
    assert _check(BAD, "--select", "R1").exit_code == 1


def test_a_traffic_file_decides_what_is_hot(tmp_path: Path) -> None:
    traffic = tmp_path / "traffic.toml"
    traffic.write_text("[entities.Story]\nwrites_per_s = 2\nbytes = 900\n")
    shown = _check("tests/check/cases/H401/bad.py", "--traffic", str(traffic))
    assert (shown.exit_code, shown.output) == (0, "Stories: nothing found\n")


def test_what_a_database_keeps_unique_and_the_design_does_not_is_found(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE users (id TEXT PRIMARY KEY, email TEXT UNIQUE)")
    source = ["--source", f"sqlite:///{path}", "--select", "T301"]
    lost = _check("tests/check/seeds/campaigns_as_written.py", *source).output
    assert "the source keeps users (email) unique, and nothing keeps two User" in lost
    assert "users (email)" not in _check("apps/campaigns/design.py", *source).output


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([GOOD, "--source", "old.db"], "'old.db' is no address of a database"),
        ([GOOD, "--source", "sqlite:///nowhere.db"], "There is no file"),
        (["nowhere.py"], "There is no file"),
        ([BAD, "--format", "xml"], "'xml' is not one of 'text', 'json', 'sarif'"),
        ([BAD, "--select", "Z"], "No rule's code begins with 'Z'"),
        ([BAD, "--traffic", "nowhere.toml"], "nowhere.toml cannot be read"),
        ([], "Missing argument 'TARGET'"),
    ],
)
def test_a_wrong_call_ends_with_2_and_says_why(arguments: list[str], said: str) -> None:
    shown = _check(*arguments)
    assert (shown.exit_code, said in shown.output) == (2, True)
