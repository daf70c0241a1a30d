"""The bookkeeping is a design like any other, in a table beside the one that is synced."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from singletable import TableMissing, cli
from tests.sync.design import Tab, Tasks, TaskSync

BOOKS = "singletable.sync.bookkeeping:Books"


def _run(*arguments: str) -> str:
    shown = CliRunner().invoke(cli.app, arguments)
    assert shown.exit_code == 0, shown.output
    return shown.output


def test_check_finds_no_fault_in_it() -> None:
    found = json.loads(_run("check", BOOKS, "--format", "json"))
    assert [one for one in found["findings"] if one["severity"] != "note"] == []


def test_deploy_writes_it_beside_any_table(tmp_path: Path) -> None:
    config = tmp_path / "sync.toml"
    config.write_text('table_name = "surveys-sync"', "utf-8")
    options = ("--config", str(config), "--format")
    template = json.loads(_run("deploy", BOOKS, *options, "cloudformation"))
    table = template["Resources"]["Table"]["Properties"]
    assert template["Parameters"]["TableName"]["Default"] == "surveys-sync"
    assert table["TimeToLiveSpecification"]["Enabled"]


def test_elsewhere_it_is_made_when_asked_for(dynamodb_local: str) -> None:
    """On AWS's own DynamoDB Local, where transactions span the two tables, too."""
    store = Tasks.connect(dynamodb_local, table_name="sync-tasks", create=True)
    with pytest.raises(TableMissing, match=r"create it with Sync\(store, create=True\)"):
        Tab(TaskSync(store)).pull()
    sync = TaskSync(store, create=True)
    tab = Tab(sync)
    mutations = [tab.mutation("add", {"k": 1}), tab.mutation("fail"), tab.mutation("add", {"k": 2})]
    for _ in range(2):
        assert tab.push(*mutations) == {}
    tab.do("create", {"task_id": "t1", "title": "x"})
    tab.do("rename", {"task_id": "t1", "title": "y"})
    tab.pull()
    assert (tab.lasts, tab.rows["Tally/k"]["total"]) == ({"c1": 5}, 3)
    tab.do("fill", 98)
    tab.do("remove", "t1")
    assert len(tab.pull()["patch"]) == 99
    assert tab.pull()["patch"] == []
