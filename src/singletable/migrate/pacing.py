"""How fast a migration may write: so many units a second, of what the table really consumed.

It also knows why a batch took as long as it did, for whoever looks on: the pace it is held to, or a
table that turns requests away.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from singletable.store.observing.events import RequestEvent
from singletable.store.steps import Pause, Program

R = TypeVar("R")


@dataclass(slots=True)
class Pace:
    """Told what requests consume, and waits until that much may have been consumed."""

    units_per_s: float | None = None
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    backed_off_s: float = field(default=0.0, init=False)
    """How long the table made requests wait, since the last wait."""
    _owed: float = field(default=0.0, init=False)
    _since: float | None = field(default=None, init=False)

    def observe(self, event: RequestEvent) -> None:
        """Take note of a request: give this to a store as an observer."""
        self._owed += event.consumed or 0.0

    def watched(self, program: Program[R]) -> Program[R]:
        """Run a program, and take note of how long the table has it wait."""
        answer: Any = None
        error: BaseException | None = None
        while True:
            try:
                step = program.send(answer) if error is None else program.throw(error)
            except StopIteration as end:
                result: R = end.value
                return result
            if isinstance(step, Pause):
                self.backed_off_s += step.seconds
            answer = error = None
            try:
                answer = yield step
            except BaseException as raised:  # noqa: BLE001 - the program raises what it does not handle
                error = raised

    @property
    def used_per_s(self) -> float:
        """Tell what is consumed a second, the wait included that is due now."""
        now = self.clock()
        return (
            0.0 if self._since is None else self._owed / max(now - self._since + self.due_s, 1e-9)
        )

    @property
    def due_s(self) -> float:
        """Tell how long to wait, as more was consumed than was allowed since the last time."""
        if self.units_per_s is None or self._since is None:
            return 0.0
        return max(0.0, self._since + self._owed / self.units_per_s - self.clock())

    def rows_a_second(self, rows: int) -> int:
        """Tell how many rows may be written in a second, if they are like so many of the last."""
        if self.units_per_s is None or not self._owed:
            return sys.maxsize
        return max(1, int(rows * self.units_per_s / self._owed))

    def wait(self) -> None:
        """Wait as long as is due."""
        due = self.clock() + self.due_s
        if self.due_s:
            self.sleep(self.due_s)
        self._since, self._owed, self.backed_off_s = due, 0.0, 0.0
