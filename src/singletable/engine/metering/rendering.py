"""The hottest keys as a table of text."""

from __future__ import annotations

from collections.abc import Sequence

from singletable.engine.capacity import PARTITION_UNITS, Access

from .heat import Heat

ROWS_MAX = 20
KEY_MAX = 48
PURPOSES_MAX = 3
LEAST = 0.01
LEFT = {"key", "where", "for"}


def render(heats: Sequence[Heat]) -> str:
    """Write a line for each of the hottest keys, and how many there are besides."""
    if not heats:
        return "no request consumed anything"
    rows = [_row(heat) for heat in heats[:ROWS_MAX]]
    peaks = [f"{kind.lower()}s/s of {units:,.0f}" for kind, units in PARTITION_UNITS.items()]
    head = ["key", "where", "share", "reads", "writes", "requests", *peaks, "for"]
    columns = [_aligned(column) for column in zip(head, *rows, strict=True)]
    lines = ["  ".join(line).rstrip() for line in zip(*columns, strict=True)]
    if len(heats) > ROWS_MAX:
        lines.append(f"and {len(heats) - ROWS_MAX:,} more")
    return "\n".join(lines)


def _aligned(column: Sequence[str]) -> list[str]:
    width = max(map(len, column))
    return [text.ljust(width) if column[0] in LEFT else text.rjust(width) for text in column]


def _row(heat: Heat) -> list[str]:
    return [
        key_text(heat),
        where_text(heat),
        percent(heat.share),
        _units(heat.reads),
        _units(heat.writes),
        f"{heat.requests:,}",
        _peak("Read", heat.peak_reads),
        _peak("Write", heat.peak_writes),
        _purposes(heat),
    ]


def key_text(heat: Heat) -> str:
    """Name a key in one line, cut short."""
    key = "(scans)" if heat.key is None else heat.key
    key = key if key.isprintable() else repr(key)
    return key if len(key) <= KEY_MAX else f"{key[: KEY_MAX - 1]}…"


def where_text(heat: Heat) -> str:
    """Name the table, and the index."""
    return f"{heat.table}/{heat.index}" if heat.index else heat.table


def percent(part: float) -> str:
    """Write a part as a percentage."""
    return f"{part:.0%}" if part >= LEAST else f"<{LEAST:.0%}"


def _peak(access: Access, units: float) -> str:
    return f"! {_units(units)}" if units > PARTITION_UNITS[access] else _units(units)


def _purposes(heat: Heat) -> str:
    ranked = sorted(heat.purposes.items(), key=lambda each: -each[1])
    if len(ranked) == 1:
        return ranked[0][0]
    told = [f"{name} {percent(load / heat.load)}" for name, load in ranked[:PURPOSES_MAX]]
    return ", ".join([*told, "…"] if len(ranked) > PURPOSES_MAX else told)


def _units(units: float) -> str:
    return f"{units:,.1f}".removesuffix(".0")
