"""What commands show while they are at work: on stderr, and as the reader of it can use it."""

from __future__ import annotations

import io
import json
import sys

import pytest

from singletable.cli import _showing
from singletable.cli._showing import Counted, counted, print_tables, reading, working
from singletable.cost.grids import Grid


class Terminal(io.StringIO):
    """What a person looks at."""

    def isatty(self) -> bool:
        """Say so."""
        return True


def _terminal(monkeypatch: pytest.MonkeyPatch, stream: str = "stderr") -> Terminal:
    """Look at what a stream has; in a test, as pytest gives the streams anew after its fixtures."""
    made = Terminal()
    monkeypatch.setattr(sys, stream, made)
    monkeypatch.setenv("TERM", "xterm")
    return made


def test_one_is_told_apart_from_many() -> None:
    assert [counted(n, "item") for n in (0, 1, 1234)] == ["0 items", "1 item", "1,234 items"]
    assert [counted(n, "unit") for n in (0.5, 1.0, 2.0)] == ["0.5 units", "1 unit", "2 units"]
    assert [counted(n, "retry", "retries") for n in (1, 2)] == ["1 retry", "2 retries"]


def test_a_terminal_has_one_line_that_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = _terminal(monkeypatch)
    with working("Copying [all]") as tell:
        tell(Counted("following", backlog=1234))
    shown = terminal.getvalue()
    assert "Copying [all]" in shown
    assert "Backlog 1,234; State following" in shown


def test_a_result_that_is_printed_meanwhile_goes_where_stdout_goes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    terminal = _terminal(monkeypatch)
    with working("Copying"):
        print("the result")  # noqa: T201 - as a user's own code does
    assert capsys.readouterr().out == "the result\n"
    assert "the result" not in terminal.getvalue()


def test_a_program_has_lines_of_json_beside_the_result(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_showing, "EVERY_S", 0)
    with working("Copying", "json") as tell:
        tell("Trying a sample")
        tell(Counted("following", backlog=2))
    with reading("json") as progress:
        progress(3)
        progress(3, 4)
    out, err = capsys.readouterr()
    assert out == ""
    assert list(map(json.loads, err.splitlines())) == [
        {"state": "Trying a sample"},
        {"state": "following", "backlog": 2},
        {"state": "reading", "items": 3},
        {"state": "reading", "items": 3, "of": 4},
    ]


def test_nobody_is_told_within_the_first_second(capsys: pytest.CaptureFixture[str]) -> None:
    with working("Copying", "json") as tell:
        tell("at once")
    assert capsys.readouterr() == ("", "")


def test_a_log_has_the_result_alone(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_showing, "EVERY_S", 0)
    with working("Copying") as tell:
        tell("Trying a sample")
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(("columns", "drawn"), [("40", False), ("120", True)])
def test_tables_lose_nothing_on_a_narrow_terminal(
    monkeypatch: pytest.MonkeyPatch, columns: str, drawn: bool
) -> None:
    terminal = _terminal(monkeypatch, "stdout")
    monkeypatch.setenv("COLUMNS", columns)
    cells = ["sessions_of_campaign", "12345.5", "GSI1", "Query", "20", "0.5", "1.25"]
    print_tables("title", [Grid.of("grid", list("abcdefg"), [cells])], ["a note"])
    shown = terminal.getvalue()
    assert all(cell in shown for cell in [*cells, "- a note"])
    assert ("──" in shown) == drawn


def test_no_color_is_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = _terminal(monkeypatch)
    monkeypatch.setenv("NO_COLOR", "1")
    with working("Copying"):
        pass
    assert "Copying" in terminal.getvalue()
    assert "\x1b[3" not in terminal.getvalue()  # the codes of colours
