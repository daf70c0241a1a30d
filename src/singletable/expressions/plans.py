"""What was made for the requests seen last, and serves those like them: plans, and texts.

Two generations: when the younger is full it becomes the older, and what the older had and nobody
asked for since is gone. That costs a lookup less than keeping an exact order of use, and needs no
lock between threads.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

P = TypeVar("P")

PLANS_MAX = 512
"""How many plans a generation holds."""

PLAN_SIZE_MAX = 8192
"""The length of a request's texts and names together above which its plan is not kept."""


class Plans(Generic[P]):
    """Keeps plans by what they hang on."""

    def __init__(self) -> None:
        self._young: dict[Hashable, P] = {}
        self._old: dict[Hashable, P] = {}

    def __len__(self) -> int:
        return len(self._young.keys() | self._old.keys())

    def get(self, key: Hashable) -> P | None:
        """Give the plan that was kept, or None."""
        plan = self._young.get(key)
        if plan is None and (plan := self._old.get(key)):
            self._add(key, plan)
        return plan

    def keep(self, key: Hashable, plan: P, size: int) -> None:
        """Keep a plan, unless it is large."""
        if size <= PLAN_SIZE_MAX:
            self._add(key, plan)

    def _add(self, key: Hashable, plan: P) -> None:
        if len(self._young) >= PLANS_MAX:
            self._old, self._young = self._young, {}
        self._young[key] = plan
