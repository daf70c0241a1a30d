"""``singletable streams run``: consumers that follow a stream."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from singletable.cli._places import At, TableName
from singletable.cli._showing import Counted, Format, as_json, counted, show, working
from singletable.cli._stopping import STOPPED, until_stopped
from singletable.cli._target import Target

from ._options import Consumers, Group, consumers_of, opened

if TYPE_CHECKING:
    from singletable.streams.worker import Worker


def run(  # noqa: PLR0913 - each is an option of the command line
    target: Target,
    *,
    at: At,
    consumer: Consumers,
    table: TableName = None,
    name: Group = "worker",
    once: Annotated[bool, typer.Option("--once", help="Deliver what there is, and end.")] = False,
    create: Annotated[
        bool, typer.Option("--create", help="Make the bookkeeping's table if it is missing.")
    ] = False,
    form: Format = "text",
) -> None:
    """Follow the stream and deliver changes to consumers.

    Until Ctrl-C or SIGTERM, or, with --once, until nothing is left; exit 130 if it was stopped
    before that. At the end it says how many records were delivered.

    Example:
      singletable streams run shop/design.py --at shop.db --consumer shop.after:After
    """
    with opened(target, at, table) as store:
        from singletable.streams.worker import Worker

        worker = Worker(store, *consumers_of(store, consumer), name=name, create=create or None)
        with until_stopped(worker.stop) as is_stopped:
            count = _drain(worker) if once else _follow(worker, name, at, form)
    show(form, {"records": count}, f"{counted(count, 'record was', 'records were')} delivered")
    if once and is_stopped():
        raise typer.Exit(STOPPED)


def _drain(worker: Worker) -> int:
    with working("Delivering records"):
        return worker.drain()


def _follow(worker: Worker, group: str, at: str, form: str) -> int:
    """Say what is followed, and follow it until the worker is stopped."""
    table = worker.store.table_name
    told = {"state": "following", "table": table, "at": at, "group": group}
    text = f"following the stream of {table!r} at {at} as {group!r} (Ctrl-C stops)"
    typer.echo(as_json(told) if form == "json" else text, err=True)
    with working("Following the stream", form) as tell:
        return worker.run(progress=lambda done: tell(Counted("following", records=done)))
