"""``singletable streams rebuild``: a search index, made anew."""

from __future__ import annotations

from typing import Annotated

import typer

from singletable.cli._places import At, TableName
from singletable.cli._showing import Format, counted, reading, show
from singletable.cli._target import Target

from ._options import INDEX, index_of, opened


def rebuild(
    target: Target,
    at: At,
    index: Annotated[str, INDEX],
    table: TableName = None,
    form: Format = "text",
) -> None:
    """Make a search index anew, while changes go on.

    Example:
      singletable streams rebuild shop/design.py --at shop.db --index shop.search:index
    """
    with opened(target, at, table) as store, reading(form) as progress:
        done = index_of(index).rebuild(store, progress=progress)
    made = counted(done.documents, "document was", "documents were")
    data = {"documents": done.documents, "items": done.items}
    show(form, data, f"{made} made of {counted(done.items, 'item')}")
    for skipped in done.unreadable:
        typer.echo(f"left out {skipped.key}: {skipped.reason}", err=True)
