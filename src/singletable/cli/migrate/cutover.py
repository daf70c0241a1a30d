"""``singletable migrate cutover``: which side is read and written, and since when."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from singletable.cli._commands import refuse_together
from singletable.cli._places import TableName, must_be_there
from singletable.cli._showing import Format, backlog, show_tables, working
from singletable.errors import UsageError

from ._job import job_of
from ._options import Folder, From, ObjectsAt, Target, To

if TYPE_CHECKING:
    from singletable.migrate.bookkeeping import PhaseName

By = Annotated[str, typer.Option("--by", metavar="NAME", help="Who does it, for the history.")]
MaxS = Annotated[
    float, typer.Option("--max-s", min=0.1, help="How long writes may be held, at most.")
]
SettleS = Annotated[
    float, typer.Option("--settle-s", min=0, help="How long a write under way may take.")
]


def cutover(  # noqa: PLR0913 - each is an option of the command line
    migration: Target,
    phase: Annotated[
        str, typer.Argument(metavar="[PHASE]", help="Where to go.", show_default=False)
    ] = "",
    *,
    to: To,
    source: From = "",
    by: By = "",
    note: Annotated[str, typer.Option("--note", help="Why, for the history.")] = "",
    postpone: Annotated[
        str | None, typer.Option("--postpone", metavar="WHY", help="Have nobody go on for now.")
    ] = None,
    proceed: Annotated[bool, typer.Option("--proceed", help="It is not postponed.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Go further than one phase.")] = False,
    max_s: MaxS = 30.0,
    settle_s: SettleS = 1.0,
    refresh_s: Annotated[
        float, typer.Option("--refresh-s", min=0.01, help="When all know a phase; set once.")
    ] = 2.0,
    table: TableName = None,
    objects: ObjectsAt = None,
    folder: Folder = Path(),
    form: Format = "text",
) -> None:
    """Show the phase and how it came about; with PHASE, go there.

    To dual and to done writes are held for a moment, while what is left is applied from --from.

    Examples:
      singletable migrate cutover shop.migration:Leave --to shop.db
      singletable migrate cutover shop.migration:Leave shadow --to shop.db --by ann
    """
    from singletable.migrate import Cutover, switching

    must_be_there(to)
    refuse_together({"--postpone": postpone, "--proceed": proceed})
    goal = _phase(phase, by) if phase else None
    where: dict[str, Any] = {"table_name": table, "objects": objects, "folder": folder}
    job = job_of(migration, source, to, **where)
    held: dict[str, Any] = {"max_s": max_s, "settle_s": settle_s, "refresh_s": refresh_s}
    paused_s = None
    with job.migration.store.connect(to, table_name=table, create=False) as store:
        if proceed:  # first: who says so may go on at once
            Cutover(store, job.migration, refresh_s=refresh_s).postpone(None)
        if goal:
            with working(f"Going to {goal}", form) as tell:
                made = switching.switch(
                    job, goal, by=by, note=note, force=force, show=backlog(tell), **held
                )
            paused_s = made.paused_s
        shown = Cutover(store, job.migration, refresh_s=refresh_s)
        if postpone is not None:
            shown.postpone(postpone)
        _print(form, shown, paused_s)


def _phase(given: str, by: str) -> PhaseName:
    from singletable.migrate.phases import PHASES

    if given not in PHASES:
        raise UsageError(f"There is no phase {given!r}; there are {', '.join(PHASES)}")
    if not by:
        raise UsageError("The history tells who changed the phase: --by NAME")
    return given


def _print(form: str, shown: Any, paused_s: float | None) -> None:
    from singletable.cost.grids import Grid
    from singletable.migrate.phases import PHASES

    flags = shown.look()
    history = shown.history() if flags.since else []
    rows = [(f"{one.at:%Y-%m-%d %H:%M:%S}", one.after, one.by, one.note) for one in history]
    grids = [Grid.of("How it came there (UTC)", ("at", "phase", "by", "note"), rows)]
    notes = [f"Writes were held for {paused_s:.1f} s."] if paused_s is not None else []
    notes += [f"Postponed: {flags.postponed}"] if flags.postponed else []
    following = PHASES[PHASES.index(flags.phase) + 1 :]
    notes += [f"The next phase is {following[0]}."] if following else []
    content = {
        "name": flags.migration,
        "phase": flags.phase,
        "since": flags.since,
        "postponed": flags.postponed,
        "is_paused": flags.is_paused,
        "paused_s": paused_s,
        "history": [one.model_dump(mode="json") for one in history],
    }
    title = f"{flags.migration}: {flags.phase}"
    show_tables(form, content, title, grids if rows else [], notes)
