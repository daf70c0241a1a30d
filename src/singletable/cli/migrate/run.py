"""``singletable migrate run``: copy everything."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from singletable.cli._target import plainly

from ._job import job_of
from ._options import Folder, From, ObjectsAt, TableName, Target, To, Units, Workers
from ._showing import as_json, line


def run(  # noqa: PLR0913 - each is an option of the command line
    migration: Target,
    *,
    source: From,
    to: To,
    table: TableName = None,
    objects: ObjectsAt = None,
    folder: Folder = Path(),
    workers: Workers = 2,
    units_per_s: Units = None,
    follow: Annotated[
        bool, typer.Option("--follow", help="Note changes from the beginning; apply them, too.")
    ] = False,
) -> None:
    """Copy what is not copied yet; stopped at any moment, it goes on. Exit 1 if rows are rejected.

    On a terminal it shows how far it is in a line, elsewhere in lines of JSON.
    """
    with plainly("migrate run"):
        from singletable.migrate import follow as apply
        from singletable.migrate import run_migration

        where = {"table_name": table, "objects": objects, "folder": folder}
        job = job_of(migration, source, to, units=units_per_s, workers=workers, **where)
        with line() as show:
            done = run_migration(job, workers=workers, follow=follow, show=show)
            if follow:
                apply(job, show=lambda left: show(_Applying(left)))
                done = run_migration(job, workers=workers)
        typer.echo(str(done) if sys.stdout.isatty() else as_json(done.as_data()))
        if done.rejected:
            rejects = job.folder / f"{job.name}.rejects.jsonl"
            typer.echo(f"{done.rejected} rows were rejected: {rejects} says why", err=True)
    if done.rejected:
        raise typer.Exit(1)


class _Applying:
    """Tells how many changes are left to apply."""

    def __init__(self, backlog: int) -> None:
        self.backlog = backlog

    def __str__(self) -> str:
        return f"Backlog {self.backlog:,}; State following"

    def as_data(self) -> dict[str, Any]:
        return {"state": "following", "backlog": self.backlog}
