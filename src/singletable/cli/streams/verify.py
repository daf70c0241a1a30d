"""``singletable streams verify``: what consumers keep, compared with the table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from singletable.cli._places import At, TableName
from singletable.cli._showing import Format, as_json, bar
from singletable.cli._target import Target

from ._options import INDEX, index_of, opened

if TYPE_CHECKING:
    from singletable.store.store import Store
    from singletable.streams.search import SearchIndex


def verify(
    target: Target,
    at: At,
    table: TableName = None,
    index: Annotated[str | None, INDEX] = None,
    repair: Annotated[bool, typer.Option("--repair", help="Mend what is wrong.")] = False,
    settled: Annotated[
        bool, typer.Option("--settled", help="Nobody writes: looking once is enough.")
    ] = False,
    form: Format = "text",
) -> None:
    """Compare aggregates, or a search index, with the table.

    Exit 1 if something is left wrong.

    Examples:
      singletable streams verify shop/design.py --at shop.db
      singletable streams verify shop/design.py --at shop.db --index shop.search:index --repair
    """
    with opened(target, at, table) as store:
        if index is not None:
            faults, total = _of_index(store, index_of(index), repair)
        else:
            faults, total = _of_aggregates(store, repair, settled)
    if form == "json":
        typer.echo(as_json({"faults": faults, "mended": repair}))
    else:
        for fault in faults:
            typer.echo(f"{fault}{' (mended)' if repair else ''}")
        typer.echo(f"{len(faults)} {total} {'were' if repair else 'are'} wrong")
    if faults and not repair:
        raise typer.Exit(1)


def _of_aggregates(store: Store, repair: bool, settled: bool) -> tuple[list[str], str]:
    from singletable.streams import aggregates

    look = aggregates.repair if repair else aggregates.verify
    with bar("Reading items") as progress:
        drifts = look(store, settled=settled, progress=lambda done: progress(done, None))
    return [str(drift) for drift in drifts], "aggregates"


def _of_index(store: Store, index: SearchIndex, repair: bool) -> tuple[list[str], str]:
    with bar("Reading items") as progress:
        report = index.verify(store, progress=progress)
    faults = [
        f"{key!r} {fault}"
        for fault, keys in (
            ("is missing", report.missing),
            ("is stale", report.stale),
            ("should not be there", report.extra),
        )
        for key in keys
    ]
    if repair:
        index.repair(store, report)
    return faults, f"of {report.documents} documents"
