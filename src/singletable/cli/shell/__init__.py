"""``singletable shell``: try access patterns by hand, and see what each request costs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer

from singletable.cli._moments import moment
from singletable.cli._places import ELSEWHERE, At, TableName, must_be_there
from singletable.cli._target import Target, load
from singletable.errors import UsageError

if TYPE_CHECKING:
    from singletable.store.store import Store

MEMORY = ":memory:"
Create = Annotated[
    bool, typer.Option("--create", help="Make the file and the table if they are missing.")
]
ReadOnly = Annotated[
    bool, typer.Option("--read-only", help="Refuse whatever would change the table.")
]
AsOf = Annotated[
    datetime | None,
    moment("--as-of", "What a file held at a moment, in UTC: a copy, in memory."),
]


def shell(
    target: Target,
    at: At = MEMORY,
    table: TableName = None,
    read_only: ReadOnly = False,
    create: Create = False,
    as_of: AsOf = None,
) -> None:
    """Open a Python prompt with a store and its patterns.

    After each line it says what its requests were and what they cost. Without --at the table is
    empty, in memory. Tab completes; Ctrl-D ends. Lines that come from a pipe are run as if they
    were typed: exit 1 if one of them failed. --as-of shows tables with point-in-time recovery.

    Examples:
      singletable shell shop/design.py --at shop.db
      singletable shell shop/design.py --at aws:eu-west-1 --read-only
      singletable shell shop/design.py --at shop.db --as-of 2026-03-01T14:00
      echo 'orders("c1").page()' | singletable shell shop/design.py --at shop.db
    """
    from .console import Console
    from .metering import Meter
    from .reading import ReadOnlyBackend

    if as_of is None and at != MEMORY and not create:
        must_be_there(at)
    meter = Meter()
    made = create or at == MEMORY
    options: dict[str, Any] = {"table_name": table, "create": made, "observers": [meter]}
    opened = _past(target, at, as_of, options) if as_of else load(target).connect(at, **options)
    with opened as one:
        meter.events.clear()
        store = one.through(ReadOnlyBackend(one.backend)) if read_only else one
        typer.echo(_greeting(store, at, read_only), err=True)
        if not Console(names_of(store), meter).run(sys.stdin):
            raise typer.Exit(1)


@contextmanager
def _past(target: str, at: str, as_of: datetime, options: dict[str, Any]) -> Iterator[Store]:
    """Connect to a copy of what a file held at a moment, where the time goes on from there."""
    from singletable.engine import Engine

    if options["create"] or at.startswith(ELSEWHERE):
        raise UsageError("--as-of shows the past of a file that is there: --at shop.db")
    must_be_there(at)
    then = as_of.replace(tzinfo=UTC)
    behind = datetime.now(UTC) - then
    with Engine(at, ttl_interval=None) as engine, engine.fork(as_of=then) as copy:
        options["clock"] = lambda: datetime.now(UTC) - behind
        with load(target).connect(copy, **options) as store:
            yield store


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
