"""``singletable migrate revert``: back to the old side, with all that was written since."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from singletable.cli._places import TableName, must_be_there
from singletable.cli._showing import Counted, Format, counted, show, show_tables, working
from singletable.cli._stopping import until_stopped
from singletable.errors import UsageError

from ._job import job_of
from ._options import Folder, From, ObjectsAt, Target, To, Workers
from .cutover import By, MaxS, SettleS


def revert(  # noqa: PLR0913 - each is an option of the command line
    migration: Target,
    *,
    source: From,
    to: To,
    by: By = "",
    phase: Annotated[
        Literal["new-100", "old"], typer.Option("--phase", help="Where to.")
    ] = "new-100",
    keep: Annotated[
        bool, typer.Option("--keep", help="Only write back, until it is stopped.")
    ] = False,
    max_s: MaxS = 30.0,
    settle_s: SettleS = 1.0,
    table: TableName = None,
    objects: ObjectsAt = None,
    folder: Folder = Path(),
    workers: Workers = 1,
    form: Format = "text",
) -> None:
    """Write to the source what only the table has; switch back.

    What was written is verified before; exit 1 if it is not switched. With --keep nothing is
    switched: it keeps the source up to date, and so the way back open for longer than the 24 hours
    of a stream.

    Example:
      singletable migrate revert shop.migration:Leave --from sqlite:///old.db --to shop.db --by ann
    """
    from singletable.migrate import reverting

    must_be_there(to)
    where: dict[str, Any] = {"table_name": table, "objects": objects, "folder": folder}
    job = job_of(migration, source, to, **where)
    if keep:
        with until_stopped() as is_stopped, working("Writing back", form) as tell:
            rows = reverting.write_back(
                job, live=True, stop=is_stopped, show=lambda n: tell(Counted("keeping", rows=n))
            )
        show(form, {"name": job.name, "rows": rows}, _title(job.name, rows))
        return
    if not by:
        raise UsageError("The history tells who changed the phase: --by NAME")
    with working("Writing back", form) as tell:
        made = reverting.revert(
            job, by=by, to=phase, max_s=max_s, settle_s=settle_s, workers=workers, show=tell
        )
    _print(form, job.name, made)
    if not made.is_reverted:
        raise typer.Exit(1)


def _title(name: str, rows: int) -> str:
    return f"{name}: {counted(rows, 'row')} written back"


def _print(form: str, name: str, made: Any) -> None:
    from singletable.migrate import reporting

    checked = made.verification
    grids = list(reporting.verification_grids(checked)) if checked else []
    notes = list(reporting.verification_notes(checked)) if checked else []
    if made.paused_s is not None:
        notes.append(f"Writes were held for {made.paused_s:.1f} s.")
    notes.append(f"The phase is {made.phase}{'' if made.is_reverted else ', as before'}.")
    show_tables(form, {"name": name, **made.as_data()}, _title(name, made.rows), grids, notes)
