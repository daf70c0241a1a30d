"""What a survey found, for people and for programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(slots=True)
class Tally:
    """Adds up what was found of an entity."""

    items: int = 0
    left: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    write_units: float = 0.0
    missing: int = 0
    broken: int = 0
    shared: int = 0

    def add(self, other: Tally) -> None:
        """Take over what another process counted."""
        self.items += other.items
        self.left += other.left
        self.kinds += other.kinds
        self.write_units += other.write_units
        self.missing += other.missing
        self.broken += other.broken
        self.shared += other.shared


@dataclass(slots=True)
class Counts:
    """What was found in a part of the table."""

    entities: dict[str, Tally] = field(default_factory=dict)
    unknown: int = 0
    examples: list[str] = field(default_factory=list)
    read_units: float = 0.0
    looked: int = 0
    """Items of any kind that were looked at."""
    is_whole: bool = True
    """Whether those were all."""

    def of(self, entity: str) -> Tally:
        """Give the tally of an entity."""
        return self.entities.setdefault(entity, Tally())

    def add(self, other: Counts) -> None:
        """Take over what another process counted."""
        for entity, tally in other.entities.items():
            self.of(entity).add(tally)
        self.unknown += other.unknown
        self.examples += other.examples
        self.read_units += other.read_units
        self.looked += other.looked
        self.is_whole = self.is_whole and other.is_whole


@dataclass(frozen=True, slots=True, kw_only=True)
class EntitySurvey:
    """How the items of an entity are stored."""

    entity: str
    items: int
    left: int
    """Items that are not as the design has them."""
    differences: Mapping[str, int]
    """Why, and how many: one item may differ in several ways."""
    missing: int
    """Items that the rules make, or that guard unique values, and are not there."""
    broken: int
    """Items that cannot be read, or not be rewritten: they are left alone."""
    shared: int
    """Items with a unique value that another has: they get no guard of it, or are not made."""
    write_units: float
    upgrades: tuple[int, ...]
    """The schemas that the code upgrades from."""

    @property
    def is_current(self) -> bool:
        """Tell whether all items are as the design has them."""
        return not (self.left or self.missing or self.broken)


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """How the items of a table are stored, and what it takes to have them as the design does."""

    name: str
    looked: int
    """Items of any kind that were looked at; what is counted is of those."""
    total: int
    """All items, as the table is described."""
    is_whole: bool
    """Whether all were looked at, and not a sample."""
    entities: tuple[EntitySurvey, ...]
    unknown: int
    """Items of types that the design does not have."""
    examples: tuple[str, ...]
    """Some of those that are left alone, with the reason."""
    read_units: float
    """Of one look at what was looked at."""
    write_units: float
    price: float
    currency: str
    region: str
    as_of: str

    @property
    def left(self) -> int:
        """Count what there is to do: items to rewrite, and items to make."""
        return sum(one.left + one.missing for one in self.entities)

    @property
    def left_about(self) -> int:
        """Count what there is to do in all, as a sample lets expect."""
        return self.left if self.is_whole else round(self.left * self.total / max(1, self.looked))

    @property
    def broken(self) -> int:
        """Count the items that need a person."""
        return self.unknown + sum(one.broken + one.shared for one in self.entities)

    @property
    def spare_upgrades(self) -> tuple[str, ...]:
        """Name the entities whose upgrades can be deleted: none of their items needs them."""
        current = (one for one in self.entities if one.upgrades and one.is_current)
        return tuple(one.entity for one in current) if self.is_whole else ()

    def as_data(self) -> dict[str, Any]:
        """Give it for JSON."""
        names = ("left", "left_about", "broken", "spare_upgrades")
        return {**asdict(self), **{name: getattr(self, name) for name in names}}
