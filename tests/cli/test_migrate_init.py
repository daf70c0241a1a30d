"""``singletable migrate init`` writes a draft, tells what it left out, and keeps what is there."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from singletable import cli

SCHEMA = Path("apps/campaigns/schema.sql").read_text("utf-8")
STORE = "apps.campaigns.design:Campaigns"


def _init(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli.app, ["migrate", "init", *map(str, arguments)])


@pytest.fixture
def source(tmp_path: Path) -> str:
    with closing(sqlite3.connect(tmp_path / "old.db")) as database:
        database.executescript(SCHEMA)
    return f"sqlite:///{tmp_path / 'old.db'}"


def test_a_draft_is_written_and_planned(source: str, tmp_path: Path) -> None:
    out = tmp_path / "leaving_sql.py"
    shown = _init(STORE, "--from", source, "--out", out)
    assert shown.exit_code == 0, shown.output
    assert shown.output.splitlines()[:3] == [
        f"{out} has a draft, ToCampaigns. It leaves to you:",
        "- fields of Session that are left out: audio_storage_key (from audio_url?)",
        "- fields of Summary that are not matched: audience",  # no row tells by its values
    ]
    plan = f"singletable migrate plan {out}:ToCampaigns --from {source} --to new.db"
    assert shown.output.splitlines()[-1] == f"Try it: {plan}"
    arguments = ["plan", f"{out}:ToCampaigns", "--from", source, "--to", str(tmp_path / "new.db")]
    planned = CliRunner().invoke(cli.app, ["migrate", *arguments])
    assert planned.exit_code == 0, planned.output


def test_a_file_that_is_there_is_kept_unless_forced(source: str, tmp_path: Path) -> None:
    out = tmp_path / "mine.py"
    out.write_text("mine", "utf-8")
    refused = _init(STORE, "--from", source, "--out", out)
    assert refused.exit_code == 2
    assert "name another with --out, or add --force" in refused.output
    assert out.read_text("utf-8") == "mine"
    assert _init(STORE, "--from", source, "--out", out, "--force").exit_code == 0
    assert "class ToCampaigns" in out.read_text("utf-8")


def test_nothing_is_written_where_nothing_matches(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "old.db")) as database:
        database.execute("CREATE TABLE invoices (id INTEGER PRIMARY KEY)")
    out = tmp_path / "mine.py"
    refused = _init(STORE, "--from", f"sqlite:///{tmp_path / 'old.db'}", "--out", out)
    assert refused.exit_code == 2
    assert "is named like an entity of Campaigns" in refused.output
    assert not out.exists()
