"""``singletable migrate``: into one table, with nothing lost."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from singletable.errors import UsageError

from ._target import load_object, plainly

if TYPE_CHECKING:
    from singletable.cost.grids import Grid
    from singletable.migrate import Job, Migration

migrate = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Bring data into one table, from SQL, from many tables, from files.",
)

ELSEWHERE = ("aws:", "http://", "https://")
SHOW_S = 1.0

Target = Annotated[
    str,
    typer.Argument(
        metavar="MIGRATION",
        help="The migration: package.module:Class, or path/file.py:Class.",
        show_default=False,
    ),
]
FROM = typer.Option(
    "--from",
    metavar="SOURCE",
    help="What is left: a URL of SQLAlchemy, dynamodb:ADDRESS, a folder or file.",
    show_default=False,
)
From = Annotated[str, FROM]
To = Annotated[
    str,
    typer.Option(
        "--to",
        metavar="ADDRESS",
        help="Where the table is: a file, aws:eu-west-1, or the URL of an endpoint.",
        show_default=False,
    ),
]
TableName = Annotated[
    str | None,
    typer.Option("--table", metavar="NAME", help="The table's name, if not the design's."),
]
ObjectsAt = Annotated[
    str | None,
    typer.Option(
        "--objects", metavar="ADDRESS", help="Where large content goes: s3://…, a folder."
    ),
]
Folder = Annotated[
    Path, typer.Option("--folder", metavar="DIR", help="Where rejects and differences are written.")
]
Workers = Annotated[int, typer.Option("--workers", min=1, help="How many processes.")]
Units = Annotated[
    float | None,
    typer.Option("--units-per-s", metavar="N", min=1, help="Units a second, of all processes."),
]
Format = Annotated[Literal["text", "json"], typer.Option("--format", help="How to show it.")]


@migrate.command()
def plan(  # noqa: PLR0913 - each is an option of the command line
    migration: Target,
    *,
    source: From,
    to: To,
    sample: Annotated[int, typer.Option(min=1, help="How many rows of each table to try.")] = 1000,
    objects: ObjectsAt = None,
    workers: Workers = 2,
    units_per_s: Units = None,
    form: Format = "text",
) -> None:
    """Try a sample, and tell what a run would do; writes nothing. Exit 1 if rows would be lost."""
    with plainly("migrate plan"):
        from singletable.migrate import planning, reporting

        job = _job(migration, source, to, objects=objects, units=units_per_s, workers=workers)
        made = planning.plan(job, sample=sample, workers=workers)
        title = f"{made.name}, from a sample of up to {sample:,} rows of each table"
        grids, notes = list(reporting.plan_grids(made)), list(reporting.plan_notes(made))
        _print(form, made.as_data(), title, grids, notes)
    if not made.is_sound:
        raise typer.Exit(1)


@migrate.command()
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
        job = _job(migration, source, to, units=units_per_s, workers=workers, **where)
        with _line() as show:
            done = run_migration(job, workers=workers, follow=follow, show=show)
            if follow:
                apply(job, show=lambda left: show(_Applying(left)))
                done = run_migration(job, workers=workers)
        typer.echo(str(done) if sys.stdout.isatty() else _json(done.as_data()))
        if done.rejected:
            rejects = job.folder / f"{job.name}.rejects.jsonl"
            typer.echo(f"{done.rejected} rows were rejected: {rejects} says why", err=True)
    if done.rejected:
        raise typer.Exit(1)


@migrate.command()
def status(
    migration: Target,
    to: To,
    source: Annotated[str, FROM] = "",
    table: TableName = None,
    form: Format = "text",
) -> None:
    """Tell where a migration stands; with --from, how many changes are not applied yet."""
    with plainly("migrate status"):
        from singletable.migrate import reporting, standing

        _must_be_there(to)
        made = standing.status(_job(migration, source, to, table_name=table))
        grids = list(reporting.status_grids(made)) if made.kinds else []
        _print(form, made.as_data(), reporting.status_title(made), grids, [])


@migrate.command()
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
    """Compare the source with the table, both ways, while writes go on; exit 1 if they differ."""
    with plainly("migrate verify"):
        from singletable.migrate import reporting, verifying

        _must_be_there(to)
        where = {"table_name": table, "objects": objects, "folder": folder}
        job = _job(migration, source, to, units=units_per_s, workers=workers, **where)
        with _line(silent=form == "text") as show:
            made = verifying.verify(
                job, repair=repair, content=content, workers=workers, settle_s=settle_s, show=show
            )
        grids = list(reporting.verification_grids(made))
        notes = list(reporting.verification_notes(made))
        _print(form, made.as_data(), made.name, grids, notes)
    if not made.agrees:
        raise typer.Exit(1)


class _Applying:
    """Tells how many changes are left to apply."""

    def __init__(self, backlog: int) -> None:
        self.backlog = backlog

    def __str__(self) -> str:
        return f"Backlog {self.backlog:,}; State following"

    def as_data(self) -> dict[str, Any]:
        return {"state": "following", "backlog": self.backlog}


def _job(
    target: str, source: str, to: str, *, units: float | None = None, workers: int = 1, **more: Any
) -> Job:
    from singletable.migrate import Job

    return Job(
        migration=_migration(target),
        source=source,
        destination=to,
        units_per_s=units and units / workers,
        **more,
    )


def _migration(target: str) -> type[Migration[Any]]:
    from importlib.machinery import PathFinder

    from singletable.migrate import Migration

    found = load_object(target)
    if not isinstance(found, type) or not issubclass(found, Migration) or found is Migration:
        raise UsageError(f"{target} is no migration: class MyMigration(Migration[MyStore])")
    # Other processes import it by the name of its module.
    if PathFinder.find_spec(found.__module__.partition(".")[0]) is None:
        raise UsageError(
            f"{target}: another module has the name of this file, so that other processes would "
            "not find it: give the file another name"
        )
    return found


def _must_be_there(to: str) -> None:
    if not to.startswith(ELSEWHERE) and not Path(to).is_file():
        raise UsageError(f"There is no file {to}")


@contextmanager
def _line(*, silent: bool = False) -> Iterator[Callable[[Any], None]]:
    """Show how far it is: in one line of a terminal, else in lines of JSON, or not at all."""
    import time

    from rich.console import Console

    console = Console(stderr=True)
    if console.is_terminal:
        with console.status("") as line:
            yield lambda told: line.update(str(told))
        return
    last = 0.0

    def show(told: Any) -> None:
        nonlocal last
        if not silent and time.monotonic() - last >= SHOW_S:
            last = time.monotonic()
            typer.echo(_json(told.as_data()))

    yield show


def _json(content: Any) -> str:
    import orjson

    return orjson.dumps(content, default=str, option=orjson.OPT_NON_STR_KEYS).decode()


def _print(
    form: str, content: Any, title: str, grids: Sequence[Grid], notes: Sequence[str]
) -> None:
    if form == "json":
        typer.echo(_json(content))
    elif sys.stdout.isatty():
        from rich.console import Console

        console = Console(highlight=False)
        console.print(title, markup=False)
        for grid in grids:
            console.print(grid.rich())
        for note in notes:
            console.print(f"- {note}", markup=False)
    else:
        listed = "\n".join(f"- {note}" for note in notes)
        typer.echo("\n\n".join([title, *(grid.text() for grid in grids), *filter(None, [listed])]))
