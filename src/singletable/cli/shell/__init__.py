"""``singletable shell``: try access patterns by hand, and see what each request costs."""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer

from singletable.cli._places import At, TableName, must_be_there
from singletable.cli._target import Target, load

if TYPE_CHECKING:
    from singletable.store.store import Store

MEMORY = ":memory:"
Create = Annotated[
    bool, typer.Option("--create", help="Make the file and the table if they are missing.")
]
ReadOnly = Annotated[
    bool, typer.Option("--read-only", help="Refuse whatever would change the table.")
]


def shell(
    target: Target,
    at: At = MEMORY,
    table: TableName = None,
    read_only: ReadOnly = False,
    create: Create = False,
) -> None:
    """Open a Python prompt with a store and its patterns.

    After each line it says what its requests were and what they cost. Without --at the table is
    empty, in memory. Tab completes; Ctrl-D ends. Lines that come from a pipe are run as if they
    were typed: exit 1 if one of them failed.

    Examples:
      singletable shell shop/design.py --at shop.db
      singletable shell shop/design.py --at aws:eu-west-1 --read-only
      echo 'orders("c1").page()' | singletable shell shop/design.py --at shop.db
    """
    from .console import Console
    from .metering import Meter
    from .reading import ReadOnlyBackend

    if at != MEMORY and not create:
        must_be_there(at)
    meter = Meter()
    made = create or at == MEMORY
    with load(target).connect(at, table_name=table, create=made, observers=[meter]) as one:
        meter.events.clear()
        store = one.through(ReadOnlyBackend(one.backend)) if read_only else one
        typer.echo(_greeting(store, at, read_only), err=True)
        if not Console(names_of(store), meter).run(sys.stdin):
            raise typer.Exit(1)


def names_of(store: Store) -> dict[str, Any]:
    """Give what can be named at the prompt."""
    from singletable import F

    return {
        "F": F,
        "UTC": UTC,
        "datetime": datetime,
        "timedelta": timedelta,
        **{schema.name: schema.entity for schema in store.table.entities.values()},
        **{name: getattr(store, name) for name in store.patterns},
        "store": store,
    }


def _greeting(store: Store, at: str, read_only: bool) -> str:
    where = at if at != MEMORY else "in memory: it is empty, and forgotten at the end (--at)"
    entities = ", ".join(sorted(schema.name for schema in store.table.entities.values()))
    return (
        f"{type(store).__name__}: table {store.table_name!r}, {where}"
        f"{'; read only' if read_only else ''}\n"
        f"store: {', '.join(store.patterns) or 'no access patterns'}\n"
        f"entities: {entities or 'none'}"
    )
