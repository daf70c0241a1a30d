"""Moments on the command line, which are in UTC."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import typer

FORMATS = ["%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d"]


def moment(name: str, text: str) -> Any:
    """Make an option that takes a moment."""
    return typer.Option(name, formats=FORMATS, help=text, show_default=False)


def in_utc(given: datetime | None) -> datetime | None:
    """Give a time of the command line its zone."""
    return given and given.replace(tzinfo=UTC)
