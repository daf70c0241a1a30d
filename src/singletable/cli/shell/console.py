"""The prompt: Python's own, with errors in a line, costs, and completion."""

from __future__ import annotations

import re
import sys
from code import InteractiveConsole
from inspect import signature
from rlcompleter import Completer
from types import CodeType
from typing import Any, TextIO

import typer
from pydantic import ValidationError

from singletable.errors import SingletableError

from .metering import Meter

CALL = re.compile(r"([\w.]+)\([^()]*$")
"""What is being called, where a line ends inside of its parentheses."""


class Console(InteractiveConsole):
    """Runs lines, tells what each cost, and remembers whether one failed."""

    def __init__(self, names: dict[str, Any], meter: Meter) -> None:
        super().__init__(names)
        self._meter = meter
        self._failed = False

    def run(self, lines: TextIO) -> bool:
        """Run what is typed, or what comes from a pipe; tell whether none of a pipe failed."""
        sys.excepthook = sys.__excepthook__  # Typer's would show where this module runs a line
        if lines.isatty():
            self._interact()
            return True
        for line in lines:
            self.push(line.rstrip("\n"))
        unfinished = self.push("")  # which ends a block, as it does at a prompt
        if unfinished:
            self.write("SyntaxError: the last statement is not finished\n")
        return not (self._failed or unfinished)

    def _interact(self) -> None:
        from rich import pretty

        pretty.install()
        _complete(self.locals)
        self.interact(banner="", exitmsg="")

    def runcode(self, code: CodeType) -> None:
        """Run one statement; its error does not end the shell."""
        try:
            exec(code, self.locals)  # noqa: S102 - what the user typed
        except BrokenPipeError:
            raise  # nobody reads on
        except (SingletableError, ValidationError) as error:
            self._failed = True
            self.write(f"{type(error).__name__}: {error}\n")
        except Exception:  # noqa: BLE001 - a fault of the user's own line
            self._failed = True
            self.showtraceback()
        finally:
            sys.stdout.flush()
            for line in self._meter.lines():
                typer.secho(line, err=True, dim=True)

    def showsyntaxerror(self, filename: str | None = None, **more: Any) -> None:
        """Say where a line is no Python."""
        self._failed = True
        super().showsyntaxerror(filename, **more)


class NameCompleter(Completer):
    """Completes names, and the parameters of the call that is being written."""

    def __init__(self, names: dict[str, Any]) -> None:
        super().__init__(names)
        self._names = names

    def global_matches(self, text: str) -> list[str]:
        """Give what may stand here and begins with a text."""
        import readline

        before = readline.get_line_buffer()[: readline.get_begidx()]
        return self.parameters(before, text) or super().global_matches(text)

    def parameters(self, before: str, text: str) -> list[str]:
        """Give the parameters of what is called in a line."""
        called = CALL.search(before)
        found = self._found(called[1].split(".")) if called else None
        try:
            names = list(signature(found).parameters) if callable(found) else []
        except ValueError:  # some builtins have none
            names = []
        return [f"{name}=" for name in names if name.startswith(text)]

    def _found(self, path: list[str]) -> Any:
        found = self._names.get(path[0])
        for name in path[1:]:
            found = getattr(found, name, None)
        return found


def _complete(names: dict[str, Any]) -> None:
    """Have Tab complete, where this Python has readline."""
    try:
        import readline
    except ModuleNotFoundError:
        return
    readline.set_completer(NameCompleter(names).complete)
    in_libedit = "libedit" in (readline.__doc__ or "")
    readline.parse_and_bind("bind ^I rl_complete" if in_libedit else "tab: complete")
