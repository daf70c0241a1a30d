"""What a phase means to who reads and who writes.

Two neighbouring phases get along: while some processes are in one and some in the other, every
reader finds what any of them wrote. That is why a phase is left only for its neighbour.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from typing import Final, get_args

from singletable.migrate.bookkeeping import Phase, PhaseName

PHASES: Final[tuple[PhaseName, ...]] = get_args(PhaseName)
PAUSED_HERE: Final[set[str]] = set()
"""The pauses that this process holds."""
PERCENT: Final[dict[PhaseName, int]] = {"new-10": 10, "new-50": 50, "new-100": 100, "done": 100}


@dataclass(frozen=True, slots=True)
class Flags:
    """Says what to do now; ask anew for each request, and go by one answer all through it."""

    migration: str
    phase: PhaseName = "old"
    since: datetime | None = None
    """None if the phase was never changed."""
    postponed: str | None = None
    is_paused: bool = False
    is_paused_here: bool = False
    """Whether it is this process that holds the writes."""

    @classmethod
    def of(cls, migration: str, state: Phase | None) -> Flags:
        """Give what follows from what is kept; nothing is kept of a cutover that nobody began."""
        if state is None:
            return cls(migration)
        since = state.since if state.number else None
        is_here, is_paused = state.pause_id in PAUSED_HERE, state.pause_id is not None
        return cls(migration, state.phase, since, state.postponed, is_paused, is_here)

    @property
    def percent(self) -> int:
        """Tell how many readers of a hundred use the new side."""
        return PERCENT.get(self.phase, 0)

    @property
    def writes_old(self) -> bool:
        """Tell whether writes go to the old side."""
        return self.phase != "done"

    @property
    def writes_new(self) -> bool:
        """Tell whether writes go to the new side."""
        return self.phase != "old"

    @property
    def is_shadowing(self) -> bool:
        """Tell whether reads are done on both sides and compared; the old side answers."""
        return self.phase == "shadow"

    def reads_new(self, key: object) -> bool:
        """Tell whether a reader uses the new side; who does at 10 % does at 50 % as well."""
        return self.percent > 0 and place(self.migration, key) < self.percent


def place(migration: str, key: object) -> float:
    """Give a reader a place from 0 to 100 that is the same in every process, at any time."""
    digest = blake2b(f"{migration}|{key}".encode(), digest_size=6).digest()
    return int.from_bytes(digest, "big") / (1 << 48) * 100


def steps_between(before: PhaseName, after: PhaseName) -> int:
    """Count the steps from a phase to another; backwards below 0."""
    return PHASES.index(after) - PHASES.index(before)
