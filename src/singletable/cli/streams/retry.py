"""``singletable streams retry``: dead letters, delivered once more."""

from __future__ import annotations

import typer

from singletable.cli._places import At, TableName
from singletable.cli._showing import Format, as_json, counted, working
from singletable.cli._target import Target

from ._options import Consumers, consumers_of, opened


def retry(
    target: Target,
    at: At,
    consumer: Consumers,
    table: TableName = None,
    form: Format = "text",
) -> None:
    """Deliver dead letters again; exit 1 if some fail again.

    Example:
      singletable streams retry shop/design.py --at shop.db --consumer shop.after:After
    """
    with opened(target, at, table) as store:
        from singletable.streams.watching import retry as retried

        with working("Delivering dead letters"):
            tried = {one.name: retried(store, one) for one in consumers_of(store, consumer)}
    if form == "json":
        data = [{"consumer": name, "done": d, "failed": f} for name, (d, f) in tried.items()]
        typer.echo(as_json(data))
    else:
        for name, (done, failed) in tried.items():
            typer.echo(f"{name}: {counted(done, 'was', 'were')} done, {failed:,} failed again")
    if any(failed for _, failed in tried.values()):
        raise typer.Exit(1)
