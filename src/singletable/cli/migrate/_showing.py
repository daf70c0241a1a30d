"""How commands of ``singletable migrate`` show how far they are, and what came of it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from singletable.cost.grids import Grid

SHOW_S = 1.0


@contextmanager
def line(*, silent: bool = False) -> Iterator[Callable[[Any], None]]:
    """Show how far it is: in one line of a terminal, else in lines of JSON, or not at all."""
    import time

    from rich.console import Console

    console = Console(stderr=True)
    if console.is_terminal:
        with console.status("") as status:
            yield lambda told: status.update(str(told))
        return
    last = 0.0

    def show(told: Any) -> None:
        nonlocal last
        if not silent and time.monotonic() - last >= SHOW_S:
            last = time.monotonic()
            typer.echo(as_json(told.as_data()))

    yield show


def as_json(content: Any) -> str:
    """Give what a program reads."""
    import orjson

    return orjson.dumps(content, default=str, option=orjson.OPT_NON_STR_KEYS).decode()


def print_result(
    form: str, content: Any, title: str, grids: Sequence[Grid], notes: Sequence[str]
) -> None:
    """Print what came of a command, for a person or for a program."""
    if form == "json":
        typer.echo(as_json(content))
    elif sys.stdout.isatty():
        from rich.console import Console

        console = Console(highlight=False)
        console.print(title, markup=False)
        for grid in grids:
            console.print(grid.rich())
        for note in notes:
            console.print(f"- {note}", markup=False)
    else:
        listed = "\n".join(f"- {note}" for note in notes)
        typer.echo("\n\n".join([title, *(grid.text() for grid in grids), *filter(None, [listed])]))


class Counted:
    """Tells a state, and how many there are of something."""

    def __init__(self, state: str, **numbers: int) -> None:
        self._state = state
        self._numbers = numbers

    def __str__(self) -> str:
        told = "".join(f"{name.title()} {number:,}; " for name, number in self._numbers.items())
        return f"{told}State {self._state}"

    def as_data(self) -> dict[str, Any]:
        """Give it for JSON."""
        return {"state": self._state, **self._numbers}


@contextmanager
def until_stopped() -> Iterator[Callable[[], bool]]:
    """Tell whether somebody asked to stop, who is heard at the end of a turn."""
    import signal
    import threading

    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    stopped = threading.Event()
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.signal(number, lambda *_: stopped.set()) for number in numbers}
    try:
        yield stopped.is_set
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
