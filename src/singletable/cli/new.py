"""``singletable new``: a project to start from, written once and then its owner's.

Its files are kept as templates in ``_project/``; ``$name`` and ``$package`` stand for what the user
chose.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Annotated

import typer

from singletable.errors import UsageError

from ._showing import Format, as_json

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

Name = Annotated[
    str,
    typer.Argument(
        metavar="NAME",
        help="The project's name: of its folder, its package and its table.",
        show_default=False,
    ),
]
Folder = Annotated[
    Path, typer.Option("--in", metavar="DIR", help="The folder to make it in.", show_default=False)
]
NAME = re.compile(r"[a-z][a-z0-9]*([-_][a-z0-9]+)*")
NAME_LENGTH = range(3, 101)
"""A table's name has three characters at least."""


def new(name: Name, into: Folder = Path(), form: Format = "text") -> None:
    """Make a project to start from.

    It is a design of one entity and three access patterns, with tests. It runs, is checked, tested
    and deployed by the commands that its README lists. Prints the files it made; never overwrites
    one.

    Example:
      singletable new shelf
    """
    package = package_of(name)
    folder = into / name
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(
            f"{folder} is there already: choose another name, or another folder (--in)"
        )
    made = [str(path) for path in _write(folder, {"name": name, "package": package})]
    if form == "json":
        typer.echo(as_json({"folder": str(folder), "files": made}))
        return
    typer.echo("\n".join(made))
    typer.echo(f"next: cd {folder}, and what its README.md says", err=True)


def package_of(name: str) -> str:
    """Give the package's name; raise ``UsageError`` where a project cannot have the name."""
    if not NAME.fullmatch(name) or len(name) not in NAME_LENGTH:
        raise UsageError(
            f"{name!r} cannot be a project's name: write 3 to 100 small letters and digits, "
            "with - or _ between words, as in book-shelf"
        )
    package = name.replace("-", "_")
    if keyword.iskeyword(package) or package == "tests" or find_spec(package) is not None:
        raise UsageError(
            f"Python has a {package!r} already, which would hide yours: choose another"
        )
    return package


def _write(folder: Path, names: dict[str, str]) -> Iterator[Path]:
    for template, parts in _templates(files(__package__) / "_project", ()):
        text = Template(template.read_text("utf-8")).substitute(names)
        path = folder.joinpath(*(names["package"] if part == "package" else part for part in parts))
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
        yield path


def _templates(
    folder: Traversable, above: tuple[str, ...]
) -> Iterator[tuple[Traversable, tuple[str, ...]]]:
    for entry in sorted(folder.iterdir(), key=lambda one: one.name):
        if entry.is_dir():
            yield from _templates(entry, (*above, entry.name))
        elif entry.name.endswith(".tmpl"):
            name = entry.name.removesuffix(".tmpl")
            yield entry, (*above, ".gitignore" if name == "gitignore" else name)
