"""A finding: what is wrong with a design, where, what happens to a user, and what to write."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

Severity = Literal["error", "warning", "note"]
"""An error gives wrong answers or fails, a warning costs money, a note is worth a thought."""

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
"""From the worst to the mildest."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What one rule says of one place; a place that it does not concern is None."""

    code: str
    name: str
    severity: Severity
    message: str
    fix: str
    entity: str | None = None
    pattern: str | None = None
    index: str | None = None
    template: str | None = None

    @property
    def place(self) -> str:
        """Name where it is, by what a reader would look for first."""
        parts = [part for part in (self.pattern and f"{self.pattern}()", self.entity) if part]
        return ", ".join(parts) or self.index or "the design"

    @property
    def places(self) -> frozenset[str]:
        """Name all by which the finding can be ignored."""
        named = (self.entity, self.pattern, self.index)
        return frozenset(one for one in named if one) or frozenset({"design"})

    def as_dict(self) -> dict[str, Any]:
        """Give the members, for JSON."""
        return asdict(self)
