"""``singletable explain``: each pattern's exact request, its price, and why it reads there."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from ._showing import as_json
from ._target import Target, load

Name = Annotated[
    str | None,
    typer.Argument(metavar="NAME", help="One access pattern; all by default.", show_default=False),
]
Traffic_ = Annotated[
    Path | None, typer.Option("--traffic", metavar="FILE", help="Counts and sizes, in TOML.")
]
TextBytes = Annotated[int, typer.Option(min=1, max=400_000, help="How long a text is taken to be.")]
Items = Annotated[int, typer.Option(min=1, help="How many items a read finds, if it has no page.")]
Format = Annotated[
    Literal["text", "json", "markdown"], typer.Option("--format", help="How to show it.")
]


def explain(
    target: Target,
    name: Name = None,
    traffic: Traffic_ = None,
    text_bytes: TextBytes = 32,
    items: Items = 10,
    form: Format = "text",
) -> None:
    """Show what each access pattern sends, and what it costs.

    Its exact request, index, keys and capacity, and why it reads there; sends nothing.

    Examples:
      singletable explain shop/design.py orders_of_customer
      singletable explain shop/design.py --format json
    """
    from singletable.cost import rendering
    from singletable.cost.assumptions import Assumptions
    from singletable.cost.explaining import explain as explain_patterns
    from singletable.cost.figures import Figures
    from singletable.cost.traffic import Traffic

    store = load(target)
    told = Traffic.load(traffic, store) if traffic else Traffic.none()
    made = explain_patterns(Figures(store, told, Assumptions(text_bytes, items=items)), name)
    if form == "json":
        typer.echo(as_json([rendering.data(one) for one in made], indent=True))
        return
    render = rendering.markdown if form == "markdown" else rendering.text
    typer.echo("\n\n".join(render(one) for one in made))
