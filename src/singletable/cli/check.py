"""``singletable check``: the faults of a design, found before it runs."""

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ._showing import working
from ._target import Target, load

if TYPE_CHECKING:
    from singletable.check import UniqueColumns

Format = Annotated[
    Literal["text", "json", "sarif"], typer.Option("--format", help="How to show it.")
]
Select = Annotated[
    list[str] | None,
    typer.Option(metavar="CODE", help="Ask only these rules, by their codes: R102, or all of R."),
]
Ignore = Annotated[list[str] | None, typer.Option(metavar="CODE", help="Do not ask these rules.")]
TrafficFile = Annotated[
    Path | None,
    typer.Option(
        "--traffic", metavar="FILE", help="How often patterns run and items are written (TOML)."
    ),
]
SourceAddress = Annotated[
    str | None,
    typer.Option(
        "--source",
        metavar="URL",
        help="The SQL database that the data comes from: what it keeps unique must stay so.",
    ),
]


def check(
    target: Target,
    form: Format = "text",
    select: Select = None,
    ignore: Ignore = None,
    traffic: TrafficFile = None,
    source: SourceAddress = None,
) -> None:
    """Find the faults of a design; exit 1 if there are errors.

    Examples:
      singletable check shop/design.py --traffic traffic.toml
      singletable check shop.design:Shop --format sarif --ignore R102
    """
    from singletable.check import check as check_design
    from singletable.check.reports import FORMATS
    from singletable.cost.traffic import Traffic

    store = load(target)
    known = Traffic.load(traffic, store) if traffic else None
    report = check_design(
        store,
        select=_codes(select),
        ignore=_codes(ignore),
        traffic=known,
        uniques=_uniques(source) if source else (),
    )
    typer.echo(FORMATS[form](report))
    raise typer.Exit(1 if report.has_errors else 0)


def _codes(given: list[str] | None) -> list[str]:
    """Take codes one by one, or several with commas."""
    return [code.strip().upper() for one in given or () for code in one.split(",") if code.strip()]


def _uniques(source: str) -> "list[UniqueColumns]":
    """Ask a database what it keeps unique."""
    from singletable.check import UniqueColumns
    from singletable.migrate.sources.sql import SqlSource

    with working("Asking the database"), closing(SqlSource(source)) as opened:
        return [UniqueColumns(*one) for one in opened.tables.uniques()]
