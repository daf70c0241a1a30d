"""``singletable migrate`` follows, takes the application from phase to phase, and back."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from typer.testing import CliRunner, Result

from apps.campaigns.design import Campaign, Campaigns
from apps.campaigns.migration import LeavePostgres
from singletable import cli
from singletable.cli import _showing
from singletable.migrate import Job, follow, following
from tests.migrate import postgres
from tests.migrate.test_reverting import SCHEMA, SESSION, WHEN, run

TARGET = "apps.campaigns.migration:LeavePostgres"
MAIN = "from singletable.cli import main; main()"
QUICKLY = ["--refresh-s", "0.02", "--settle-s", "0"]


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with postgres.server() as address:
        yield address


@pytest.fixture
def database(server: str) -> Iterator[str]:
    """The campaign manager's PostgreSQL, with a user, a campaign and a session."""
    with postgres.database(server) as address:
        execute(address, SCHEMA.read_text("utf-8"))
        execute(address, "INSERT INTO users VALUES ('u1', 'a@b.c', 'Ann', NULL, %s, %s)", *WHEN)
        execute(address, "INSERT INTO campaigns VALUES ('c1', 'u1', 'One', NULL, %s, %s)", *WHEN)
        session = f"('s1', 'c1', 'u1', 'First', {SESSION}, %s, %s)"
        execute(address, f"INSERT INTO sessions VALUES {session}", *WHEN)
        yield address


@pytest.fixture
def sides(database: str, tmp_path: Path) -> list[str]:
    """The options that name both sides."""
    return ["--from", database, "--to", str(tmp_path / "new.db")]


@pytest.fixture
def folder(tmp_path: Path) -> list[str]:
    return ["--folder", str(tmp_path / "work")]


@pytest.fixture
def copied(database: str, tmp_path: Path) -> None:
    """A copy that was made in this process, which is quicker to begin."""
    new, folder = str(tmp_path / "new.db"), tmp_path / "work"
    job = Job(migration=LeavePostgres, source=database, destination=new, folder=folder)
    assert run(job, follow=True).rows == 3


def execute(address: str, sql: str, *values: Any) -> None:
    with psycopg.connect(address) as connection:
        connection.execute(sql.encode(), values or None)


def _run(command: str, *arguments: str) -> Result:
    return CliRunner().invoke(cli.app, ["migrate", command, TARGET, *arguments])


