"""The command line: one module a command, imported when it is called.

A command is a function in the module of the same name, or a ``Typer`` with commands of its own, so
a new file here is a new command and nothing else has to know. The price is that ``--help`` imports
them all, so a command module imports what is heavy inside its function.
"""

import sys
from importlib import import_module
from pkgutil import iter_modules
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

# What an optional part needs, by the extra that brings it.
MODULES_BY_EXTRA = {
    "async": {"aiobotocore"},
    "aws": {"boto3", "botocore"},
    "objects": {"obstore"},
    "otel": {"opentelemetry"},
    "server": {"starlette", "uvicorn", "httptools"},
    "sql": {"sqlalchemy", "psycopg"},
    "tantivy": {"tantivy"},
}


class Commands(TyperGroup):
    """Finds each command in its module."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Name the commands: the modules of this package."""
        return [module.name for module in iter_modules(__path__) if module.name[0] != "_"]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Import one command; None when there is no such command."""
        if cmd_name not in self.list_commands(ctx):
            return None
        run = getattr(import_module(f"{__name__}.{cmd_name}"), cmd_name)
        if isinstance(run, typer.Typer):
            return typer.main.get_command(run)
        single = typer.Typer(add_completion=False, rich_markup_mode=None)
        single.command(cmd_name)(run)
        return typer.main.get_command(single)


app = typer.Typer(
    cls=Commands,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib import metadata

        typer.echo(metadata.version("singletable"))
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[  # read by its callback, before any command runs
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show it.")
    ] = False,
) -> None:
    """Design, run and look at DynamoDB single-table designs."""


def main() -> None:
    """Run the command line; name the extra to install when an optional part is missing."""
    try:
        app()
    except ModuleNotFoundError as error:
        extra = next((e for e, modules in MODULES_BY_EXTRA.items() if error.name in modules), None)
        if extra is None:
            raise
        sys.exit(f"This needs {error.name}: pip install 'singletable[{extra}]'")
