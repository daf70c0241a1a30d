"""Tables of texts: aligned for people, with rich's lines on a terminal, or in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

NUMERIC = frozenset("0123456789.,-+% x")


@dataclass(frozen=True, slots=True)
class Grid:
    """A table: a title, headings, rows of texts; columns of numbers stand to the right."""

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, title: str, headings: Sequence[str], rows: Iterable[Sequence[str]]) -> Grid:
        """Make a grid."""
        return cls(title, tuple(headings), tuple(tuple(row) for row in rows))

    @property
    def _right(self) -> list[bool]:
        columns = zip(*self.rows, strict=True) if self.rows else ((),) * len(self.headings)
        return [any(column) and all(set(text) <= NUMERIC for text in column) for column in columns]

    def text(self) -> str:
        """Write it with its columns aligned."""
        lines = [self.headings, *self.rows]
        widths = [max(len(line[at]) for line in lines) for at in range(len(self.headings))]
        right = self._right
        written = (
            "  ".join(
                cell.rjust(width) if to_right else cell.ljust(width)
                for cell, width, to_right in zip(line, widths, right, strict=True)
            ).rstrip()
            for line in lines
        )
        return "\n".join((self.title, *(f"  {line}" for line in written)))

    def markdown(self) -> str:
        """Write it as Markdown does."""
        rule = ("--:" if right else "---" for right in self._right)
        lines = [self.headings, tuple(rule), *self.rows]
        cells = ("| " + " | ".join(_escaped(cell) for cell in line) + " |" for line in lines)
        return "\n".join((f"## {self.title}", "", *cells))

    def rich(self) -> Any:
        """Give it as rich draws tables."""
        from rich.box import SIMPLE_HEAD
        from rich.markup import escape
        from rich.table import Table

        # Lines between columns would have many a table not fit into 80 columns.
        table = Table(title=self.title, title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
        for heading, right in zip(self.headings, self._right, strict=True):
            side: Literal["left", "right"] = "right" if right else "left"
            table.add_column(escape(heading), justify=side, overflow="fold")
        for row in self.rows:
            table.add_row(*map(escape, row))
        return table


def _escaped(cell: str) -> str:
    return cell.replace("|", "\\|").replace("\n", " ")


def number(value: float | None) -> str:
    """Write a number as shortly as it can be; nothing for None."""
    if value is None:
        return ""
    rounded = round(value, 1) if abs(value) >= 1 else round(value, 3)
    return f"{rounded:,.0f}" if rounded == int(rounded) else f"{rounded:,}"


def money(value: float) -> str:
    """Write an amount of money, to the hundredth."""
    return f"{value:,.2f}"


def percent(now: float, before: float) -> str:
    """Write by how much a number has changed; nothing where there is nothing to compare."""
    if not before:
        return "" if not now else "new"
    return f"{(now - before) / before:+.0%}"
