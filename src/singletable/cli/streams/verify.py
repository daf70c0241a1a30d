"""``singletable streams verify``: what consumers keep, compared with the table."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from singletable.cli._places import At, TableName
from singletable.cli._showing import Format, as_json, counted, reading
from singletable.cli._target import Target
from singletable.errors import UsageError

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
    with opened(target, at, table) as store, reading(form) as progress:
        if index is not None:
            faults, total = _of_index(store, index_of(index), repair, progress)
        else:
            faults, total = _of_aggregates(store, repair, settled, progress)
    if form == "json":
        typer.echo(as_json({"faults": faults, "mended": repair}))
    else:
        for fault in faults:
            typer.echo(f"{fault}{' (mended)' if repair else ''}")
        verb = ("was" if repair else "is") if len(faults) == 1 else "were" if repair else "are"
        typer.echo(f"{total} {verb} wrong")
    if faults and not repair:
        raise typer.Exit(1)


def _of_aggregates(
    store: Store, repair: bool, settled: bool, progress: Callable[..., None]
) -> tuple[list[str], str]:
    from singletable.streams import aggregates

    if not any(schema.aggregates for schema in store.table.entities.values()):
        raise UsageError(
            f"{type(store).__name__} declares no aggregates to compare; a search index is named "
            "with --index"
        )
    look = aggregates.repair if repair else aggregates.verify
    drifts = look(store, settled=settled, progress=progress)
    return [str(drift) for drift in drifts], counted(len(drifts), "aggregate")


def _of_index(
    store: Store, index: SearchIndex, repair: bool, progress: Callable[..., None]
) -> tuple[list[str], str]:
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
    return faults, f"{len(faults):,} of {report.documents:,} documents"
