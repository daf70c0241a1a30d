"""``singletable streams letters``: the changes that consumers gave up on."""

from __future__ import annotations

import typer

from singletable.cli._places import At, TableName
from singletable.cli._showing import Format, as_json, counted, working
from singletable.cli._target import Target

from ._options import Consumers, consumers_of, opened


def letters(
    target: Target,
    at: At,
    consumer: Consumers,
    table: TableName = None,
    form: Format = "text",
) -> None:
    """Show dead letters: changes that consumers gave up on.

    Exit 1 if there are some.

    Example:
      singletable streams letters shop/design.py --at shop.db --consumer shop.after:After
    """
    with opened(target, at, table) as store:
        from singletable.streams.bookkeeping import Books

        books = Books.beside(store)
        names = [one.name for one in consumers_of(store, consumer)]
        with working("Looking for dead letters"):
            found = [letter for name in names for letter in books.dead_letters(name)]
    if form == "json":
        typer.echo(as_json([letter.model_dump(mode="json") for letter in found]))
    else:
        for letter in found:
            when, tries = f"{letter.failed_at:%Y-%m-%d %H:%M:%S}", f"{letter.attempts} x"
            typer.echo(f"{when}  {letter.label}  {letter.item}  {tries}  {letter.error}")
        typer.echo(counted(len(found), "dead letter"))
    if found:
        raise typer.Exit(1)
