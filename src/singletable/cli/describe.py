"""``singletable describe``: a design for people and other tools, and foreign models as designs."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from singletable.errors import UsageError

from ._target import load

Form = Literal[
    "markdown",
    "mermaid",
    "html",
    "svg",
    "workbench",
    "workbench-2.0",
    "workbench-1.0",
    "json",
    "schema",
    "python",
]
"""As ``singletable.describe`` has them, and what a foreign model is written as."""

Target = Annotated[
    str,
    typer.Argument(
        metavar="TARGET",
        help=(
            "The store: package.module:Store, or a file, path/design.py, that has one store; or a "
            "model of NoSQL Workbench or AWS's modelling server, a file that ends in .json."
        ),
        show_default=False,
    ),
]
Format = Annotated[
    Form | None,
    typer.Option(
        "--format",
        help="What to write: markdown by default, and python for a model.",
        show_default=False,
    ),
]
Out = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Where to write it; printed if left out.")
]


def describe(target: Target, form: Format = None, out: Out = None) -> None:
    """Describe a design, for people and for other tools.

    As a chart, diagrams, a page, a model for NoSQL Workbench; reads such models, too.

    Examples:
      singletable describe shop/design.py --format html --out shop.html
      singletable describe model.json --format python --out design.py
    """
    text = _described(target, form)
    if out is None:
        typer.echo(text, nl=False)
    else:
        out.write_text(text, "utf-8")


def _described(target: str, form: Form | None) -> str:
    import singletable.describe as describing

    if not target.endswith(".json"):
        if form == "python":
            raise UsageError(f"{target} is Python already; python is for a model, a .json file")
        return describing.describe(load(target), form or "markdown")
    if form not in {"python", None}:
        raise UsageError(
            f"{target} is a model: write it as Python (--format python --out design.py), and "
            f"describe that as {form}"
        )
    try:
        return describing.python_design(_read(target))
    except UsageError as fault:
        raise UsageError(f"{target}: {fault}") from fault


def _read(path: str) -> str:
    try:
        return Path(path).read_text("utf-8")
    except UnicodeDecodeError as fault:
        raise UsageError(f"It is no text in UTF-8: {fault}") from None
