"""The options that commands of ``singletable migrate`` share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from singletable.cli._places import address

Target = Annotated[
    str,
    typer.Argument(
        metavar="MIGRATION",
        help="The migration: package.module:Class, or a file, path/migration.py, that has one.",
        show_default=False,
    ),
]
From = Annotated[
    str,
    typer.Option(
        "--from",
        metavar="SOURCE",
        help="What is left: a URL of SQLAlchemy, dynamodb:ADDRESS, a folder or file.",
        show_default=False,
    ),
]
To = Annotated[str, address("--to")]
ObjectsAt = Annotated[
    str | None,
    typer.Option(
        "--objects", metavar="ADDRESS", help="Where large content goes: s3://…, a folder."
    ),
]
Folder = Annotated[
    Path, typer.Option("--folder", metavar="DIR", help="Where rejects and differences are written.")
]
Workers = Annotated[int, typer.Option("--workers", min=1, help="How many processes.")]
Units = Annotated[
    float | None,
    typer.Option("--units-per-s", metavar="N", min=1, help="Units a second, of all processes."),
]
