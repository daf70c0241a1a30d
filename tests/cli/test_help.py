"""Every command says what it is for, by an example that its own options allow."""

from __future__ import annotations

import inspect
import re
import shlex
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from singletable import cli

EXAMPLES = re.compile(r"^  Examples?:\n((?:    .+\n?)+)", re.MULTILINE)
EXIT_1 = re.compile(r"Exit\(1( if|\))")
ROOT: Any = typer.main.get_command(cli.app)


WITHOUT_JSON = {
    ("serve",): "it has no result: it serves until it is stopped",
    ("shell",): "it prints what the user's own lines do",
    ("deploy",): "what it prints is JSON, but for what YAML and the CDK want",
}
LESS_THAN_A_SECOND = "it takes less than a second for 60 entities and 200 patterns"
WITHOUT_PROGRESS = {
    ("deploy",): LESS_THAN_A_SECOND,
    ("describe",): LESS_THAN_A_SECOND,
    ("explain",): LESS_THAN_A_SECOND,
    ("new",): "it writes ten files",
    ("serve",): "it says where it serves as soon as it does",
    ("shell",): "it says what each line cost",
    ("streams", "tail"): "what it prints is how far it is",
}


def _commands(command: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    yield path, command
    if hasattr(command, "list_commands"):
        context = command.context_class(command)
        for name in command.list_commands(context):
            yield from _commands(command.get_command(context, name), (*path, name))


COMMANDS = dict(_commands(ROOT, ()))
LEAVES = [path for path, command in COMMANDS.items() if not hasattr(command, "list_commands")]
each_command = pytest.mark.parametrize("path", COMMANDS, ids=" ".join)


def _help(path: tuple[str, ...]) -> str:
    shown = CliRunner().invoke(cli.app, [*path, "--help"])
    assert shown.exit_code == 0
    return shown.output


def _examples(path: tuple[str, ...]) -> list[str]:
    found = EXAMPLES.search(_help(path))
    return [line.strip() for line in found[1].splitlines()] if found else []


def _parse(command: Any, arguments: list[str], parent: Any = None) -> None:
    """Have a command read its arguments, without running it; a wrong option is an error."""
    context = command.make_context("singletable", arguments, parent=parent)
    if hasattr(command, "resolve_command"):
        rest = [*context._protected_args, *context.args]
        _, inner, rest = command.resolve_command(context, rest)
        _parse(inner, rest, context)


def test_all_commands_are_found() -> None:
    assert {("check",), ("new",), ("shell",), ("streams", "tail"), ("migrate", "run")} <= set(
        COMMANDS
    )


@each_command
def test_help_has_examples_in_lines_of_their_own(path: tuple[str, ...]) -> None:
    examples = _examples(path)
    assert examples, _help(path)
    for example in examples:
        assert " ".join(("singletable", *path)) in example


@each_command
def test_examples_are_what_the_command_takes(path: tuple[str, ...]) -> None:
    for example in _examples(path):
        words = shlex.split(example.rpartition("| ")[2])
        assert words[0] == "singletable"
        _parse(ROOT, words[1:])


@each_command
def test_a_command_that_can_exit_with_1_says_when(path: tuple[str, ...]) -> None:
    module = inspect.getmodule(COMMANDS[path].callback)
    if module is not None and EXIT_1.search(inspect.getsource(module)):
        assert "exit 1 if" in " ".join(_help(path).lower().split())


def test_every_result_can_be_had_as_json() -> None:
    """But for those that are listed above, with the reason."""
    lacking = {path for path in LEAVES if not re.search(r"--format <.*\bjson\b", _help(path))}
    assert lacking == set(WITHOUT_JSON)


def test_whatever_may_take_long_shows_that_it_goes_on() -> None:
    """But for those that are listed above, with the reason."""
    modules = {path: inspect.getmodule(COMMANDS[path].callback) for path in LEAVES}
    shown = re.compile(r"with .*\b(working|reading)\(")
    silent = {path for path, one in modules.items() if one and not _has(shown, one)}
    assert silent == set(WITHOUT_PROGRESS)


def _has(expression: re.Pattern[str], module: ModuleType) -> bool:
    return expression.search(inspect.getsource(module)) is not None


def test_the_exit_codes_are_listed() -> None:
    codes = re.findall(r"^    (\d+)  ", _help(()), re.MULTILINE)
    assert codes == ["0", "1", "2", "130"]


def test_the_exit_codes_name_all_that_end_well_by_ctrl_c() -> None:
    listed = " ".join(_help(()).split()).rpartition("meant to end: ")[2].split(", ")
    endless = "demo", "serve", "streams run", "migrate follow --live", "migrate revert --keep"
    assert listed == [*endless]


@pytest.mark.parametrize("path", [(), ("migrate",), ("streams",)], ids=" ".join)
def test_a_list_of_commands_says_each_purpose_in_full(path: tuple[str, ...]) -> None:
    assert "..." not in _help(path).replace("[ARGS]...", "")


@each_command
def test_help_fits_a_terminal_of_100_columns(path: tuple[str, ...]) -> None:
    assert [line for line in _help(path).splitlines() if len(line) > 100] == []
