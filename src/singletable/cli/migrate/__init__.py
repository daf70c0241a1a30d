"""``singletable migrate``: into one table, with nothing lost. One module a command."""

import typer

from .backfill import backfill
from .cutover import cutover
from .follow import follow
from .init import init
from .plan import plan
from .revert import revert
from .run import run
from .status import status
from .verify import verify

migrate = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Bring data into one table, from SQL, from many tables, from files.",
)
for command in (backfill, cutover, follow, init, plan, revert, run, status, verify):
    migrate.command()(command)
