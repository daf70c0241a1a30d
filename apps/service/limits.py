"""How large a request may be, and how many of them a caller may send."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from threading import Lock

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .problems import Problem, answer

CALLERS = 10_000
"""So many are remembered; one that was forgotten begins anew."""


@dataclass(slots=True)
class Rates:
    """Lets each caller send so many requests a second, and those of ten seconds at once.

    It counts in one process: a limit for all of them is the gateway's business.
    """

    per_s: float | None
    burst_s: float = 10.0
    clock: Callable[[], float] = time.monotonic
    _free_at: OrderedDict[str, float] = field(default_factory=OrderedDict, init=False)
    _lock: Lock = field(default_factory=Lock, init=False)

    def take(self, caller: str) -> None:
        """Count a request of a caller, or refuse it."""
        if self.per_s is None:
            return
        with self._lock:
            now = self.clock()
            free_at = max(self._free_at.pop(caller, now), now)
            wait = free_at - now - self.burst_s
            if wait <= 0:
                free_at += 1 / self.per_s
            self._free_at[caller] = free_at
            if len(self._free_at) > CALLERS:
                self._free_at.popitem(last=False)
        if wait > 0:
            raise Problem(
                429, "Too many requests: wait", headers={"Retry-After": str(int(wait) + 1)}
            )


@dataclass(frozen=True, slots=True)
class BodyLimit:
    """Refuses bodies that are too large, when their length says so or while they come in."""

    app: ASGIApp
    max_bytes: int
    larger: Mapping[str, int] = field(default_factory=dict)
    """What paths that begin so may have."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, as long as it is small enough."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        most = next((n for begin, n in self.larger.items() if path.startswith(begin)), None)
        most = self.max_bytes if most is None else most
        length = dict(scope["headers"]).get(b"content-length", b"0")
        if length.isdigit() and int(length) > most:
            refusal = answer(413, _reason(most), headers={"Connection": "close"})
            await refusal(scope, receive, send)
        else:
            await self.app(scope, _counted(receive, most), send)


def _counted(receive: Receive, most: int) -> Receive:
    seen = 0

    async def receive_some() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > most:
            raise Problem(413, _reason(most))
        return message

    return receive_some


def _reason(most: int) -> str:
    return f"A request may have {most:,} bytes at most"
