"""``singletable migrate plan``: what a run would do."""

from __future__ import annotations

from typing import Annotated

import typer

from singletable.cli._commands import refuse_together
from singletable.cli._showing import Format, show_tables, working

from ._job import job_of
from ._options import From, ObjectsAt, Target, To, Units, Workers


def plan(  # noqa: PLR0913 - each is an option of the command line
    migration: Target,
    *,
    source: From,
    to: To,
    sample: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="How many rows of each table to try; 1000 without this."
        ),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Try all rows, and not a sample.")] = False,
    objects: ObjectsAt = None,
    workers: Workers = 2,
    units_per_s: Units = None,
    form: Format = "text",
) -> None:
    """Try a sample, and tell what a run would do.

    Writes nothing. Exit 1 if rows would be lost. Rows that have a unique value of others are found
    among those that are tried: --all finds each.

    Example:
      singletable migrate plan shop.migration:Leave --from sqlite:///old.db --to shop.db
    """
    from singletable.migrate import planning, reporting

    refuse_together({"--sample": sample, "--all": every})
    job = job_of(migration, source, to, objects=objects, units=units_per_s, workers=workers)
    most = None if every else sample or planning.SAMPLE
    with working("Trying rows" if every else "Trying a sample", form) as show:
        made = planning.plan(job, sample=most, workers=workers, show=show)
    tried = "all rows" if most is None else f"a sample of up to {most:,} rows of each table"
    title = f"{made.name}, from {tried}"
    grids, notes = list(reporting.plan_grids(made)), list(reporting.plan_notes(made))
    show_tables(form, made.as_data(), title, grids, notes)
    if not made.is_sound:
        raise typer.Exit(1)
