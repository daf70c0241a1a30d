"""The time between two looks: until all that had changed by then has been applied.

Where the source tells of changes, and somebody applies them, it ends when they have come as
far as the source was; when the migration is done, when all was written back that the new side had.
Elsewhere it takes a while, and has to be longer than writes to both sides are apart.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from singletable.migrate.renewing import end_of
from singletable.migrate.running import Sides
from singletable.migrate.sources.errors import ChangesLost
from singletable.migrate.sources.source import Followed

POLL_S = 0.1
TURNS = 2
"""One may be under way that has not seen all."""


@dataclass(frozen=True, slots=True)
class Interval:
    """The time between two looks."""

    sides: Sides
    name: str
    settle_s: float
    patience_s: float

    def wait(self) -> bool:
        """Wait until what has changed is applied; False if it is not in time."""
        time.sleep(self.settle_s)
        if self._is_done():
            return self._written_back()
        source, position = self.sides.source, self._applied()
        if position is None or not isinstance(source, Followed):
            return True
        try:
            return self._is_applied(source, position)
        except ChangesLost:
            return True  # nobody applies them

    def _is_applied(self, source: Followed, since: str) -> bool:
        end = end_of(source, since)
        deadline = time.monotonic() + self.patience_s
        while (position := self._applied()) is not None:
            # Counted first, it counts no more than the other where that is not yet as far.
            left = source.backlog(end)
            if source.backlog(position) <= left:
                return True
            if time.monotonic() > deadline:
                return False
            time.sleep(POLL_S)
        return True

    def _applied(self) -> str | None:
        """Give the position up to which changes were applied, if somebody is to."""
        begun = self.sides.books.run_of(self.name).one()
        return begun.applied or begun.position

    def _is_done(self) -> bool:
        phase = self.sides.books.phase_of(self.name).first()
        return phase is not None and phase.phase == "done"

    def _written_back(self) -> bool:
        """Wait until all is written back that is in the table's stream by now."""
        before, deadline = self._turns(), time.monotonic() + self.patience_s
        while before is not None and (self._turns() or 0) < before + TURNS:
            if time.monotonic() > deadline:
                return False
            time.sleep(POLL_S)
        return True

    def _turns(self) -> int | None:
        """Count how often the end of the stream was reached; None where there is no way back."""
        noted = self.sides.books.return_of(self.name).first()
        return None if noted is None else noted.turns
