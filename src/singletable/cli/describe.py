"""``singletable describe``: a design for people and other tools, and foreign models as designs."""

from pathlib import Path
from typing import Annotated

import typer

FORMATS = (
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
)
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
Form = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="FORMAT",
        help=f"One of {', '.join(FORMATS)}; markdown by default, and python for a model.",
        show_default=False,
    ),
]
Out = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Where to write it; printed if left out.")
]


def describe(target: Target, form: Form = None, out: Out = None) -> None:
    """Describe a design: chart, diagrams, page, models for other tools; read such models."""
    from ._target import plainly

    with plainly("describe"):
        text = _described(target, form)
        if out is None:
            typer.echo(text, nl=False)
        else:
            _write(out, text)


def _described(target: str, form: str | None) -> str:
    from singletable import describe as describing
    from singletable.errors import UsageError

    from ._target import load

    if form not in {*FORMATS, None}:
        raise UsageError(f"There is no format {form!r}; there are {', '.join(FORMATS)}")
    if not target.endswith(".json"):
        if form == "python":
            raise UsageError(f"{target} is Python already; python is for a model, a .json file")
        return describing.describe(load(target), form or "markdown")
    if form not in {"python", None}:
        raise UsageError(
            f"{target} is a model: write it as Python (--format python --out design.py), and "
            f"describe that as {form}"
        )
    return describing.python_design(_read(target))


def _read(path: str) -> str:
    from singletable.errors import UsageError

    try:
        return Path(path).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as fault:
        raise UsageError(f"{path} cannot be read: {fault}") from None


def _write(path: Path, text: str) -> None:
    from singletable.errors import UsageError

    try:
        path.write_text(text, "utf-8")
    except OSError as fault:
        raise UsageError(f"{path} cannot be written: {fault}") from None
