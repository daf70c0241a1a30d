"""How commands show what came of them, and how far they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Annotated, Any, Literal

import typer

Format = Annotated[Literal["text", "json"], typer.Option("--format", help="How to show it.")]


def show(form: str, content: Any, text: str) -> None:
    """Print a result: for a program, or the text for a person."""
    typer.echo(as_json(content) if form == "json" else text)


def as_json(content: Any) -> str:
    """Give what a program reads."""
    import orjson

    return orjson.dumps(content, default=str).decode()


@contextmanager
def busy(what: str) -> Iterator[None]:
    """Show that something goes on, where there is a terminal to show it on."""
    from rich.console import Console

    console = Console(stderr=True)
    with console.status(what) if console.is_terminal else nullcontext():
        yield


@contextmanager
def bar(what: str) -> Iterator[Callable[[int, int | None], None]]:
    """Show a progress bar, where there is a terminal to show it on."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task(what, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)
