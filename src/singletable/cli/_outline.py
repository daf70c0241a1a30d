"""Requests and answers as an outline for people: their structure by indentation, items on one line.

Attribute values lose their types, so an outline cannot be read back.
"""

from itertools import chain, repeat
from typing import Any


def outline(value: Any) -> list[str]:
    """Write a structure as lines, its flat parts on one line each; nothing for an empty one."""
    if isinstance(value, list):
        return [line for part in value for line in _indented("- ", outline(part))]
    if not isinstance(value, dict):
        return [str(value)]
    if value and all(map(_is_flat, value.values())):
        return ["  ".join(f"{name}={_flat(part)}" for name, part in value.items())]
    return [line for name, part in value.items() for line in _member(name, part)]


def _member(name: str, value: Any) -> list[str]:
    lines = outline(value)
    if isinstance(value, list) or len(lines) != 1:
        return [name, *_indented("  ", lines)]
    return [f"{name}  {lines[0]}"]


def _indented(first: str, lines: list[str]) -> list[str]:
    margins = chain([first], repeat("  "))
    return [margin + line for margin, line in zip(margins, lines, strict=False)]


def _is_flat(value: Any) -> bool:
    return list(value) in (["S"], ["N"]) if isinstance(value, dict) else not isinstance(value, list)


def _flat(value: Any) -> str:
    return str(next(iter(value.values())) if isinstance(value, dict) else value)
