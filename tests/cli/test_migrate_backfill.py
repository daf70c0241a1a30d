"""``singletable migrate backfill`` counts what is to be done, and does it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from singletable import cli
from singletable.backends.address import connect
from singletable.cli import _showing
from singletable.migrate import Cutover
from tests.migrate import layouts
from tests.migrate.backfills import Crm, First, fill

TARGET = "tests.migrate.backfills:Crm"


def _run(*arguments: str) -> Result:
    return CliRunner().invoke(cli.app, ["migrate", "backfill", *arguments])


def last_told(shown: Result) -> Any:
    """Give what a program was told last on the way."""
    return json.loads(shown.stderr.splitlines()[-1])


@pytest.fixture
def where(tmp_path: Path) -> list[str]:
    """The options that name the table, with items of an older release in it."""
    path = tmp_path / "crm.db"
    Crm.connect(path).close()
    with First.connect(path) as store:
        fill(store, users=2, visits=3)
    return ["--at", str(path), "--folder", str(tmp_path / "work"), "--workers", "1"]


def test_a_dry_run_counts_and_ends_with_1_while_something_is_left(where: list[str]) -> None:
    shown = _run(TARGET, *where, "--dry-run")
    assert shown.exit_code == 1, shown.output
    assert shown.output.startswith("Crm: 5 of 5 items left\n")
    assert "- User: 2 of schema 1" in shown.output
    assert "- Visit: 3 without GSI2PK" in shown.output
    assert "5 left: 16 write units" in shown.output
    assert _run(TARGET, *where, "--dry-run", "--sample", "1").exit_code == 1


def test_a_dry_run_tells_how_far_it_is(where: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_showing, "EVERY_S", 0)
    shown = _run(TARGET, *where, "--dry-run", "--format", "json")
    assert last_told(shown) == {"state": "reading", "items": 5, "of": 5}


def test_a_run_counts_down_to_zero(where: list[str]) -> None:
    done = _run(TARGET, *where, "--format", "json")
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert (told["state"], told["rows"], told["items"], told["rejected"]) == ("done", 5, 5, 0)
    left = _run(TARGET, *where, "--dry-run", "--format", "json")
    assert left.exit_code == 0, left.output
    assert json.loads(left.stdout)["spare_upgrades"] == ["User"]
    assert _run(TARGET, *where).output.startswith("Looked at 5/5 100.0%; ")


def test_rules_make_new_entities_in_several_processes(where: list[str]) -> None:
    target = "tests.migrate.backfills:WithSettings"
    done = _run(target, *where, "--workers", "2", "--format", "json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["items"] == 7


def test_items_that_are_left_alone_are_told_and_it_ends_with_1(where: list[str]) -> None:
    item = {"PK": {"S": "X"}, "SK": {"S": "X"}, "Type": {"S": "Ghost"}}
    backend = connect(where[1])
    backend.call("PutItem", {"TableName": "crm", "Item": item})
    backend.close()
    done = _run(TARGET, *where)
    assert done.exit_code == 1
    assert "1 item was left alone: " in done.output
    assert "Crm.backfill.rejects.jsonl says why" in done.output


def test_a_file_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    refused = _run(TARGET, "--at", str(tmp_path / "none.db"))
    assert refused.exit_code == 2
    assert "There is no file" in refused.output
    assert not (tmp_path / "none.db").exists()


def test_what_is_neither_a_store_nor_a_migration_is_refused(where: list[str]) -> None:
    refused = _run("tests.migrate.backfills:User", *where)
    assert refused.exit_code == 2
    assert "is neither a store nor a migration" in refused.output


LAYOUT = "tests.migrate.layouts:ByBook"


def test_a_layout_is_changed_and_the_old_one_cleaned_when_it_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "notes.db"
    with layouts.Notes.connect(path) as store:
        layouts.fill(store, authors=2, notes=5)
    options = ["--at", str(path), "--folder", str(tmp_path / "work"), "--workers", "1"]
    assert _run(LAYOUT, *options, "--dry-run").exit_code == 1
    done = _run(LAYOUT, *options, "--format", "json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["items"] == 5
    assert _run(LAYOUT, *options, "--dry-run").exit_code == 0
    early = _run(LAYOUT, *options, "--clean")
    assert early.exit_code == 2
    assert "the old layout is still written to" in early.output
    with layouts.Notes.connect(path) as store:
        Cutover(store, layouts.ByBook, refresh_s=0.02).advance("done", by="ann", force=True)
    assert _run(LAYOUT, *options, "--clean", "--dry-run").exit_code == 1  # there is something to do
    monkeypatch.setattr(_showing, "EVERY_S", 0)
    cleaned = _run(LAYOUT, *options, "--clean", "--format", "json")
    assert cleaned.exit_code == 0, cleaned.output
    assert json.loads(cleaned.stdout)["deleted"] == 5
    assert last_told(cleaned) == {"state": "cleaning", "deleted": 5, "kept": 0}
    assert _run(LAYOUT, *options, "--clean", "--dry-run").exit_code == 0


def test_a_store_has_no_old_layout(where: list[str]) -> None:
    refused = _run(TARGET, *where, "--clean")
    assert refused.exit_code == 2
    assert "Crm is a store: only a migration has an old layout" in refused.output
