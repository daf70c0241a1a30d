"""How far a migration is: what a person, or a program, is shown while it runs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from time import monotonic
from typing import Any

from .bookkeeping import Books, Part, Run

COPYING = "copying"


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Tells how far a migration is."""

    state: str
    """What it does; while it is held back, by what: ``throttled: 400 of 400 units/s``."""
    rows: int
    total: int
    """Rows of the source, as far as it knew when the run began; never less than were seen."""
    items: int
    rejected: int
    rows_per_s: float
    eta_s: float | None
    backlog: int | None = None

    def __str__(self) -> str:
        share = 100 * self.rows / self.total if self.total else 100.0
        eta = "" if self.eta_s is None else f"; ETA {self.eta_s:.0f} s"
        backlog = "" if self.backlog is None else f"; Backlog {self.backlog:,}"
        return (
            f"Copied {self.rows:,}/{self.total:,} {share:.1f}%; {self.rows_per_s:,.0f} rows/s; "
            f"Items {self.items:,}; Rejected {self.rejected:,}{backlog}; State {self.state}{eta}"
        )

    def as_data(self) -> dict[str, Any]:
        """Give it for JSON."""
        return asdict(self)


class Meter:
    """Looks at the notes of a run, and knows how fast they grow."""

    def __init__(self, begun: Run, books: Books, total: int) -> None:
        self._name = begun.name
        self._books = books
        self._total = total
        self._first: tuple[float, int] | None = None

    def look(self, state: str, backlog: int | None = None) -> Progress:
        """Tell how far the run is now."""
        parts = list(self._books.parts(self._name))
        rows = sum(part.rows for part in parts)
        self._first = self._first or (monotonic(), rows)
        began, before = self._first
        rate = (rows - before) / max(monotonic() - began, 1e-9)
        left = max(0, self._total - rows)
        return Progress(
            state=_held(parts) or state if state == COPYING else state,
            rows=rows,
            total=max(self._total, rows),
            items=sum(part.items for part in parts),
            rejected=sum(part.rejected for part in parts),
            rows_per_s=rate,
            eta_s=left / rate if rate and left else None,
            backlog=backlog,
        )


def _held(parts: Iterable[Part]) -> str | None:
    """Say what holds the copy back, as far as the last batches tell."""
    waiting = [part for part in parts if part.rest is not None]
    refused_s = sum(part.backed_off_s for part in waiting)
    if refused_s:
        return f"throttled: the table has turned requests away for {refused_s:.1f} s"
    held = [part for part in waiting if part.held_per_s is not None]
    if not held:
        return None
    used = sum(part.used_per_s for part in held)
    return f"throttled: {used:,.0f} of {sum(part.held_per_s or 0 for part in held):,.0f} units/s"
