"""``singletable migrate``: into one table, with nothing lost. One module a command."""

import typer

from .plan import plan
from .run import run
from .status import status
from .verify import verify

migrate = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Bring data into one table, from SQL, from many tables, from files.",
)
for command in (plan, run, status, verify):
    migrate.command()(command)
