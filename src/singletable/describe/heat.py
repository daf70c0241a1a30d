"""What a meter measured, as a drawing: partition keys over time, and by access pattern.

A line is a partition key, the hottest first. To the left is when it was used, to the right what
for: the hotter, the darker.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import accumulate
from xml.etree import ElementTree as ET

from singletable.engine.metering import Heat, Meter
from singletable.engine.metering.rendering import key_text, percent, where_text

from .svg import CHAR, LINE, MARGIN, PAD, STYLE, write_text

PURPOSES_MAX = 10
OTHERS = "others"
TIMES_WIDTH = 480
STEP_WIDTH_MAX = 24
DARKEST, FAINTEST = 0.85, 0.06

HEAT_STYLE = f"{STYLE}.cell{{fill:#e8590c;stroke:none}}.hot{{font-weight:700}}\n"


def heat_map(meter: Meter, keys_max: int = 25) -> str:
    """Draw the hottest keys of a meter as SVG: when they were used, and what for."""
    heats = meter.hottest(keys_max)
    root = ET.Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "role": "img"})
    ET.SubElement(root, "title").text = "Heat of partition keys"
    ET.SubElement(root, "style").text = HEAT_STYLE
    x, top = float(MARGIN), float(MARGIN + LINE)
    for name, texts in (
        ("Partition key", [key_text(heat) for heat in heats]),
        ("Where", [where_text(heat) for heat in heats]),
    ):
        x = _draw_texts(root, x, top, heats, [name, *texts])
    if heats:
        x = _draw_times(root, x, top, heats, meter.step_s)
        x = _draw_purposes(root, x, top, heats)
    width, height = x + MARGIN, top + LINE * (len(heats) + 1) + MARGIN
    root.set("viewBox", f"0 0 {width:.0f} {height:.0f}")
    root.set("width", f"{width:.0f}")
    root.set("height", f"{height:.0f}")
    ET.indent(root)
    return ET.tostring(root, encoding="unicode") + "\n"


def _draw_texts(
    root: ET.Element, x: float, top: float, heats: Sequence[Heat], column: Sequence[str]
) -> float:
    """Draw a column of texts under its name; give where the next one begins."""
    write_text(root, x, top - 6, column[0], "head")
    for line, (heat, text) in enumerate(zip(heats, column[1:], strict=True), 1):
        write_text(root, x, top + LINE * line - 6, text, "hot" if heat.is_too_hot else "row-text")
    return x + max(map(len, column)) * CHAR + 2 * PAD


def _draw_times(
    root: ET.Element, x: float, top: float, heats: Sequence[Heat], step_s: int
) -> float:
    """Draw when keys were used; the darkest is told below."""
    first = min(min(heat.times) for heat in heats)
    last = max(max(heat.times) for heat in heats)
    steps = (last - first) // step_s + 1
    step_width = min(TIMES_WIDTH / steps, STEP_WIDTH_MAX)
    darkest = max(max(heat.times.values()) for heat in heats)
    for line, heat in enumerate(heats):
        _rect(root, (x, top + LINE * line, steps * step_width), "row")
        for start, load in sorted(heat.times.items()):
            at = x + (start - first) // step_s * step_width
            told = f"{key_text(heat)}, {_moment(start)}: {percent(load / step_s)} of a partition"
            _cell(root, (at, top + LINE * line, step_width), load / darkest, told)
    span = f"{_moment(first)} to {_moment(last)} UTC"
    hottest = f"by {step_s} s; the darkest are {percent(darkest / step_s)} of a partition"
    write_text(root, x, top - 6, span, "head")
    write_text(root, x, top + LINE * (len(heats) + 1) - 6, hottest, "head")
    return x + max(steps * step_width, max(len(span), len(hottest)) * CHAR) + 2 * PAD


def _draw_purposes(root: ET.Element, x: float, top: float, heats: Sequence[Heat]) -> float:
    """Draw what keys were used for, as parts of all load."""
    names = _purposes(heats)
    table = [_parts(heat, names) for heat in heats]
    darkest = max(max(row) for row in table)
    widths = [(max(len(name), len("100%")) * CHAR + 2 * PAD) for name in names]
    for name, at in zip(names, accumulate(widths, initial=x), strict=False):
        write_text(root, at + PAD, top - 6, name, "head")
    for line, row in enumerate(table):
        y = top + LINE * line
        _rect(root, (x, y, sum(widths)), "row")
        for part, at, width in zip(row, accumulate(widths, initial=x), widths, strict=False):
            if part:
                _cell(root, (at, y, width), part / darkest)
                write_text(root, at + PAD, y + LINE - 6, percent(part), "row-text")
    write_text(root, x + PAD, top + LINE * (len(heats) + 1) - 6, "parts of all load", "head")
    return x + max(sum(widths), len("parts of all load") * CHAR)


def _purposes(heats: Sequence[Heat]) -> list[str]:
    """Name what most load was for, and the others together."""
    loads: defaultdict[str, float] = defaultdict(float)
    for heat in heats:
        for name, load in heat.purposes.items():
            loads[name] += load
    names = sorted(loads, key=lambda name: -loads[name])
    return [*names[:PURPOSES_MAX], OTHERS] if len(names) > PURPOSES_MAX else names


def _parts(heat: Heat, names: Sequence[str]) -> list[float]:
    parts = {name: load / heat.load * heat.share for name, load in heat.purposes.items()}
    found = [parts.pop(name, 0.0) for name in names if name != OTHERS]
    return [*found, sum(parts.values())] if len(found) < len(names) else found


def _cell(
    root: ET.Element, place: tuple[float, float, float], strength: float, told: str | None = None
) -> None:
    cell = _rect(root, place, "cell")
    cell.set("fill-opacity", f"{max(strength**0.7, FAINTEST) * DARKEST:.3f}")
    if told:
        ET.SubElement(cell, "title").text = told


def _rect(root: ET.Element, place: tuple[float, float, float], kind: str) -> ET.Element:
    x, y, width = place
    sizes = {"x": x, "y": y, "width": width, "height": LINE}
    return ET.SubElement(root, "rect", {n: f"{v:.1f}" for n, v in sizes.items()} | {"class": kind})


def _moment(second: int) -> str:
    return f"{datetime.fromtimestamp(second, UTC):%Y-%m-%d %H:%M:%S}"
