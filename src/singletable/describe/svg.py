"""Item collections as a drawing: the table and each index, partition by partition.

The drawing stands for itself: no fonts, scripts or styles from elsewhere. Widths are reckoned from
the number of characters in a monospaced font, as nothing here can measure text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from xml.etree import ElementTree as ET

from .description import Description
from .partitions import Layout, Row

CHAR, LINE, PAD, MARGIN = 7.3, 20, 8, 16
TEXT_MAX = 60
ATTRIBUTES_MAX = 90

STYLE = """
svg{background:#fff}
text{font:12px ui-monospace,Menlo,Consolas,monospace;fill:#1c2733}
.title{font-weight:700;font-size:15px}
.head{fill:#52606d;font-size:11px}
.entity{font-weight:700}
.more{fill:#52606d}
.key{fill:#dbe9f9}
.row{fill:#fff}
rect{stroke:#9fb3c8}
@media (prefers-color-scheme:dark){
svg{background:#10171f}
text{fill:#e4e9f0}.head,.more{fill:#9fb3c8}.key{fill:#1d3a5c}.row{fill:#17202b}rect{stroke:#486581}}
"""


@dataclass(frozen=True, slots=True)
class _Column:
    """Where a column begins, how wide it is, and its name."""

    x: float
    width: float
    name: str


def svg(described: Description) -> str:
    """Draw the item collections of a design."""
    root = drawing(described)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode") + "\n"


def drawing(described: Description) -> ET.Element:
    """Draw the item collections of a design, as an element."""
    title = f"Item collections of {described.table.name}"
    root = ET.Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "role": "img"})
    ET.SubElement(root, "title").text = title
    ET.SubElement(root, "style").text = STYLE
    y, width = float(MARGIN), 0.0
    for layout in described.layouts:
        columns = _columns(layout)
        y = _draw(root, layout, columns, y) + 2 * MARGIN
        width = max(width, columns[-1].x + columns[-1].width)
    width, height = width + MARGIN, y - MARGIN
    root.set("viewBox", f"0 0 {width:.0f} {height:.0f}")
    root.set("width", f"{width:.0f}")
    root.set("height", f"{height:.0f}")
    return root


def _columns(layout: Layout) -> tuple[_Column, ...]:
    rows = [row for collection in layout.collections for row in collection.rows]
    texts: tuple[tuple[str, list[str]], ...] = (
        (layout.pk, [_cut(collection.pk) for collection in layout.collections]),
        (layout.sk or "no sort key", [_cut(row.sk) for row in rows]),
        ("Entity", [row.entity for row in rows]),
        ("Attributes", [_attributes(row) for row in rows]),
    )
    columns: list[_Column] = []
    x = float(MARGIN)
    for name, column in texts:
        width = max(map(len, (name, *column))) * CHAR + 2 * PAD
        columns.append(_Column(x, width, name))
        x += width
    return tuple(columns)


def _draw(root: ET.Element, layout: Layout, columns: Sequence[_Column], y: float) -> float:
    """Draw the table or an index from a height on; give the height at which it ends."""
    group = ET.SubElement(root, "g")
    write_text(group, columns[0].x, y + LINE / 2, layout.title, "title")
    y += LINE
    for column in columns:
        write_text(group, column.x + PAD, y + LINE / 2 + 4, column.name, "head")
    y += LINE
    for collection in layout.collections:
        height = LINE * len(collection.rows)
        _box(group, columns[0], y, height, "key")
        write_text(group, columns[0].x + PAD, y + LINE - 6, _cut(collection.pk), "pk")
        for row in collection.rows:
            _draw_row(group, row, columns, y)
            y += LINE
    return y


def _draw_row(group: ET.Element, row: Row, columns: Sequence[_Column], y: float) -> None:
    for column, text, kind in zip(columns[1:], _texts(row), ("sk", "entity", "more"), strict=True):
        _box(group, column, y, LINE, "row")
        if text:
            write_text(group, column.x + PAD, y + LINE - 6, text, kind)


def _texts(row: Row) -> Iterator[str]:
    yield _cut(row.sk)
    yield row.entity
    yield _attributes(row)


def _attributes(row: Row) -> str:
    return _cut("  ".join(f"{name}={text}" for name, text in row.attributes), ATTRIBUTES_MAX)


def _cut(text: str, most: int = TEXT_MAX) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _box(group: ET.Element, column: _Column, y: float, height: float, kind: str) -> None:
    place = {"x": column.x, "y": y, "width": column.width, "height": height}
    ET.SubElement(group, "rect", {n: f"{v:.1f}" for n, v in place.items()} | {"class": kind})


def write_text(group: ET.Element, x: float, y: float, text: str, kind: str) -> None:
    """Write a text that begins there, above its baseline."""
    ET.SubElement(group, "text", {"x": f"{x:.1f}", "y": f"{y:.1f}", "class": kind}).text = text
