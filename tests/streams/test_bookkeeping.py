"""The bookkeeping is a design like any other: judged by check, written by deploy."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from singletable import Engine, cli
from singletable.errors import TableMissing
from singletable.streams.bookkeeping import Books
from singletable.sync.bookkeeping import Books as SyncBooks

BOOKS = ["singletable.streams.bookkeeping:Books", "singletable.migrate.bookkeeping:Books"]


def _run(*arguments: str) -> str:
    shown = CliRunner().invoke(cli.app, arguments)
    assert shown.exit_code == 0, shown.output
    return shown.output


@pytest.mark.parametrize("target", BOOKS)
def test_check_finds_no_fault_in_it(target: str) -> None:
    import singletable.streams.aggregates  # noqa: F401 - which has an entity of its own there

    found = json.loads(_run("check", target, "--format", "json"))
    assert [one for one in found["findings"] if one["severity"] != "note"] == []


def test_deploy_writes_it_beside_any_table(tmp_path: Path) -> None:
    config = tmp_path / "streams.toml"
    config.write_text('table_name = "stories-streams"', "utf-8")
    options = ("--config", str(config), "--format")
    template = json.loads(_run("deploy", BOOKS[0], *options, "cloudformation"))
    table = template["Resources"]["Table"]["Properties"]
    assert template["Parameters"]["TableName"]["Default"] == "stories-streams"
    assert table["TimeToLiveSpecification"] == {"AttributeName": "ttl", "Enabled": True}
    policy = json.loads(_run("deploy", BOOKS[0], *options, "iam"))
    [statement] = policy["Statement"]
    assert statement["Resource"] == ["arn:aws:dynamodb:REGION:ACCOUNT:table/stories-streams"]


def test_where_it_is_missing_the_error_says_what_makes_it() -> None:
    with Engine() as engine:
        with pytest.raises(TableMissing, match="singletable streams run --create"):
            Books(engine).position("anybody", "any").first()
        with pytest.raises(TableMissing, match=r"Sync\(store, create=True\)"):
            SyncBooks(engine).group("anybody").first()
