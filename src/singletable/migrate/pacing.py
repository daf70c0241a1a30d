"""How fast a migration may write: so many units a second, of what the table really consumed."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from singletable.store.observing.events import RequestEvent


@dataclass(slots=True)
class Pace:
    """Is told what requests consume, and waits until that much may have been consumed."""

    units_per_s: float | None = None
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    _owed: float = field(default=0.0, init=False)
    _since: float | None = field(default=None, init=False)

    def observe(self, event: RequestEvent) -> None:
        """Take note of a request: give this to a store as an observer."""
        self._owed += event.consumed or 0.0

    def wait(self) -> None:
        """Wait as long as what was consumed is more than was allowed since the last time."""
        now = self.clock()
        if self.units_per_s is not None and self._since is not None:
            due = self._since + self._owed / self.units_per_s
            if due > now:
                self.sleep(due - now)
                now = due
        self._since, self._owed = now, 0.0
