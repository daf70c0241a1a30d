"""The command line: what it offers, and what it says when a part is missing."""

import re
import subprocess
import sys
from importlib import metadata

import pytest
from typer.testing import CliRunner

from singletable import cli


def test_help_lists_the_commands_with_their_purpose() -> None:
    shown = CliRunner().invoke(cli.app, ["--help"]).output
    assert re.search(r"demo +Serve three complete services", shown)
    assert re.search(r"serve +Serve the embedded DynamoDB", shown)


def test_no_arguments_show_the_help() -> None:
    assert "Commands:" in CliRunner().invoke(cli.app, []).output


def test_version_is_the_package_version() -> None:
    shown = CliRunner().invoke(cli.app, ["--version"])
    assert (shown.exit_code, shown.output.strip()) == (0, metadata.version("singletable"))


def test_python_runs_it_as_a_module() -> None:
    shown = subprocess.run(
        [sys.executable, "-m", "singletable", "--version"],
        check=True,
        capture_output=True,
        text=True,
    )
    assert shown.stdout.strip() == metadata.version("singletable")


def test_an_unknown_command_is_an_error_of_usage() -> None:
    shown = CliRunner().invoke(cli.app, ["serv"])
    assert (shown.exit_code, "No such command 'serv'" in shown.output) == (2, True)


def test_a_command_that_is_called_alike_is_suggested() -> None:
    said = "No such command 'dmeo'. Did you mean 'demo'"
    assert said in CliRunner().invoke(cli.app, ["dmeo"]).output


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "httptools", None)
    for name in [name for name in sys.modules if name.startswith("singletable.server")]:
        monkeypatch.delitem(sys.modules, name)
    shown = CliRunner().invoke(cli.app, ["serve", "--memory"])
    said = "singletable serve: this needs httptools: pip install 'singletable[server]'\n"
    assert (shown.exit_code, shown.output) == (2, said)


def test_a_missing_module_of_no_extra_is_an_error_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "singletable.cost.explaining", None)
    shown = CliRunner().invoke(cli.app, ["explain", "apps.campaigns.design:Campaigns"])
    assert isinstance(shown.exception, ModuleNotFoundError)
