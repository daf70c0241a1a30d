"""When a deadline acts."""

from __future__ import annotations

import asyncio

from singletable.server.deadlines import Deadline


def test_a_deadline_looked_at_a_hair_too_early_is_kept() -> None:
    """There is no timer for less than a tick: uvloop would call at once, again and again."""
    kept: list[float] = []

    async def wait(seconds: float) -> None:
        deadline = Deadline(lambda: kept.append(seconds))
        deadline.set(seconds)
        deadline.cancel()
        deadline._look()

    for seconds in (0.0005, 1):
        asyncio.run(wait(seconds))
    assert kept == [0.0005]
