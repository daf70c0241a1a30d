"""How commands show what came of them, and how far they are.

The result goes to stdout and nothing else does, so that it can be piped; whatever is told on the
way there goes to stderr.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from singletable.cost.grids import Grid

Format = Annotated[Literal["text", "json"], typer.Option("--format", help="How to show it.")]
Show = Callable[[Any], None]
EVERY_S = 1.0
WIDEST = 10_000


def show(form: str, content: Any, text: str) -> None:
    """Print a result: for a program, or the text for a person."""
    typer.echo(as_json(content) if form == "json" else text)


def show_tables(
    form: str, content: Any, title: str, grids: Sequence[Grid], notes: Sequence[str] = ()
) -> None:
    """Print a result of several parts: for a program, or tables for a person."""
    if form == "json":
        typer.echo(as_json(content))
    else:
        print_tables(title, grids, notes)


def print_tables(title: str, grids: Sequence[Grid], notes: Sequence[str] = ()) -> None:
    """Print tables: with lines where a person looks at a terminal, plain elsewhere."""
    if sys.stdout.isatty():
        from rich.console import Console

        console = Console(highlight=False)
        console.print(title, markup=False)
        for grid in grids:
            _print_table(console, grid)
        for note in notes:
            console.print(f"- {note}", markup=False)
    else:
        listed = "\n".join(f"- {note}" for note in notes)
        typer.echo("\n\n".join([title, *(grid.text() for grid in grids), *filter(None, [listed])]))


def _print_table(console: Console, grid: Grid) -> None:
    """Print a table, or lines that the terminal may break, where it is too narrow for a table."""
    table = grid.rich()
    anywhere = console.options.update(max_width=WIDEST)
    if console.measure(table, options=anywhere).minimum <= console.width:
        console.print(table)
    else:
        console.print(grid.text(), markup=False, soft_wrap=True)


def as_json(content: Any, *, indent: bool = False) -> str:
    """Give what a program reads, and with ``indent`` a person, too."""
    import orjson

    option = orjson.OPT_NON_STR_KEYS | (orjson.OPT_INDENT_2 if indent else 0)
    return orjson.dumps(content, default=str, option=option).decode()


def counted(number: float, one: str, many: str = "") -> str:
    """Say how many there are of something: 1 record, 2 records; ``many`` if that is no -s more."""
    told = f"{number:,}" if isinstance(number, int) else f"{number:g}"
    return f"{told} {one if number == 1 else many or f'{one}s'}"


class Counted:
    """Tells a state, and how many there are of something."""

    def __init__(self, state: str, **numbers: int | None) -> None:
        self._state = state
        self._numbers = {name: number for name, number in numbers.items() if number is not None}

    def __str__(self) -> str:
        told = "".join(f"{name.title()} {number:,}; " for name, number in self._numbers.items())
        return f"{told}State {self._state}"

    def as_data(self) -> dict[str, Any]:
        """Give it for JSON."""
        return {"state": self._state, **self._numbers}


@contextmanager
def working(what: str, form: str = "text") -> Iterator[Show]:
    """Show on stderr that something goes on, and what is told of how far it is.

    On a terminal in one line, with the time it takes. Elsewhere a program that wants JSON gets a
    line of it every second, and all others nothing.
    """
    if sys.stderr.isatty():
        with _line(what) as shown:
            yield shown
    else:
        yield _each_second() if form == "json" else lambda _: None


@contextmanager
def reading(form: str) -> Iterator[Callable[..., None]]:
    """Show how many items of how many are read."""
    with working("Reading items", form) as tell:
        yield lambda done, total=None: tell(Counted("reading", items=done, of=total))


def backlog(tell: Show) -> Callable[[int], None]:
    """Tell how many changes are left to be applied."""
    return lambda left: tell(Counted("following", backlog=left))


@contextmanager
def _line(what: str) -> Iterator[Show]:
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        TimeElapsedColumn(),
    )
    console = Console(stderr=True)
    # Rich would take over stdout as well, and a result that goes to a file would not get there.
    with Progress(*columns, console=console, transient=True, redirect_stdout=False) as progress:
        task = progress.add_task(what, total=None)
        yield lambda told: progress.update(task, description=str(told))


def _each_second() -> Show:
    last = monotonic()

    def tell(told: Any) -> None:
        nonlocal last
        if monotonic() - last >= EVERY_S:
            last = monotonic()
            data = told.as_data() if hasattr(told, "as_data") else {"state": str(told)}
            typer.echo(as_json(data), err=True)

    return tell
