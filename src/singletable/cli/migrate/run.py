"""``singletable migrate run``: copy everything."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from singletable.cli._places import TableName
from singletable.cli._showing import Format, backlog, counted, show, working

from ._job import going_on, job_of
from ._options import Folder, From, ObjectsAt, Target, To, Units, Workers

if TYPE_CHECKING:
    from concurrent.futures import Executor

MENDED = "When they are mended in the source, singletable migrate verify --repair takes them."


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
    form: Format = "text",
) -> None:
    """Copy what is not copied yet.

    Stopped at any moment, it goes on. On a terminal it shows how far it is in a line; with --format
    json stderr has that in lines of JSON elsewhere. Exit 1 if rows are rejected.

    Example:
      singletable migrate run shop.migration:Leave --from sqlite:///old.db --to shop.db --workers 4
    """
    from singletable.migrate import follow as apply
    from singletable.migrate import run_migration

    where = {"table_name": table, "objects": objects, "folder": folder}
    with going_on(), _workers(dask, migration, workers) as pool, working("Copying", form) as tell:
        executor, count = pool
        job = job_of(migration, source, to, units=units_per_s, workers=count, **where)
        done = run_migration(job, workers=count, follow=follow, executor=executor, show=tell)
        if follow:
            apply(job, show=backlog(tell))
            done = run_migration(job, workers=count)
    show(form, done.as_data(), str(done))
    if done.rejected:
        refused = counted(done.rejected, "row was", "rows were")
        typer.echo(f"{refused} rejected: {job.rejects} says why. {MENDED}", err=True)
        raise typer.Exit(1)


@contextmanager
def _workers(dask: str | None, target: str, count: int) -> Iterator[tuple[Executor | None, int]]:
    """Give what copies, and how many of it there are: processes here, or a cluster."""
    if dask is None:
        yield None, count
        return
    from singletable.migrate.clusters import dask_cluster

    file = Path(target if target.endswith(".py") else target.rpartition(":")[0])
    with dask_cluster(dask, (file,) if file.suffix == ".py" else ()) as cluster:
        yield cluster
