"""``singletable streams``: look at a table's stream, and have consumers follow it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from singletable.errors import UsageError

from ._target import Target, load, load_object, plainly

if TYPE_CHECKING:
    from singletable.store.store import Store
    from singletable.streams.consumers import Consumer
    from singletable.streams.search import SearchIndex

streams = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Look at what happens after a write, and have it happen.",
)

ELSEWHERE = ("aws:", "http://", "https://")

At = Annotated[
    str,
    typer.Option(
        "--at",
        metavar="ADDRESS",
        help="Where the table is: a file, aws:eu-west-1, or the URL of an endpoint.",
        show_default=False,
    ),
]
TableName = Annotated[
    str | None,
    typer.Option("--table", metavar="NAME", help="The table's name, if not the design's."),
]
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
Since = Annotated[
    datetime | None,
    typer.Option(
        formats=["%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d"],
        help="From when on, in UTC.",
        show_default=False,
    ),
]
Entities = Annotated[
    list[str] | None, typer.Option("--entity", metavar="NAME", help="Changes of this entity alone.")
]
INDEX = typer.Option("--index", metavar="MODULE:NAME", help="The search index.", show_default=False)
Index = Annotated[str | None, INDEX]
RequiredIndex = Annotated[str, INDEX]
Format = Annotated[Literal["text", "json"], typer.Option("--format", help="How to show it.")]


@streams.command()
def tail(
    target: Target,
    at: At,
    table: TableName = None,
    entity: Entities = None,
    since: Since = None,
    form: Format = "text",
    once: Annotated[bool, typer.Option("--once", help="Show what there is, and end.")] = False,
) -> None:
    """Show changes as they happen, from the oldest on that the stream has."""
    with _store("tail", target, at, table) as store:
        from singletable.streams.changes import changes_of
        from singletable.streams.telling import as_data, as_text
        from singletable.streams.watching import follow

        wanted, tell = _entities(store, entity), as_text if form == "text" else as_data
        first = _in_utc(since) or datetime.min.replace(tzinfo=UTC)
        for _, records in follow(store, live=not once):
            for record in (one for one in records if one.at >= first):
                for change in changes_of(store.table, record):
                    if change.schema.name in wanted:
                        typer.echo(tell(change))


@streams.command()
def lag(target: Target, at: At, table: TableName = None, name: Group = "worker") -> None:
    """Tell how far a group of workers is behind, shard by shard; exit 1 if one is."""
    with _store("lag", target, at, table) as store:
        from singletable.streams.watching import lag as measured

        found = measured(store, name)
        for one in found:
            behind = f"{one.behind.total_seconds():.0f} s behind" if one.behind else "up to date"
            typer.echo(f"{one.shard}  {behind}  {one.owner or 'nobody reads it'}")
    if any(one.behind for one in found):
        raise typer.Exit(1)


@streams.command()
def run(
    target: Target,
    at: At,
    consumer: Consumers,
    table: TableName = None,
    name: Group = "worker",
    once: Annotated[bool, typer.Option("--once", help="Deliver what there is, and end.")] = False,
    create: Annotated[
        bool, typer.Option("--create", help="Make the bookkeeping's table if it is missing.")
    ] = False,
) -> None:
    """Follow the stream and deliver changes to consumers, until Ctrl-C or SIGTERM."""
    with _store("run", target, at, table) as store:
        import signal

        from singletable.streams.worker import Worker

        worker = Worker(store, *_consumers(store, consumer), name=name, create=create or None)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: worker.stop())
        if once:
            typer.echo(f"{worker.drain()} records were delivered")
        else:
            worker.run()


@streams.command()
def replay(
    target: Target, at: At, consumer: Consumers, table: TableName = None, since: Since = None
) -> None:
    """Deliver what the stream still has, 24 hours at most, to consumers again.

    What was done once, in a transaction, is not done again.
    """
    with _store("replay", target, at, table) as store:
        from singletable.streams.watching import replay as replayed

        count = replayed(store, *_consumers(store, consumer), since=_in_utc(since))
        typer.echo(f"{count} changes were delivered again")


@streams.command()
def letters(target: Target, at: At, consumer: Consumers, table: TableName = None) -> None:
    """Show dead letters: changes that consumers gave up on; exit 1 if there are some."""
    count = 0
    with _store("letters", target, at, table) as store:
        from singletable.streams.bookkeeping import Books

        books = Books.beside(store)
        for one in _consumers(store, consumer):
            for letter in books.dead_letters(one.name):
                count += 1
                when, tries = f"{letter.failed_at:%Y-%m-%d %H:%M:%S}", f"{letter.attempts} x"
                typer.echo(f"{when}  {letter.label}  {letter.item}  {tries}  {letter.error}")
        typer.echo(f"{count} dead letters")
    if count:
        raise typer.Exit(1)


@streams.command()
def retry(target: Target, at: At, consumer: Consumers, table: TableName = None) -> None:
    """Deliver dead letters again; exit 1 if some fail again."""
    failed = 0
    with _store("retry", target, at, table) as store:
        from singletable.streams.watching import retry as retried

        for one in _consumers(store, consumer):
            done, left = retried(store, one)
            failed += left
            typer.echo(f"{one.name}: {done} were done, {left} failed again")
    if failed:
        raise typer.Exit(1)


@streams.command()
def verify(
    target: Target,
    at: At,
    table: TableName = None,
    index: Index = None,
    repair: Annotated[bool, typer.Option("--repair", help="Mend what is wrong.")] = False,
    settled: Annotated[
        bool, typer.Option("--settled", help="Nobody writes: looking once is enough.")
    ] = False,
) -> None:
    """Compare aggregates, or a search index, with the table; exit 1 if something is left wrong."""
    with _store("verify", target, at, table) as store:
        if index is not None:
            wrong = _verify_index(store, load_object(index), repair)
        else:
            wrong = _verify_aggregates(store, repair, settled)
    if wrong:
        raise typer.Exit(1)


def _verify_aggregates(store: Store, repair: bool, settled: bool) -> int:
    from singletable.streams import aggregates

    with _bar("Reading items") as progress:
        look = aggregates.repair if repair else aggregates.verify
        drifts = look(store, settled=settled, progress=lambda done: progress(done, None))
    for drift in drifts:
        typer.echo(f"{drift}{' (mended)' if repair else ''}")
    typer.echo(f"{len(drifts)} aggregates {'were' if repair else 'are'} wrong")
    return 0 if repair else len(drifts)


def _verify_index(store: Store, index: SearchIndex, repair: bool) -> int:
    with _bar("Reading items") as progress:
        report = index.verify(store, progress=progress)
    for fault, keys in (
        ("is missing", report.missing),
        ("is stale", report.stale),
        ("should not be there", report.extra),
    ):
        for key in keys:
            typer.echo(f"{key!r} {fault}{' (mended)' if repair else ''}")
    if repair:
        index.repair(store, report)
    wrong = len(report.keys)
    typer.echo(f"{wrong} of {report.documents} documents {'were' if repair else 'are'} wrong")
    return 0 if repair else wrong


@streams.command()
def rebuild(target: Target, at: At, index: RequiredIndex, table: TableName = None) -> None:
    """Make a search index anew from the table, while changes go on."""
    with _store("rebuild", target, at, table) as store:
        with _bar("Reading items") as progress:
            done = load_object(index).rebuild(store, progress=progress)
        typer.echo(f"{done.documents} documents were made of {done.items} items")
        for skipped in done.unreadable:
            typer.echo(f"left out {skipped.key}: {skipped.reason}", err=True)


@contextmanager
def _bar(what: str) -> Iterator[Callable[[int, int | None], None]]:
    """Show a progress bar, where there is a terminal to show it on."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def _store(command: str, target: str, at: str, table: str | None) -> Iterator[Store]:
    with plainly(f"streams {command}"):
        if not at.startswith(ELSEWHERE) and not Path(at).is_file():
            raise UsageError(f"There is no file {at}")
        with load(target).connect(at, table_name=table, create=False) as store:
            yield store


def _consumers(store: Store, targets: list[str]) -> list[Consumer]:
    """Make consumers of what a user names: itself one, or called with the store."""
    return [_consumer(store, target, load_object(target)) for target in targets]


def _consumer(store: Store, target: str, found: Any) -> Consumer:
    made: Any = found if _is_consumer(found) else found(store) if callable(found) else None
    if not _is_consumer(made):
        raise UsageError(
            f"{target} is no consumer: name a class of handlers, something with deliver(), or "
            "what makes one of a store"
        )
    consumer: Consumer = made
    return consumer


def _in_utc(moment: datetime | None) -> datetime | None:
    return moment and moment.replace(tzinfo=UTC)


def _is_consumer(found: Any) -> bool:
    return hasattr(found, "deliver") and not isinstance(found, type)


def _entities(store: Store, names: list[str] | None) -> set[str]:
    known = {schema.name for schema in store.table.entities.values()}
    for name in names or ():
        if name not in known:
            raise UsageError(f"There is no entity {name!r}; there are {', '.join(sorted(known))}")
    return set(names) if names else known
