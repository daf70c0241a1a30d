"""What a verification finds, for people and for programs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

Fault = Literal["missing", "different", "extra", "clash", "unlisted"]
HASH_BITS = 128
MODULUS: int = 2**HASH_BITS


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """What differs between the source and the table, and stays so."""

    entity: str
    key: tuple[str, ...] = ()
    fault: Fault
    """``clash``: another row makes the item; ``unlisted``: refused, and not among the rejects."""
    field: str | None = None
    expected: Any = None
    found: Any = None
    row: str | None = None
    """The row that makes the item."""

    def __str__(self) -> str:
        where = f"{self.entity} {' / '.join(self.key)}".rstrip()
        row = f" (of {self.row})" if self.row else ""
        if self.fault == "different":
            return f"{where}{row}: {self.field} is {self.found!r}, expected {self.expected!r}"
        reasons = {
            "missing": "is missing",
            "extra": "is there, and no row makes it",
            "clash": f"is made by {self.found}, too",
            "unlisted": f"is refused, and not among the rejects: {self.found}",
        }
        return f"{where}{row} {reasons[self.fault]}"

    def as_data(self) -> dict[str, Any]:
        """Give it for JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """How an entity stands on both sides; equal hashes mean equal items, in whatever order."""

    entity: str
    expected: int
    found: int
    expected_hash: str
    found_hash: str
    missing: int
    different: int
    extra: int
    left_out: tuple[str, ...]
    """Fields that are not compared: the table keeps them itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """Tells how far a verification is."""

    state: str
    rows: int
    total: int
    doubtful: int = 0

    def __str__(self) -> str:
        share = 100 * self.rows / self.total if self.total else 100.0
        return (
            f"Checked {self.rows:,}/{self.total:,} {share:.1f}%; "
            f"To look at again {self.doubtful:,}; State {self.state}"
        )

    def as_data(self) -> dict[str, Any]:
        """Give it for JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """What a verification found."""

    name: str
    entities: tuple[Compared, ...]
    rows: Mapping[str, int]
    """Rows that were read, by their kind."""
    rejected: Mapping[str, int]
    """Rows of which there is nothing, and which are among the rejects, by their kind."""
    differences: tuple[Difference, ...]
    """The first ones; all of them are in the file."""
    differing: int
    """How many differences there are."""
    unsettled: int
    """Rows and items that changed whenever they were looked at, or whose changes were not applied
    in time: of these nothing is said."""
    apart: Mapping[str, int]
    """Items that no rule makes, by their type: no faults."""
    repaired: int
    left: int
    """Differences that are left; without repair, all."""
    file: Path | None
    """Where all differences are, a line of JSON each; None where there are none."""
    followed_anew: bool = False
    """Whether changes had been lost, and are followed from the beginning of this on."""

    @property
    def agrees(self) -> bool:
        """Tell whether both sides are the same, as far as they should be, with nothing in doubt."""
        return not self.left and not self.unsettled

    def as_data(self) -> dict[str, Any]:
        """Give it for JSON."""
        return {**asdict(self), "file": self.file and str(self.file), "agrees": self.agrees}


@dataclass(slots=True)
class Tally:
    """Counts the items of an entity on both sides, and adds up their digests."""

    expected: int = 0
    found: int = 0
    expected_hash: int = 0
    found_hash: int = 0
    missing: int = 0
    different: int = 0
    extra: int = 0

    def enter(self, expected: bytes | None, found: bytes | None) -> None:
        """Enter an item by its digests; None where there is none."""
        if expected is not None:
            self.expected += 1
            self.expected_hash = _sum(self.expected_hash, expected)
        if found is not None:
            self.found += 1
            self.found_hash = _sum(self.found_hash, found)
        self.missing += found is None
        self.extra += expected is None
        self.different += expected is not None and found is not None and expected != found

    def add(self, other: Tally) -> None:
        """Add what was counted elsewhere."""
        for name in ("expected", "found", "missing", "different", "extra"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.expected_hash = (self.expected_hash + other.expected_hash) % MODULUS
        self.found_hash = (self.found_hash + other.found_hash) % MODULUS

    def as_compared(self, entity: str, left_out: tuple[str, ...]) -> Compared:
        """Give it as it is shown."""
        return Compared(
            entity=entity,
            expected=self.expected,
            found=self.found,
            expected_hash=f"{self.expected_hash:032x}",
            found_hash=f"{self.found_hash:032x}",
            missing=self.missing,
            different=self.different,
            extra=self.extra,
            left_out=left_out,
        )


class Repaired(NamedTuple):
    """What came of a repair: how many differences are gone, and how many are left."""

    gone: int
    left: int


@dataclass(slots=True)
class Counts:
    """All that is counted, here or in another process."""

    tallies: defaultdict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))
    rows: Counter[str] = field(default_factory=Counter)
    rejected: Counter[str] = field(default_factory=Counter)
    apart: Counter[str] = field(default_factory=Counter)

    def add(self, other: Counts) -> None:
        """Add what was counted elsewhere."""
        for entity, tally in other.tallies.items():
            self.tallies[entity].add(tally)
        for name in ("rows", "rejected", "apart"):
            getattr(self, name).update(getattr(other, name))

    def made(self) -> Iterator[str]:
        """Name the entities that rows made."""
        return (entity for entity, tally in self.tallies.items() if tally.expected)


def _sum(total: int, digest: bytes) -> int:
    return (total + int.from_bytes(digest)) % MODULUS
