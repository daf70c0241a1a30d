"""The shell completes commands and options, by what the command line prints for it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PATH = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
BASH = """
source <(singletable --show-completion)
COMP_WORDS=({words}) COMP_CWORD={number}
_singletable_completion singletable  # as bash calls it
echo "${{COMPREPLY[@]}}"
"""
ZSH = """
compdef() {{ : }}
_arguments() {{ print -r -- "$*" }}
source <(_SINGLETABLE_COMPLETE=source_zsh singletable)
words=({words}) CURRENT={number}
_singletable_completion
"""


def _run(shell: str, script: str) -> str:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    ran = subprocess.run(
        [program, "-s"],
        input=script,
        env={**os.environ, "PATH": PATH},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


@pytest.mark.parametrize(
    ("words", "number", "expected"),
    [
        ("singletable de", 1, {"demo", "deploy", "describe"}),
        ("singletable streams re", 2, {"rebuild", "replay", "retry"}),
        ("singletable check --so", 2, {"--source"}),
        ("singletable deploy x --format t", 4, {"terraform"}),
    ],
)
def test_bash_completes(words: str, number: int, expected: set[str]) -> None:
    assert set(_run("bash", BASH.format(words=words, number=number)).split()) == expected


def test_zsh_completes() -> None:
    shown = _run("zsh", ZSH.format(words="singletable de", number=2))
    assert all(f'"{name}"' in shown for name in ("demo", "deploy", "describe"))


def _answer(**environment: str) -> str:
    """Give what the program answers to a shell's script."""
    shown = subprocess.run(
        ["singletable"],
        env={**os.environ, "PATH": PATH, **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert shown.returncode == 0, shown.stderr
    return shown.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_scripts_are_given_for_both_shells(shell: str) -> None:
    assert "_singletable_completion" in _answer(_SINGLETABLE_COMPLETE=f"source_{shell}")


def test_zsh_is_told_the_purposes_too() -> None:
    asked = {
        "_SINGLETABLE_COMPLETE": "complete_zsh",
        "_TYPER_COMPLETE_ARGS": "singletable streams ",
    }
    assert '"tail":"Show changes as they happen."' in _answer(**asked)
