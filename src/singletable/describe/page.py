"""A description as one HTML page that needs nothing else: no network, no fonts, no libraries.

Everything is in the page without scripts; the few lines of JavaScript only hide rows while
somebody searches. A policy in the page forbids it to load anything.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from xml.etree import ElementTree as ET

from .description import Description
from .mermaid import entity_diagram, pattern_diagram
from .sections import Cell, Code, Grid, Line, Section, sections
from .svg import drawing

STYLE = """
:root{color-scheme:light dark;--line:#c3cfdb;--soft:#f2f5f9;--quiet:#52606d}
@media (prefers-color-scheme:dark){:root{--line:#3e4c59;--soft:#1f2933;--quiet:#9fb3c8}}
body{font:16px/1.5 system-ui,sans-serif;margin:0 auto;max-width:110rem;padding:1rem 1.5rem}
nav ul{display:flex;flex-wrap:wrap;gap:1rem;list-style:none;padding:0}
table{border-collapse:collapse;width:100%;font-size:.875rem}
caption{text-align:left;font-weight:600;padding:.75rem 0 .25rem}
th,td{border:1px solid var(--line);padding:.25rem .5rem;text-align:left;vertical-align:top}
th{background:var(--soft)}
code,pre{font:.8125rem ui-monospace,Menlo,Consolas,monospace;overflow-wrap:anywhere}
.wide{overflow-x:auto}
.note{color:var(--quiet)}
input{font:inherit;padding:.25rem .5rem;width:min(30rem,100%)}
"""

SCRIPT = """
const box = document.getElementById("search"), rows = [...document.querySelectorAll("tbody tr")];
document.getElementById("searching").hidden = false;
box.addEventListener("input", () => {
  const words = box.value.toLowerCase().split(/\\s+/).filter(Boolean);
  let shown = 0;
  for (const row of rows) {
    const text = row.dataset.text + " " + row.textContent.toLowerCase();
    row.hidden = !words.every(word => text.includes(word));
    shown += !row.hidden;
  }
  document.getElementById("found").textContent = words.length ? shown + " rows" : "";
});
"""

POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"


def page(described: Description) -> str:
    """Write a description as an HTML page."""
    return "\n".join((*_head(described), *_body(described), "</html>")) + "\n"


def _head(described: Description) -> Iterator[str]:
    yield "<!DOCTYPE html>"
    yield '<html lang="en">'
    yield "<head>"
    yield '<meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    yield f"<title>{escape(described.name)}: the design of {escape(described.table.name)}</title>"
    yield f"<style>{STYLE}</style>"
    yield "</head>"


def _body(described: Description) -> Iterator[str]:
    parts = sections(described)
    yield "<body>"
    yield f"<header><h1>{escape(described.name)}</h1>"
    yield f"<p>{escape(described.purpose)}</p>"
    yield f"<p class=note>Table <code>{escape(described.table.name)}</code></p>"
    yield "<nav aria-label=Sections><ul>"
    links = [*((part.anchor, part.title) for part in parts), ("diagrams", "Diagrams")]
    yield from (f'<li><a href="#{anchor}">{escape(title)}</a></li>' for anchor, title in links)
    yield "</ul></nav>"
    yield '<p id="searching" hidden><label for="search">Search </label>'
    yield '<input id="search" type="search"> <output id="found" for="search"></output></p>'
    yield "</header>"
    yield "<main>"
    for part in parts:
        yield from _section(part)
    yield from _diagrams(described)
    yield "</main>"
    yield f"<script>{SCRIPT}</script>"
    yield "</body>"


def _section(section: Section) -> Iterator[str]:
    yield f'<section aria-labelledby="{section.anchor}">'
    yield f'<h2 id="{section.anchor}">{escape(section.title)}</h2>'
    yield f"<p class=note>{escape(section.note)}</p>"
    for grid in section.grids:
        yield from _grid(grid)
    yield "</section>"


def _grid(grid: Grid) -> Iterator[str]:
    yield f'{_scrolled(grid.title)}<table id="{escape(grid.anchor)}">'
    yield f"<caption>{escape(grid.title)}</caption>"
    heads = "".join(f'<th scope="col">{escape(name)}</th>' for name in grid.header)
    yield f"<thead><tr>{heads}</tr></thead>"
    yield "<tbody>"
    above = ""
    for row in grid.rows:
        # A partition key stands in its first row only; a search finds the others by it, too.
        above = " ".join(row[0]).lower() or above
        cells = "".join(f"<td>{_cell(cell)}</td>" for cell in row)
        yield f'<tr data-text="{escape(f"{grid.title.lower()} {above}")}">{cells}</tr>'
    yield "</tbody></table></div>"


def _scrolled(label: str) -> str:
    """Open a part that may be wider than the page; it can be scrolled with the keyboard, too."""
    return f'<div class="wide" tabindex="0" role="region" aria-label="{escape(label)}">'


def _cell(cell: Cell) -> str:
    return "<br>".join(map(_line, cell))


def _line(line: Line) -> str:
    return f"<code>{escape(line)}</code>" if isinstance(line, Code) else escape(line)


def _diagrams(described: Description) -> Iterator[str]:
    yield '<section aria-labelledby="diagrams"><h2 id="diagrams">Diagrams</h2>'
    picture = ET.tostring(drawing(described), encoding="unicode")
    yield f"{_scrolled('Item collections, drawn')}{picture}</div>"
    named = (
        ("Entities, for Mermaid", entity_diagram(described)),
        ("Access patterns, for Mermaid", pattern_diagram(described)),
    )
    for title, text in named:
        yield f"<details><summary>{title}</summary><pre>{escape(text)}</pre></details>"
    yield "</section>"
