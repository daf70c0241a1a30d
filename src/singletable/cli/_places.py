"""Where a table is: the options that say it, shared by the commands that open one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from singletable.errors import UsageError

ELSEWHERE = ("aws:", "http://", "https://")


def address(*names: str) -> Any:
    """Make the option that says where the table is."""
    return typer.Option(
        *names,
        metavar="ADDRESS",
        help="Where the table is: a file, aws:eu-west-1, or the URL of an endpoint.",
        show_default=False,
    )


At = Annotated[str, address("--at")]
TableName = Annotated[
    str | None,
    typer.Option("--table", metavar="NAME", help="The table's name, if not the design's."),
]


def must_be_there(at: str) -> None:
    """Refuse a file that is not there, where another would be made."""
    if not at.startswith(ELSEWHERE) and not Path(at).is_file():
        raise UsageError(f"There is no file {at}")
