"""The tutorial, done as it is written: its files are made, its commands run, its output compared.

A block with a title is a file, or goes at the end of one that is there; a diff changes it. In a
``console`` block a line with ``$`` is a command, and what follows is what it prints, where ``…``
stands for any lines.
"""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parent.parent / "docs/tutorial.md"
BLOCK = re.compile(
    r'^```(python|diff|console)(?: title="([\w.]+)")?\n(.*?)^```', re.MULTILINE | re.DOTALL
)
ENVIRONMENT = {
    "COLUMNS": "80",
    "PYTHONDONTWRITEBYTECODE": "1",
    # Of all that is installed here, a reader has this plugin alone; it is faster, too.
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    "PYTEST_PLUGINS": "singletable.pytest_plugin",
}


def _steps() -> Iterator[tuple[str, str, str]]:
    for block in BLOCK.finditer(PAGE.read_text("utf-8")):
        yield block[1], block[2] or "", block[3]


def _patched(text: str, diff: str) -> str:
    lines = diff.splitlines(keepends=True)
    before = "".join(line[1:] for line in lines if line[0] != "+")
    after = "".join(line[1:] for line in lines if line[0] != "-")
    assert text.count(before) == 1, f"the file has no such place, or several:\n{before}"
    return text.replace(before, after)


def _run(command: str, folder: Path) -> str:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, **ENVIRONMENT, "PATH": path}
    ran = subprocess.run(
        shlex.split(command),
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return ran.stdout + ran.stderr


def _expected(printed: str) -> str:
    """Make a pattern of what the page shows: how long something took is not compared."""
    exact = re.escape(printed).replace(r"…\n", r"(?:.*\n)*").replace("…\\\n", r"(?:.*\n)*")
    return re.sub(r"in\\? \d+\\\.\d+s", r"in\\ \\d+\\.\\d+s", exact)


def _commands(text: str) -> list[tuple[str, str]]:
    parts = re.split(r"^\$ (.*)\n", text, flags=re.MULTILINE)
    assert not parts[0], f"no command stands before:\n{parts[0]}"
    return list(zip(parts[1::2], parts[2::2], strict=True))


def test_the_tutorial_runs_as_it_is_written(tmp_path: Path) -> None:
    for kind, name, text in _steps():
        file = tmp_path / name
        if kind == "diff":
            file.write_text(_patched(file.read_text("utf-8"), text), "utf-8")
        elif kind == "python":
            before = file.read_text("utf-8") + "\n\n" if file.exists() else ""
            file.write_text(before + text, "utf-8")
        else:
            for command, printed in _commands(text):
                found = _run(command, tmp_path)
                assert re.fullmatch(_expected(printed), found), f"$ {command}\n{found}"


def test_every_file_of_the_tutorial_has_a_name() -> None:
    assert [text for kind, name, text in _steps() if kind != "console" and not name] == []


def test_a_change_that_fits_nowhere_is_a_fault() -> None:
    with pytest.raises(AssertionError, match="no such place"):
        _patched("a = 1\n", " b = 1\n+c = 2\n")


def test_output_that_differs_is_a_fault() -> None:
    assert re.fullmatch(_expected("one\n…\n"), "one\ntwo\nthree\n")
    assert re.fullmatch(_expected("3 passed in 0.1s\n"), "3 passed in 2.45s\n")
    assert not re.fullmatch(_expected("one\n"), "two\n")
