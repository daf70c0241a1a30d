"""What commands have in common: docstrings as help, refusals, and errors that are said plainly."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from inspect import getdoc
from typing import Any

import typer
from typer.core import TyperCommand

from singletable.errors import SingletableError

# What an optional part needs, by the extra that brings it.
MODULES_BY_EXTRA = {
    "apps": {"fastapi", "jwt", "mangum", "uvicorn"},
    "async": {"aiobotocore"},
    "aws": {"boto3", "botocore"},
    "dask": {"dask", "distributed"},
    "objects": {"obstore"},
    "otel": {"opentelemetry"},
    "server": {"httptools"},
    "sql": {"sqlalchemy", "psycopg"},
    "tantivy": {"tantivy"},
}


UsageFault: Any = typer.BadParameter.__base__
"""What a wrong option or argument raises: Typer's own, or Click's where Typer is older."""
DATABASE_OPTIONS = ("--db", "--at")


class Command(TyperCommand):
    """A command that says what the user did wrong without a traceback."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments; say of some that are wrong what else to write."""
        try:
            return super().parse_args(ctx, args)
        except UsageFault as fault:
            options = {name for parameter in self.params for name in parameter.opts}
            fault.message = _clearer(fault.message, options)
            raise

    def invoke(self, ctx: Any) -> Any:
        """Run it; exit with 2 if it cannot be done as it was asked for."""
        with plainly(_path(ctx)):
            return super().invoke(ctx)


def add(app: typer.Typer, function: Callable[..., None]) -> None:
    """Make a function a command; the lines of its docstring's examples stay as they are."""
    text = (getdoc(function) or "").replace("\n\nExample", "\n\n\b\nExample")
    app.command(function.__name__, cls=Command, help=text)(function)


def group(text: str, example: str, *commands: Callable[..., None]) -> typer.Typer:
    """Make a command that has commands of its own."""
    text = f"{text}\n\n\b\nExample:\n  {example}"
    app = typer.Typer(help=text, add_completion=False, no_args_is_help=True, rich_markup_mode=None)
    for command in commands:
        add(app, command)
    return app


def refuse_without(needed: str, given: object, options: dict[str, object]) -> None:
    """Refuse options that would do nothing without another one."""
    for option, value in options.items():
        if value and not given:
            raise typer.BadParameter(f"{option} needs {needed}")


def refuse_together(options: dict[str, object]) -> None:
    """Refuse options of which each would have another thing done."""
    if all(options.values()):
        raise typer.BadParameter(f"{' and '.join(options)} exclude each other")


@contextmanager
def plainly(command: str) -> Iterator[None]:
    """Print what the user did wrong without a traceback, and end with the exit code 2."""
    try:
        yield
    except BrokenPipeError:
        raise  # nobody reads on, which is nobody's mistake
    except (SingletableError, OSError, ModuleNotFoundError) as error:
        typer.echo(f"singletable {command}: {_said(error)}", err=True)
        raise typer.Exit(2) from None


def _clearer(message: str, options: set[str]) -> str:
    place = next((option for option in DATABASE_OPTIONS if option in options), None)
    if place and message.startswith("Got unexpected extra argument"):
        return f"{message}: if it is a database, write {place} before it"
    return message.removeprefix("Value error, ")  # which is Pydantic's word


def _said(error: Exception) -> str:
    if isinstance(error, OSError):
        return f"{error.filename}: {error.strerror}" if error.filename else str(error)
    if isinstance(error, ModuleNotFoundError):
        extra = next((e for e, modules in MODULES_BY_EXTRA.items() if error.name in modules), None)
        if extra is None:
            raise error
        return f"this needs {error.name}: pip install 'singletable[{extra}]'"
    return str(error)


def _path(ctx: Any) -> str:
    """Name a command as it was called, without the program's own name."""
    return f"{_path(ctx.parent)} {ctx.info_name}".strip() if ctx.parent else ""
