"""``singletable streams run``: consumers that follow a stream."""

from __future__ import annotations

from typing import Annotated

import typer

from singletable.cli._places import At, TableName
from singletable.cli._showing import Format, show, working
from singletable.cli._stopping import STOPPED, until_stopped
from singletable.cli._target import Target

from ._options import Consumers, Group, consumers_of, opened


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
    before that.

    Example:
      singletable streams run shop/design.py --at shop.db --consumer shop.after:After
    """
    with opened(target, at, table) as store:
        from singletable.streams.worker import Worker

        worker = Worker(store, *consumers_of(store, consumer), name=name, create=create or None)
        if not once:
            with until_stopped(worker.stop), working("Following the stream"):
                worker.run()
            return
        with until_stopped(worker.stop) as is_stopped, working("Delivering records"):
            count = worker.drain()
    show(form, {"records": count}, f"{count} records were delivered")
    if is_stopped():
        raise typer.Exit(STOPPED)
