"""``singletable migrate`` plans, runs, tells where it stands, and verifies."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from apps.campaigns.design import Campaigns, User
from singletable import cli
from tests.migrate.conftest import Old

TARGET = "tests.migrate.campaigns:ToOneTable"
MAIN = "from singletable.cli import main; main()"
LONE = """
from apps.campaigns.design import Campaigns, User
from singletable.migrate import Migration, rows


class Users(Migration[Campaigns]):
    @rows("users")
    def users(self, row):
        yield User(user_id=row["id"], email=row["email"], name=row["name"],
                   created_at=row["created_at"], updated_at=row["updated_at"])
"""


def _run(command: str, *arguments: str) -> Result:
    return CliRunner().invoke(cli.app, ["migrate", command, *arguments])


@pytest.fixture
def old(tmp_path: Path) -> Old:
    made = Old(tmp_path / "old.db")
    made.fill(users=2, sessions=5)
    return made


@pytest.fixture
def sides(old: Old, tmp_path: Path) -> list[str]:
    """The options that name both sides."""
    return ["--from", f"sqlite:///{old.path}", "--to", str(tmp_path / "new.db")]


@pytest.fixture
def folder(tmp_path: Path) -> list[str]:
    return ["--folder", str(tmp_path / "work"), "--workers", "1"]


def test_plan_tells_what_a_run_would_do(sides: list[str], tmp_path: Path) -> None:
    shown = _run("plan", TARGET, *sides)
    assert shown.exit_code == 0, shown.output
    assert "ToOneTable, from a sample of up to 1,000 rows of each table" in shown.output
    assert "Session 5, Transcript 5, Summary 10" in shown.output
    assert "24 items, " in shown.output
    assert not (tmp_path / "new.db").exists()


def test_plan_tells_programs_too(sides: list[str]) -> None:
    shown = _run("plan", TARGET, *sides, "--sample", "3", "--format", "json")
    made = json.loads(shown.output)
    assert made["is_sound"]
    assert [one["sampled"] for one in made["kinds"]] == [2, 2, 3]


def test_plan_ends_with_1_if_rows_would_be_refused(old: Old, sides: list[str]) -> None:
    old.execute("UPDATE sessions SET status = 'LOST' WHERE id = 's1'")
    shown = _run("plan", TARGET, *sides)
    assert shown.exit_code == 1
    assert "Refused: 1 rows of sessions, such as sessions/s1: " in shown.output


def test_run_status_and_verify(sides: list[str], folder: list[str], tmp_path: Path) -> None:
    done = _run("run", TARGET, *sides, *folder, "--format", "json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["rows"] == 9
    status = _run("status", TARGET, *sides)
    assert status.output.startswith("ToOneTable: copied, begun ")
    assert "1/1" in status.output
    assert "Session, Transcript, Summary" in status.output
    verified = _run("verify", TARGET, *sides, *folder)
    assert verified.exit_code == 0, verified.output
    assert "Campaign: sessionCount not compared; the table keeps it." in verified.output
    assert "0 differences, 0 repaired, 0 left." in verified.output


def test_verify_ends_with_1_until_differences_are_repaired(
    sides: list[str], folder: list[str], tmp_path: Path
) -> None:
    _run("run", TARGET, *sides, *folder)
    with Campaigns.connect(tmp_path / "new.db") as store:
        store.delete(User.key(user_id="u1"))
    options = [TARGET, *sides, *folder, "--settle-s", "0.01"]
    found = _run("verify", *options)
    assert found.exit_code == 1
    assert "User USER#u1 / METADATA#u1 (of users/u1) is missing" in found.output
    assert "2 differences, 0 repaired, 2 left." in found.output
    repaired = _run("verify", *options, "--repair", "--format", "json")
    assert repaired.exit_code == 0
    assert json.loads(repaired.stdout)["repaired"] == 2
    assert _run("verify", *options).exit_code == 0


def test_run_ends_with_1_if_rows_are_rejected(
    old: Old, sides: list[str], folder: list[str]
) -> None:
    old.execute("UPDATE sessions SET status = 'LOST' WHERE id = 's1'")
    done = _run("run", TARGET, *sides, *folder)
    assert done.exit_code == 1
    assert "1 row was rejected: " in done.output
    assert "ToOneTable.rejects.jsonl says why" in done.output
    assert "mended in the source, singletable migrate verify --repair takes them" in done.output


def test_rows_that_were_mended_are_taken_as_the_run_said(
    old: Old, sides: list[str], folder: list[str]
) -> None:
    old.execute("UPDATE sessions SET status = 'LOST' WHERE id = 's1'")
    assert _run("run", TARGET, *sides, *folder).exit_code == 1
    old.execute("UPDATE sessions SET status = 'COMPLETED' WHERE id = 's1'")
    repair = ["--repair", "--settle-s", "0.01"]
    assert _run("verify", TARGET, *sides, *folder, *repair).exit_code == 0
    done = _run("run", TARGET, *sides, *folder, "--format", "json")
    assert (done.exit_code, json.loads(done.stdout)["rejected"]) == (0, 0)


def test_a_folder_keeps_the_rejects_of_its_destination(
    old: Old, sides: list[str], folder: list[str], tmp_path: Path
) -> None:
    old.execute("UPDATE sessions SET status = 'LOST' WHERE id = 's1'")
    _run("run", TARGET, *sides, *folder)
    rejects = tmp_path / "work" / "ToOneTable.rejects.jsonl"
    before = rejects.read_bytes()
    old.execute("UPDATE sessions SET status = 'UPLOADED' WHERE id = 's1'")
    second = [TARGET, *sides[:2], "--to", str(tmp_path / "second.db")]
    refused = _run("run", *second, *folder)
    assert refused.exit_code == 2
    assert f"into rpg_sessions at {tmp_path / 'new.db'}, which would be lost" in refused.output
    assert rejects.read_bytes() == before
    elsewhere = _run("run", *second, "--folder", str(tmp_path / "other"), "--workers", "1")
    assert elsewhere.exit_code == 0, elsewhere.output
    assert _run("run", TARGET, *sides, *folder).exit_code == 1, "the first goes on in its own"
    assert rejects.read_bytes() == before


def test_a_run_that_is_stopped_says_how_it_goes_on(
    sides: list[str], folder: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("singletable.migrate.running._finish", stop)
        stopped = _run("run", TARGET, *sides, *folder)
    assert stopped.exit_code == 130
    assert stopped.stderr == "Stopped. The same command goes on from here.\n"
    status = _run("status", TARGET, *sides).output
    assert status.startswith("ToOneTable: copying, ")
    assert "All rows are copied; contested items and counts are left" in status
    assert _run("run", TARGET, *sides, *folder).exit_code == 0
    assert "counts are left" not in _run("status", TARGET, *sides).output


def test_status_before_a_run(sides: list[str], tmp_path: Path) -> None:
    missing = _run("status", TARGET, *sides)
    assert missing.exit_code == 2
    assert "There is no file" in missing.output
    Campaigns.connect(tmp_path / "new.db").close()
    assert _run("status", TARGET, *sides).output == "ToOneTable: not begun\n"


def test_a_migration_in_a_lone_file_runs_in_other_processes(
    sides: list[str], folder: list[str], tmp_path: Path
) -> None:
    """From another folder, as a program of its own."""
    place = tmp_path / "mine"
    place.mkdir()
    (place / "to_one_table.py").write_text(LONE, "utf-8")
    target = f"{place / 'to_one_table.py'}:Users"
    environment = {**os.environ, "PYTHONPATH": str(Path.cwd())}
    for command, rows in (("run", "Copied 2/2 100.0%; "), ("verify", "0 differences")):
        done = subprocess.run(
            [sys.executable, "-c", MAIN, "migrate", command, target, *sides, *folder,
             "--workers", "2"],
            capture_output=True, text=True, check=False, env=environment, cwd=tmp_path,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert rows in done.stdout


def test_the_only_migration_of_a_file_needs_no_name(sides: list[str], tmp_path: Path) -> None:
    path = tmp_path / "only_users.py"
    path.write_text(LONE, "utf-8")
    planned = _run("plan", str(path), *sides)
    assert planned.exit_code == 0, planned.output
    assert planned.output.startswith("Users, from a sample")


def test_of_several_migrations_one_has_to_be_named(sides: list[str], tmp_path: Path) -> None:
    path = tmp_path / "several_users.py"
    path.write_text(f"{LONE}\n\nclass Again(Users):\n    pass\n", "utf-8")
    refused = _run("plan", str(path), *sides)
    assert refused.exit_code == 2
    assert "name one of its migrations behind it: :Users, :Again" in refused.output


def test_a_file_without_a_migration_is_refused(sides: list[str]) -> None:
    refused = _run("plan", "apps.campaigns.design", *sides)
    assert refused.exit_code == 2
    assert "it has no migration: class MyMigration(Migration[…])" in refused.output


def test_a_file_whose_name_another_module_has_is_refused(sides: list[str], tmp_path: Path) -> None:
    path = tmp_path / "singletable.py"
    path.write_text(LONE, "utf-8")
    refused = _run("plan", f"{path}:Users", *sides)
    assert refused.exit_code == 2
    assert "give the file another name" in refused.output


def test_what_is_no_migration_is_refused(sides: list[str]) -> None:
    refused = _run("plan", "apps.campaigns.design:Campaigns", *sides)
    assert refused.exit_code == 2
    assert "is no migration" in refused.output


def test_a_source_that_cannot_be_followed_is_told(sides: list[str], folder: list[str]) -> None:
    refused = _run("run", TARGET, *sides, *folder, "--follow")
    assert refused.exit_code == 2
    assert f"{sides[1]} does not tell of changes" in " ".join(refused.output.split())
