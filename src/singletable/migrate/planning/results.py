"""What a plan says, for people and for programs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class KindPlan:
    """What becomes of the rows of a table."""

    kind: str
    rows: int
    """All rows; what follows is of the sample."""
    sampled: int
    refused: int
    entities: Mapping[str, int]
    """Items that came of the sample, by entity."""
    unique: tuple[str, ...]
    """Fields of theirs whose values no two rows may have: within the sample they are compared."""
    unread: tuple[str, ...]
    """Columns that the rule never looked at; none where no row came through it."""
    unread_related: Mapping[str, tuple[str, ...]]
    """The same, of rows that come along."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityPlan:
    """What is to be expected of an entity."""

    entity: str
    items: int
    """Of all rows, as the sample lets expect."""
    size_bytes_mean: int
    size_bytes_max: int
    write_units: float
    """Of one item on average, with its indexes, guards and parts."""
    content_bytes: int
    """Large content that goes elsewhere, in all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why rows of the sample would be refused."""

    kind: str
    reason: str
    rows: int
    example: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What a migration takes, as the sample lets expect."""

    items: int
    write_units: float
    price: float
    """Of the write units, on demand."""
    storage_bytes: int
    """Of the table with its indexes."""
    storage_price: float
    """Of a month."""
    content_bytes: int
    """Of what goes to an object store."""
    currency: str
    region: str
    as_of: str
    rows_per_s: float
    """As fast as the sample was transformed, times the workers."""
    units_per_s: float | None
    """What may be consumed in all; None where nothing was said."""
    time_s: float
    """The longer of transforming all rows and writing at that pace."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryPlan:
    """An old query, and what takes its place."""

    query: str
    pattern: str | None
    purpose: str = ""
    fault: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a migration would do."""

    name: str
    kinds: tuple[KindPlan, ...]
    ignored: tuple[str, ...]
    """Tables that no rule reads."""
    entities: tuple[EntityPlan, ...]
    refusals: tuple[Refusal, ...]
    clashing: int
    """Rows of the sample that a run refuses, as they make an item or a unique value of another."""
    clashes: tuple[str, ...]
    """What some of them make, and who else does."""
    queries: tuple[QueryPlan, ...]
    estimate: Estimate

    @property
    def unmatched(self) -> tuple[str, ...]:
        """Name the old queries that no pattern takes the place of."""
        return tuple(one.query for one in self.queries if one.pattern is None)

    @property
    def is_sound(self) -> bool:
        """Tell whether nothing of the sample would be lost, and every named pattern is there."""
        faults = [one for one in self.queries if one.fault]
        return not (self.refusals or self.clashing or faults)

    def as_data(self) -> dict[str, Any]:
        """Give it for JSON."""
        return {**asdict(self), "unmatched": self.unmatched, "is_sound": self.is_sound}
