"""``singletable migrate follow``: apply what has changed since the copy began."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from singletable.cli._places import TableName, must_be_there
from singletable.cli._showing import Format, backlog, counted, show_tables, working
from singletable.cli._stopping import STOPPED, until_stopped

from ._job import job_of
from ._options import Folder, From, ObjectsAt, Target, To, Units


def follow(  # noqa: PLR0913 - each is an option of the command line
    migration: Target,
    *,
    source: From,
    to: To,
    live: Annotated[bool, typer.Option("--live", help="Go on until it is stopped.")] = False,
    table: TableName = None,
    objects: ObjectsAt = None,
    folder: Folder = Path(),
    units_per_s: Units = None,
    form: Format = "text",
) -> None:
    """Apply what has changed in the source since the copy began.

    Exit 1 if rows are rejected, 130 if it was stopped before its end.

    Example:
      singletable migrate follow shop.migration:Leave --from postgresql://db/old --to shop.db
    """
    from singletable.migrate import following

    must_be_there(to)
    where: dict[str, Any] = {"table_name": table, "objects": objects, "folder": folder}
    job = job_of(migration, source, to, units=units_per_s, **where)
    with until_stopped() as is_stopped, working("Following", form) as tell:
        applied = following.follow(job, live=live, stop=is_stopped, show=backlog(tell))
    rejected = job.rejects.read_bytes().count(b"\n")
    refused = counted(rejected, "row is", "rows are")
    notes = [f"{refused} rejected: {job.rejects} says why"] if rejected else []
    content = {"name": job.name, "applied": applied, "rejected": rejected}
    show_tables(form, content, f"{job.name}: {applied:,} changes applied", [], notes)
    if rejected:
        raise typer.Exit(1)
    if is_stopped() and not live:
        raise typer.Exit(STOPPED)
