"""``singletable cost``: what a design consumes and costs, estimated or measured."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ._commands import refuse_together, refuse_without
from ._showing import as_json, print_tables, working
from ._target import Target, load

if TYPE_CHECKING:
    from singletable.cost.estimating import Estimate
    from singletable.cost.figures import Figures
    from singletable.cost.grids import Grid
    from singletable.cost.measuring import Measurement
    from singletable.cost.prices import Prices
    from singletable.store.store import Store

Form = Literal["text", "json", "markdown"]
Traffic_ = Annotated[
    Path | None, typer.Option("--traffic", metavar="FILE", help="Rates, counts and sizes, in TOML.")
]
Against = Annotated[
    str | None, typer.Option(metavar="TARGET", help="Another design to compare with.")
]
AgainstTraffic = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Its traffic; by default what of --traffic it knows."),
]
Sample = Annotated[
    str | None,
    typer.Option(
        metavar="CONNECTION",
        help="Measure on this table: a file, a URL, aws:REGION. Reads; never writes.",
    ),
]
SampleItems = Annotated[int, typer.Option(min=1, help="How many items to sample at most.")]
Given = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Arguments for patterns, in JSON, for --sample."),
]
TableName = Annotated[
    str | None, typer.Option("--table", metavar="NAME", help="The table to sample, if not its own.")
]
PriceFile = Annotated[
    Path | None, typer.Option("--prices", metavar="FILE", help="Prices of your own, in JSON.")
]
Region = Annotated[str, typer.Option(help="The region whose prices to take.")]
Utilisation = Annotated[
    float, typer.Option(min=1, max=100, help="Percent of provisioned capacity in use.")
]
TextBytes = Annotated[int, typer.Option(min=1, max=400_000, help="How long a text is taken to be.")]
Items = Annotated[int, typer.Option(min=1, help="How many items a read finds, if it has no page.")]
Format = Annotated[Form, typer.Option("--format", help="How to show it.")]


def cost(  # noqa: PLR0913 - each is an option of the command line
    target: Target,
    *,
    traffic: Traffic_ = None,
    against: Against = None,
    against_traffic: AgainstTraffic = None,
    sample: Sample = None,
    sample_items: SampleItems = 1000,
    arguments: Given = None,
    table: TableName = None,
    prices: PriceFile = None,
    region: Region = "us-east-1",
    utilisation: Utilisation = 70,
    text_bytes: TextBytes = 32,
    items: Items = 10,
    form: Format = "text",
) -> None:
    """Estimate what a design costs, or measure it.

    Capacity of each pattern and each kind of write, storage, and the price of a month.

    Examples:
      singletable cost shop/design.py --traffic traffic.toml --region eu-west-1
      singletable cost shop/design.py --sample shop.db --format json
    """
    from singletable.cost.arguments import load_arguments
    from singletable.cost.assumptions import Assumptions
    from singletable.cost.figures import Figures
    from singletable.cost.prices import Prices

    refuse_without("--sample", sample, {"--arguments": arguments, "--table": table})
    refuse_without("--against", against, {"--against-traffic": against_traffic})
    refuse_together({"--sample": sample, "--against": against})
    store = load(target)
    assumed = Assumptions(text_bytes, items=items, utilisation=utilisation / 100)
    figures = Figures(store, _traffic(traffic, store), assumed)
    priced = Prices.load(prices) if prices else Prices.of_region(region)
    if against is not None:
        other = load(against)
        theirs = figures.traffic.within(other)
        if against_traffic is not None:
            theirs = _traffic(against_traffic, other)
        _compare(figures, Figures(other, theirs, assumed), priced, form)
        return
    measured = None
    if sample is not None:
        from singletable.cost.measuring import measure

        given = load_arguments(arguments, store) if arguments else None
        with working(f"Sampling {sample}"):
            measured = measure(
                store, sample, items_max=sample_items, arguments=given, table_name=table
            )
    _show(figures, priced, measured, form)


def _traffic(path: Path | None, store: "type[Store]") -> Any:
    from singletable.cost.traffic import Traffic

    return Traffic.load(path, store) if path else Traffic.none()


def _show(figures: "Figures", prices: "Prices", measured: "Measurement | None", form: Form) -> None:
    from dataclasses import replace

    from singletable.cost import reporting
    from singletable.cost.estimating import estimate

    made = estimate(figures, prices)
    beside: list[Grid] = []
    extra: dict[str, Any] = {}
    if measured is not None:
        from singletable.cost import measuring

        units = {one.name: one.units for one in made.patterns if one.cost}
        writes = {(one.name, each.name): each.units for one in made.entities for each in one.writes}
        sizes = {one.name: one.size for one in made.entities}
        beside = measuring.grids(measured, units, writes, sizes)
        extra = {"measured": measuring.data(measured)}
        made = estimate(replace(figures, sizes=measured.sizes), prices)
    if form == "json":
        typer.echo(as_json({**reporting.data(made), **extra}, indent=True))
        return
    _print(reporting.title(made), [*beside, *reporting.grids(made)], _noted(made), form)


def _noted(made: "Estimate") -> list[str]:
    from singletable.cost.reporting import notes

    sizes = made.figures.sizes
    return [*notes(made), *([f"Sizes are measured for {', '.join(sizes)}."] if sizes else [])]


def _compare(figures: "Figures", other: "Figures", prices: "Prices", form: Form) -> None:
    from singletable.cost import comparing
    from singletable.cost.estimating import estimate

    made = comparing.Comparison(estimate(figures, prices), estimate(other, prices))
    if form == "json":
        typer.echo(as_json(comparing.data(made), indent=True))
        return
    names = f"{made.one.name} compared with {made.other.name}"
    title = f"{names}; {prices.currency}, {prices.region}, {prices.as_of}"
    _print(title, list(comparing.grids(made)), [], form)


def _print(title: str, grids: "list[Grid]", notes: list[str], form: Form) -> None:
    if form == "markdown":
        parts = [f"# {title}", *(grid.markdown() for grid in grids)]
        parts += ["\n".join(f"- {note}" for note in notes)] if notes else []
        typer.echo("\n\n".join(parts))
    else:
        print_tables(title, grids, notes)
