"""Explanations as text, as Markdown and as plain data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import orjson

from .explaining import Explanation

SHOWN_MAX = 1
"""How many of a call's requests are shown in full: shards and buckets differ by a number alone."""


def text(made: Explanation) -> str:
    """Write an explanation for a terminal."""
    lines = [made.signature, *(f"  {line.strip()}" for line in made.purpose.splitlines() if line)]
    if made.fault is not None:
        return "\n".join([*lines, "", *_rows(list(_faults(made)))])
    lines += ["", f"  {made.operation} of {_place(made)}"]
    lines += [line for request in made.requests[:SHOWN_MAX] for line in _request(request)]
    lines += [f"    {line}" for line in _others(made)]
    return "\n".join([*lines, "", *_rows(list(_facts(made)))])


def markdown(made: Explanation) -> str:
    """Write an explanation for a page."""
    parts = [f"## {made.name}", f"`{made.signature}`", made.purpose]
    if made.fault is not None:
        return "\n\n".join([*parts, "\n".join(_bullets(_faults(made)))])
    parts.append(f"**{made.operation}** of {_place(made)}")
    for request in made.requests[:SHOWN_MAX]:
        shown = orjson.dumps(_plain(request), option=orjson.OPT_INDENT_2).decode()
        parts.append(f"```json\n{shown}\n```")
    parts += _others(made)
    parts.append("\n".join(_bullets(_facts(made))))
    return "\n\n".join(part for part in parts if part)


def data(made: Explanation) -> dict[str, Any]:
    """Give an explanation as plain data."""
    shown: dict[str, Any] = {
        "name": made.name,
        "signature": made.signature,
        "purpose": made.purpose,
        "table": made.table,
    }
    if made.fault is not None:
        missing, changes = list(made.missing), list(made.changes)
        return {**shown, "fault": made.fault, "missing": missing, "changes": changes}
    assert made.cost is not None
    return {
        **shown,
        "operation": made.operation,
        "index": made.index,
        "requests": [_plain(request) for request in made.requests],
        "entities": list(made.entities),
        "also_reads": list(made.also_reads),
        "bound": made.bound,
        "capacity": {
            "read_units": made.cost.units,
            "requests": made.cost.requests,
            "items": dict(made.cost.items),
            "item_bytes": dict(made.cost.item_bytes),
            "consistent": made.cost.consistent,
        },
        "why": list(made.why),
    }


def _place(made: Explanation) -> str:
    return f"{made.table} / {made.index}" if made.index else str(made.table)


def _facts(made: Explanation) -> Iterator[tuple[str, str]]:
    yield "reads", ", ".join(made.entities)
    if made.also_reads:
        yield "reads too", f"{', '.join(made.also_reads)}: in the same range, paid for and left out"
    yield "requests", made.bound
    yield "capacity", made.capacity
    yield from (("why", line) for line in made.why)


def _faults(made: Explanation) -> Iterator[tuple[str, str]]:
    yield "cannot run", str(made.fault)
    yield from (("missing", line) for line in made.missing)
    yield from (("instead", line) for line in made.changes)


def _bullets(rows: Iterable[tuple[str, str]]) -> list[str]:
    return [f"- **{label}:** {said}" for label, said in rows]


def _others(made: Explanation) -> list[str]:
    more = len(made.requests) - SHOWN_MAX
    return [f"… and {more} more like it, for the other partitions"] if more > 0 else []


def _rows(rows: list[tuple[str, str]]) -> list[str]:
    """Write labels and what they label, a label that repeats once."""
    width = max((len(label) for label, _ in rows), default=0)
    lines, last = [], ""
    for label, said in rows:
        shown = "" if label == last else label
        lines.append(f"  {shown.ljust(width)}  {said}")
        last = label
    return lines


def _request(request: dict[str, Any]) -> list[str]:
    members = [(name, _flat(value)) for name, value in request.items() if name != "TableName"]
    width = max((len(name) for name, _ in members), default=0)
    return [f"    {name.ljust(width)}  {value}" for name, value in members]


def _flat(value: Any) -> str:
    """Write a member of a request on one line, attribute values without their types."""
    if isinstance(value, dict):
        if len(value) == 1 and next(iter(value)) in TYPES:
            return _flat(next(iter(value.values())))
        return ", ".join(f"{name} = {_flat(one)}" for name, one in value.items())
    if isinstance(value, list):
        return f"[{'; '.join(map(_flat, value))}]"
    # The least text behind another one ends with the first character of all, as after gt().
    return str(value).replace("\0", "\\0")


TYPES = frozenset({"S", "N", "B", "BOOL", "NULL", "SS", "NS", "BS", "L", "M"})


def _plain(value: Any) -> Any:
    """Give what JSON can hold: bytes as text."""
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple | set):
        return [_plain(one) for one in value]
    return value.decode("latin-1") if isinstance(value, bytes | bytearray) else value
