"""``singletable streams tail``: changes as they happen."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from singletable.cli._moments import in_utc
from singletable.cli._places import At, TableName
from singletable.cli._showing import Format
from singletable.cli._target import Target
from singletable.errors import UsageError

from ._options import Since, opened

if TYPE_CHECKING:
    from singletable.store.store import Store

Entities = Annotated[
    list[str] | None, typer.Option("--entity", metavar="NAME", help="Changes of this entity alone.")
]


def tail(
    target: Target,
    at: At,
    table: TableName = None,
    entity: Entities = None,
    since: Since = None,
    form: Format = "text",
    once: Annotated[bool, typer.Option("--once", help="Show what there is, and end.")] = False,
) -> None:
    """Show changes as they happen.

    From the oldest on that the stream has, until Ctrl-C.

    Example:
      singletable streams tail shop/design.py --at shop.db --entity Order --format json
    """
    with opened(target, at, table) as store:
        from singletable.streams.changes import changes_of
        from singletable.streams.telling import as_json, as_text
        from singletable.streams.watching import follow

        wanted, tell = _entities(store, entity), as_text if form == "text" else as_json
        first = in_utc(since) or datetime.min.replace(tzinfo=UTC)
        for _, records in follow(store, live=not once):
            for record in (one for one in records if one.at >= first):
                for change in changes_of(store.table, record):
                    if change.schema.name in wanted:
                        typer.echo(tell(change))


def _entities(store: Store, names: list[str] | None) -> set[str]:
    known = {schema.name for schema in store.table.entities.values()}
    for name in names or ():
        if name not in known:
            raise UsageError(f"There is no entity {name!r}; there are {', '.join(sorted(known))}")
    return set(names) if names else known
