"""The options that commands of ``singletable streams`` share, and what they name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from inspect import signature
from typing import TYPE_CHECKING, Annotated, Any

import typer

from singletable.cli._moments import moment
from singletable.cli._places import must_be_there
from singletable.cli._target import load, load_object
from singletable.errors import UsageError

if TYPE_CHECKING:
    from singletable.store.store import Store
    from singletable.streams.consumers import Consumer
    from singletable.streams.search import SearchIndex

Group = Annotated[str, typer.Option("--name", help="The name of the group of workers.")]
Consumers = Annotated[
    list[str],
    typer.Option(
        "--consumer",
        metavar="MODULE:NAME",
        help="Handlers, or what makes a consumer of the store; may be given several times.",
        show_default=False,
    ),
]
Since = Annotated[datetime | None, moment("--since", "From when on, in UTC.")]
INDEX = typer.Option("--index", metavar="MODULE:NAME", help="The search index.", show_default=False)


@contextmanager
def opened(target: str, at: str, table: str | None) -> Iterator[Store]:
    """Open the store whose stream is looked at; nothing is made."""
    must_be_there(at)
    with load(target).connect(at, table_name=table, create=False) as store:
        yield store


def consumers_of(store: Store, targets: list[str]) -> list[Consumer]:
    """Make consumers of what a user names: itself one, or called with the store."""
    return [_consumer(store, target, load_object(target)) for target in targets]


def _consumer(store: Store, target: str, found: Any) -> Consumer:
    made: Any = found
    if callable(found) and not _is_consumer(found):
        try:
            signature(found).bind(store)
        except (TypeError, ValueError) as error:  # a ValueError, where it tells no parameters
            raise UsageError(f"{target} cannot be called with a store: {error}") from error
        made = found(store)
    if not _is_consumer(made):
        raise UsageError(
            f"{target} is no consumer: name a class of handlers, something with deliver(), or "
            "what makes one of a store"
        )
    consumer: Consumer = made
    return consumer


def _is_consumer(found: Any) -> bool:
    return hasattr(found, "deliver") and not isinstance(found, type)


def index_of(target: str) -> SearchIndex:
    """Load the search index that a target names."""
    from singletable.streams.search import SearchIndex

    found = load_object(target)
    if not isinstance(found, SearchIndex):
        raise UsageError(f"{target} is no search index: index = SearchIndex(…, Document(…))")
    return found
