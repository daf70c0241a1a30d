"""``singletable migrate init``: a first draft."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from singletable.cli._showing import Format, show, working
from singletable.cli._target import Target, load
from singletable.errors import UsageError

from ._options import From


def init(
    store: Target,
    *,
    source: From,
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="The file to write.")] = Path(
        "migration.py"
    ),
    force: Annotated[bool, typer.Option("--force", help="Write over a file.")] = False,
    form: Format = "text",
) -> None:
    """Write a first draft of a migration.

    It is made from the names in a source and in a design. Prints what it could not match, and the
    command that tries it; a row that needs what is not matched is refused until you write it.

    Example:
      singletable migrate init shop/design.py --from sqlite:///old.db --out shop/migration.py
    """
    from singletable.migrate.drafting import draft
    from singletable.migrate.sources.showing import masked

    if out.exists() and not force:
        raise UsageError(f"There is a file {out}: name another with --out, or add --force")
    with working("Looking at the source", form):
        made = draft(load(store), source)
    out.write_text(made.text, "utf-8")
    title = f"{out} has a draft, {made.name}. It leaves to you:"
    content = {"file": str(out), "name": made.name, "left": made.notes}
    sides = f"--from {quote(masked(source))} --to new.db"
    told = f"\nTry it: singletable migrate plan {quote(f'{out}:{made.name}')} {sides}"
    show(form, content, "\n- ".join([title, *made.notes]) + told)
