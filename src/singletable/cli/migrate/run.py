"""``singletable migrate run``: copy everything."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from singletable.cli._target import plainly

from ._job import job_of
from ._options import Folder, From, ObjectsAt, TableName, Target, To, Units, Workers
from ._showing import Counted, as_json, line

if TYPE_CHECKING:
    from concurrent.futures import Executor


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
    dask: Annotated[
        str | None,
        typer.Option(
            "--dask",
            metavar="ADDRESS",
            help="Copy on the workers of a Dask cluster, by its scheduler: tcp://host:8786.",
        ),
    ] = None,
    follow: Annotated[
        bool, typer.Option("--follow", help="Note changes from the beginning; apply them, too.")
    ] = False,
) -> None:
    """Copy what is not copied yet.

    Stopped at any moment, it goes on. On a terminal it shows how far it is in a line, elsewhere in
    lines of JSON. Exit 1 if rows are rejected.

    Example:
      singletable migrate run shop.migration:Leave --from sqlite:///old.db --to shop.db --workers 4
    """
    with plainly("migrate run"):
        from singletable.migrate import follow as apply
        from singletable.migrate import run_migration

        where = {"table_name": table, "objects": objects, "folder": folder}
        with _workers(dask, migration, workers) as (executor, count), line() as show:
            job = job_of(migration, source, to, units=units_per_s, workers=count, **where)
            done = run_migration(job, workers=count, follow=follow, executor=executor, show=show)
            if follow:
                apply(job, show=lambda left: show(Counted("following", backlog=left)))
                done = run_migration(job, workers=count)
        typer.echo(str(done) if sys.stdout.isatty() else as_json(done.as_data()))
        if done.rejected:
            rejects = job.folder / f"{job.name}.rejects.jsonl"
            typer.echo(f"{done.rejected} rows were rejected: {rejects} says why", err=True)
    if done.rejected:
        raise typer.Exit(1)


@contextmanager
def _workers(dask: str | None, target: str, count: int) -> Iterator[tuple[Executor | None, int]]:
    """Give what copies, and how many of it there are: processes here, or a cluster."""
    if dask is None:
        yield None, count
        return
    from singletable.migrate.clusters import dask_cluster

    file = Path(target.rpartition(":")[0])
    with dask_cluster(dask, (file,) if file.suffix == ".py" else ()) as cluster:
        yield cluster
