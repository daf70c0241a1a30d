"""``singletable migrate verify``: whether both sides agree."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from singletable.cli._places import TableName, must_be_there
from singletable.cli._showing import Format, show_tables, working

from ._job import job_of
from ._options import Folder, From, ObjectsAt, Target, To, Units, Workers


def verify(  # noqa: PLR0913 - each is an option of the command line
    migration: Target,
    *,
    source: From,
    to: To,
    table: TableName = None,
    objects: ObjectsAt = None,
    folder: Folder = Path(),
    workers: Workers = 2,
    units_per_s: Units = None,
    repair: Annotated[
        bool, typer.Option("--repair", help="Write what is missing or wrong.")
    ] = False,
    content: Annotated[bool, typer.Option("--content", help="Load large content, too.")] = False,
    settle_s: Annotated[
        float, typer.Option("--settle-s", min=0, help="How long to wait before looking again.")
    ] = 1.0,
    form: Format = "text",
) -> None:
    """Compare the source with the table, both ways.

    Writes may go on meanwhile. Exit 1 if they differ.

    Example:
      singletable migrate verify shop.migration:Leave --from sqlite:///old.db --to shop.db
    """
    from singletable.migrate import reporting, verifying

    must_be_there(to)
    where = {"table_name": table, "objects": objects, "folder": folder}
    job = job_of(migration, source, to, units=units_per_s, workers=workers, **where)
    with working("Comparing", form) as show:
        made = verifying.verify(
            job, repair=repair, content=content, workers=workers, settle_s=settle_s, show=show
        )
    grids = list(reporting.verification_grids(made))
    notes = list(reporting.verification_notes(made))
    show_tables(form, made.as_data(), made.name, grids, notes)
    if not made.agrees:
        raise typer.Exit(1)
