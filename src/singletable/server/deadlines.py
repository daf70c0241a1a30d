"""When a client has had its time: one timer of the event loop, however often the moment moves."""

from __future__ import annotations

import asyncio
from asyncio import TimerHandle
from collections.abc import Callable
from math import inf

TICK_SECONDS = 0.001
"""The step of uvloop's clock: a timer may be early by that, and none can be set for less."""


class Deadline:
    """The moment at which to act, moved with every request; to move it later costs nothing."""

    def __init__(self, act: Callable[[], None]) -> None:
        self._act = act
        self._loop = asyncio.get_running_loop()
        self._at = inf
        self._timer: TimerHandle | None = None

    def set(self, seconds: float) -> None:
        """Act in so many seconds, and not when it was said before."""
        self._at = self._loop.time() + seconds
        if self._timer is None or self._at < self._timer.when():
            self.cancel()
            self._start()

    def cancel(self) -> None:
        """Do not act."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _start(self) -> None:
        if self._at < inf:
            self._timer = self._loop.call_at(self._at, self._look)

    def _look(self) -> None:
        self._timer = None
        if self._at - self._loop.time() > TICK_SECONDS:
            self._start()
        else:
            self._act()
