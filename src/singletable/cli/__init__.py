"""The command line: one module a command, imported when it is called.

A command is a function in the module of the same name, or a ``Typer`` with commands of its own, so
a new file here is a new command and nothing else has to know. The price is that ``--help`` imports
them all, so a command module imports what is heavy inside its function.
"""

from importlib import import_module
from pkgutil import iter_modules
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from ._commands import add

EPILOG = """\b
Example:
  singletable new shelf
  singletable check shelf/shelf/design.py

\b
Exit codes:
  0    it was done, and nothing was found wrong
  1    faults were found, or something is left to do
  2    it cannot be done as it was asked for; the message says why
  130  stopped by Ctrl-C; but 0 where that is how it is meant to end: demo, serve, streams run,
       migrate follow --live, migrate revert --keep
"""


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
        if not isinstance(run, typer.Typer):
            function, run = run, typer.Typer(add_completion=False, rich_markup_mode=None)
            add(run, function)
        return typer.main.get_command(run)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command that is called; name those that are called alike if there is none."""
        names: Any = dict.fromkeys(self.list_commands(ctx))
        self.commands = names  # where Typer looks for such
        return super().resolve_command(ctx, args)


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    epilog=EPILOG,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib import metadata

        typer.echo(metadata.version("singletable"))
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[  # read by its callback, before any command runs
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Design, run and look at DynamoDB single-table designs.

    TARGET, in most commands, is a store: package.module:Store, or the file of a design.
    """


def main() -> None:
    """Run the command line."""
    app()
