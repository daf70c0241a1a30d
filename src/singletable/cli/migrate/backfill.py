"""``singletable migrate backfill``: every item as the design has it now."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from singletable.cli._commands import refuse_together, refuse_without
from singletable.cli._places import TableName, address, must_be_there
from singletable.cli._showing import (
    Counted,
    Format,
    Show,
    backlog,
    counted,
    reading,
    show,
    show_tables,
    working,
)
from singletable.cli._target import load, load_object
from singletable.errors import UsageError

from ._job import going_on, must_be_found
from ._options import Folder, ObjectsAt, Units, Workers

if TYPE_CHECKING:
    from singletable.migrate import Job, Migration
    from singletable.migrate.backfilling import Backfill
    from singletable.migrate.progress import Progress
    from singletable.store.store import Store

Design = Annotated[
    str,
    typer.Argument(
        metavar="TARGET",
        help="The store, or a migration with @entities rules: package.module:Class, or a file.",
        show_default=False,
    ),
]
At = Annotated[str, address("--at", "--to")]


def backfill(  # noqa: PLR0913 - each is an option of the command line
    target: Design,
    *,
    at: At,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Count what is to be done, and write nothing.")
    ] = False,
    sample: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="With --dry-run: look at about so many items only."),
    ] = None,
    clean: Annotated[
        bool, typer.Option("--clean", help="Delete an old layout, when the new one is done.")
    ] = False,
    gone: Annotated[
        bool, typer.Option("--gone", help="With --clean: those, too, whose new item is gone.")
    ] = False,
    table: TableName = None,
    objects: ObjectsAt = None,
    folder: Folder = Path(),
    workers: Workers = 2,
    units_per_s: Units = None,
    form: Format = "text",
) -> None:
    """Rewrite every item that is not as the design has it.

    Stopped at any moment, it goes on. A migration that is in place has its new items made beside
    the old, and kept equal until there are no more changes. Exit 1 if items had to be left alone,
    or, with --dry-run, if there is something to do.

    Examples:
      singletable migrate backfill shop/design.py --at shop.db --dry-run
      singletable migrate backfill shop.migration:NewLayout --at shop.db --clean
    """
    from singletable.migrate.backfilling import Backfill

    refuse_without("--dry-run", dry_run, {"--sample": sample})
    refuse_without("--clean", clean, {"--gone": gone})
    refuse_together({"--sample": sample, "--clean": clean})
    must_be_there(at)
    units = units_per_s and units_per_s / workers
    job = Backfill(_design(target), at, table, objects, folder, units)
    if clean:
        faults = _clean(job, workers, form, gone=gone, dry_run=dry_run)
    elif dry_run:
        faults = _count(job, sample, workers, form)
    else:
        faults = _run(job, workers, form)
    if faults:
        raise typer.Exit(1)


def _design(target: str) -> type[Store | Migration[Any]]:
    from singletable.migrate import Migration
    from singletable.store.store import Store

    found = load_object(target) if ":" in target else load(target)
    if not isinstance(found, type) or not issubclass(found, Store | Migration):
        raise UsageError(f"{target} is neither a store nor a migration")
    must_be_found(target, found)
    return found


def _count(job: Backfill, sample: int | None, workers: int, form: str) -> int:
    from singletable.migrate.backfilling import reporting, survey

    with reading(form) as tell:
        made = survey(job, sample=sample, workers=workers, show=tell)
    title = f"{made.name}: {made.left:,} of {sum(one.items for one in made.entities):,} items left"
    grids, notes = list(reporting.survey_grids(made)), list(reporting.survey_notes(made))
    show_tables(form, made.as_data(), title, grids, notes)
    return made.left + made.broken


def _run(job: Backfill, workers: int, form: str) -> int:
    with going_on(), working("Backfilling", form) as tell:
        done, rejects = _done(job, workers, tell)
    show(form, done.as_data(), str(done))
    if done.rejected:
        left = counted(done.rejected, "item was", "items were")
        typer.echo(f"{left} left alone: {rejects} says why", err=True)
    return done.rejected


def _done(job: Backfill, workers: int, tell: Show) -> tuple[Progress, Path]:
    from singletable.migrate import follow, run_migration
    from singletable.migrate.backfilling import backfill

    if job.migration is None or not job.migration.in_place:
        return backfill(job, workers=workers, show=tell), job.rejects
    layout = _layout(job)
    run_migration(layout, workers=workers, follow=True, show=tell)
    follow(layout, show=backlog(tell))
    return run_migration(layout, workers=workers), layout.rejects


def _clean(job: Backfill, workers: int, form: str, *, gone: bool, dry_run: bool) -> int:
    from singletable.migrate.layouts.cleaning import clean

    with working("Looking at items", form) as tell:
        made = clean(
            _layout(job),
            gone=gone,
            workers=workers,
            dry_run=dry_run,
            show=lambda one: tell(Counted("cleaning", deleted=one.deleted, kept=one.kept)),
        )
    became = "can be deleted" if dry_run else "deleted"
    title = f"{job.design.__name__}: {made.deleted:,} items of the old layout {became}"
    notes = [f"Stays: {example}" for example in made.examples]
    show_tables(form, made.as_data(), title, [], [*notes, f"{made.kept:,} stay."])
    return made.kept + (made.deleted if dry_run else 0)


def _layout(job: Backfill) -> Job:
    from singletable.migrate import Migration
    from singletable.migrate.layouts.job import in_place

    if not issubclass(job.design, Migration):
        raise UsageError(f"{job.design.__name__} is a store: only a migration has an old layout")
    return in_place(
        job.design,
        job.at,
        table_name=job.table_name,
        objects=job.objects,
        folder=job.folder,
        units_per_s=job.units_per_s,
    )
