"""How far a migration is: what a person, or a program, is shown while it runs."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from time import monotonic
from typing import Any

from .bookkeeping import Books, Run


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Tells how far a migration is."""

    state: str
    rows: int
    total: int
    """Rows of the source, as far as it knew when the run began."""
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
            state=state,
            rows=rows,
            total=self._total,
            items=sum(part.items for part in parts),
            rejected=sum(part.rejected for part in parts),
            rows_per_s=rate,
            eta_s=left / rate if rate and left else None,
            backlog=backlog,
        )