def told(result: Result) -> Any:
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_all_the_way_there_and_back(
    database: str,
    copied: None,
    sides: list[str],
    folder: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    to = sides[2:]
    assert _run("cutover", *to).output == "LeavePostgres: old\n\n- The next phase is dual.\n"
    execute(database, "UPDATE sessions SET name = 'Renamed'")
    followed = told(_run("follow", *sides, *folder, "--format", "json"))
    assert followed == {"name": "LeavePostgres", "applied": 1, "rejected": 0}
    execute(database, "UPDATE sessions SET name = 'Again'")
    dual = _run("cutover", "dual", *sides, *folder, "--by", "ann", "--note", "ready", *QUICKLY)
    assert dual.exit_code == 0, dual.output
    assert dual.output.startswith("LeavePostgres: dual\n")
    assert "Writes were held for " in dual.output
    with Campaigns.connect(tmp_path / "new.db") as store:
        assert store.session("u1", "c1", "s1").one().session.name == "Again"
    assert "Postponed: a sale" in _run("cutover", *to, "--postpone", "a sale").output
    postponed = _run("cutover", "shadow", *to, "--by", "ann")
    assert postponed.exit_code == 2
    assert "a sale" in postponed.output
    shadow = told(_run("cutover", "shadow", *to, "--by", "ann", "--proceed", "--format", "json"))
    assert (shadow["phase"], shadow["postponed"]) == ("shadow", None)
    told(_run("cutover", "new-100", *to, "--by", "ann", "--force", "--format", "json"))
    monkeypatch.setattr(_showing, "EVERY_S", 0)
    shown = _run("cutover", "done", *sides, *folder, "--by", "ann", *QUICKLY, "--format", "json")
    done = told(shown)
    assert (done["phase"], done["history"][-1]["paused"]) == ("done", True)
    assert json.loads(shown.stderr.splitlines()[-1]) == {"state": "following", "backlog": 0}
    with Campaigns.connect(tmp_path / "new.db") as store:
        store.update(Campaign.key(user_id="u1", campaign_id="c1"), name="Since")
    refused = _run("follow", *sides, *folder)
    assert refused.exit_code == 2
    assert "the new side is right" in refused.output
    back = _run("revert", *sides, *folder, "--by", "bob", "--settle-s", "0")
    assert back.exit_code == 0, back.output
    assert back.output.startswith("LeavePostgres: 1 row written back\n")
    assert "0 differences, 0 repaired, 0 left." in back.output
    assert "The phase is new-100." in back.output
    with psycopg.connect(database) as connection:
        assert connection.execute("SELECT name FROM campaigns").fetchall() == [("Since",)]


def test_revert_ends_with_1_where_both_sides_differ(
    database: str, copied: None, sides: list[str], folder: list[str]
) -> None:
    told(
        _run("cutover", "done", *sides[2:], "--by", "ann", "--force", *QUICKLY, "--format", "json")
    )
    execute(database, "DELETE FROM sessions")
    back = _run("revert", *sides, *folder, "--by", "bob", "--settle-s", "0", "--format", "json")
    assert back.exit_code == 1, back.output
    made = json.loads(back.stdout)
    assert (made["is_reverted"], made["phase"]) == (False, "done")
    assert made["verification"]["differing"] == 1


def test_follow_ends_with_1_if_rows_are_rejected(
    database: str, copied: None, sides: list[str], folder: list[str]
) -> None:
    execute(database, "UPDATE sessions SET status = 'LOST'")
    followed = _run("follow", *sides, *folder)
    assert followed.exit_code == 1
    assert "1 row is rejected" in followed.output
    again = _run("run", *sides, *folder, "--follow", "--workers", "1", "--format", "json")
    assert again.exit_code == 1
    assert json.loads(again.stdout)["rejected"] == 1


def test_a_follow_that_is_stopped_before_its_end_says_so(
    copied: None, sides: list[str], folder: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*given: Any, **named: Any) -> int:
        signal.raise_signal(signal.SIGINT)
        return follow(*given, **named)

    monkeypatch.setattr(following, "follow", interrupted)
    assert _run("follow", *sides, *folder).exit_code == 130


def test_live_it_goes_on_until_it_is_stopped(
    database: str, copied: None, sides: list[str], folder: list[str], tmp_path: Path
) -> None:
    command = [sys.executable, "-c", MAIN, "migrate", "follow", TARGET, *sides, *folder, "--live"]
    environment = {**os.environ, "PYTHONPATH": str(Path.cwd())}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True) as live:
        execute(database, "UPDATE sessions SET name = 'Renamed'")
        until = time.monotonic() + 60
        with Campaigns.connect(tmp_path / "new.db") as store:
            while store.session("u1", "c1", "s1").one().session.name != "Renamed":
                assert time.monotonic() < until
                time.sleep(0.05)
        live.send_signal(signal.SIGTERM)
        output, _ = live.communicate(timeout=60)
    assert live.returncode == 0
    assert "LeavePostgres: 1 changes applied" in output


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (["cutover", "dual"], "--by NAME"),
        (["cutover", "sideways", "--by", "ann"], "There is no phase 'sideways'"),
        (["cutover", "dual", "--by", "ann"], "--from"),
        (["revert", "--from", "sqlite://"], "--by NAME"),
        (["revert", "--from", "sqlite://", "--by", "bob"], "has no way back"),
    ],
)
def test_what_is_missing_is_told(tmp_path: Path, command: list[str], reason: str) -> None:
    Campaigns.connect(tmp_path / "new.db").close()
    refused = _run(command[0], *command[1:], "--to", str(tmp_path / "new.db"))
    assert refused.exit_code == 2
    assert reason in refused.output
