"""From what the command line says to a job."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

from singletable.cli._stopping import STOPPED
from singletable.cli._target import load_object
from singletable.errors import UsageError

if TYPE_CHECKING:
    from singletable.migrate import Job, Migration


def job_of(
    target: str, source: str, to: str, *, units: float | None = None, workers: int = 1, **more: Any
) -> Job:
    """Make the job of a command."""
    from singletable.migrate import Job

    return Job(
        migration=migration_of(target),
        source=source,
        destination=to,
        units_per_s=units and units / workers,
        **more,
    )


def migration_of(target: str) -> type[Migration[Any]]:
    """Load the migration that a target names, or the only one of its module."""
    from singletable.migrate import Migration

    found = load_object(target, Migration)
    if not isinstance(found, type) or not issubclass(found, Migration) or found is Migration:
        raise UsageError(f"{target} is no migration: class MyMigration(Migration[MyStore])")
    must_be_found(target, found)
    return found


@contextmanager
def going_on() -> Iterator[None]:
    """Say, when it is stopped by Ctrl-C, that nothing is lost."""
    try:
        yield
    except KeyboardInterrupt:
        typer.echo("Stopped. The same command goes on from here.", err=True)
        raise typer.Exit(STOPPED) from None


def must_be_found(target: str, found: type) -> None:
    """Refuse what other processes, which import it by the name of its module, would not find."""
    from importlib.machinery import PathFinder

    if PathFinder.find_spec(found.__module__.partition(".")[0]) is None:
        raise UsageError(
            f"{target}: another module has the name of this file, so that other processes would "
            "not find it: give the file another name"
        )
