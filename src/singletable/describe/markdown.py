"""A description in Markdown, with Mermaid diagrams that GitHub and others draw."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .description import Description
from .mermaid import entity_diagram, pattern_diagram
from .sections import Cell, Code, Grid, Line, Section, sections


def markdown(described: Description) -> str:
    """Write a description as a Markdown page."""
    lines = [f"# {_plain(described.name)}", ""]
    lines += [_plain(described.purpose), ""] if described.purpose else []
    lines += [f"Table `{described.table.name}`.", ""]
    for section in sections(described):
        lines += _section(section)
    lines += ["## Diagrams", ""]
    for diagram in (entity_diagram(described), pattern_diagram(described)):
        lines += ["```mermaid", diagram.rstrip("\n"), "```", ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def _section(section: Section) -> Iterator[str]:
    yield from (f"## {section.title}", "", section.note, "")
    for grid in section.grids:
        if len(section.grids) > 1:
            yield from (f"### {_plain(grid.title)}", "")
        if grid.note:
            yield from (_plain(grid.note), "")
        yield from _grid(grid)
        yield ""


def _grid(grid: Grid) -> Iterator[str]:
    yield _row(map(_plain, grid.header))
    yield _row("---" for _ in grid.header)
    for row in grid.rows:
        yield _row(map(_cell, row))


def _row(cells: Iterator[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(cell: Cell) -> str:
    return "<br>".join(map(_line, cell))


def _line(line: Line) -> str:
    return _code(line) if isinstance(line, Code) else _plain(line)


def _code(text: str) -> str:
    """Write code; what stands in a table has its bars escaped, in code too."""
    fence = "``" if "`" in text else "`"
    pad = " " * (len(fence) - 1)
    return f"{fence}{pad}{_one_line(text)}{pad}{fence}"


def _plain(text: str) -> str:
    text = text.replace("\\", "\\\\").replace("&", "&amp;").replace("<", "&lt;")
    return _one_line(re.sub(r"[*`\[\]]|(?<!\w)_|_(?!\w)", r"\\\g<0>", text))


def _one_line(text: str) -> str:
    return " ".join(text.split("\n")).replace("|", "\\|")
