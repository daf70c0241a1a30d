"""Reports of a check: for people, for programs, and for code hosts."""

from __future__ import annotations

from collections.abc import Callable

from singletable.check.checking import Report

from .as_json import as_json
from .as_sarif import as_sarif
from .as_text import as_text, said

FORMATS: dict[str, Callable[[Report], str]] = {
    "text": as_text,
    "json": as_json,
    "sarif": as_sarif,
}

__all__ = ["FORMATS", "as_json", "as_sarif", "as_text", "said"]
