"""What was made for the requests seen last, and serves those like them: plans, texts, judgements.

Two generations: when the younger is full it becomes the older, and what the older had and nobody
asked for since is gone. That costs a lookup less than keeping an exact order of use, and needs no
lock between threads.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

T = TypeVar("T")

GENERATION_MAX = 512
"""How many things a generation holds."""

SIZE_MAX = 8192
"""The length of a request's texts and names together above which nothing of it is kept."""


class Recent(Generic[T]):
    """Keeps things by what they depend on."""

    def __init__(self) -> None:
        self._young: dict[Hashable, T] = {}
        self._old: dict[Hashable, T] = {}

    def __len__(self) -> int:
        return len(self._young.keys() | self._old.keys())

    def get(self, key: Hashable) -> T | None:
        """Give what was kept, or None."""
        found = self._young.get(key)
        if found is None and (found := self._old.get(key)):
            self._add(key, found)
        return found

    def keep(self, key: Hashable, thing: T, size: int) -> None:
        """Keep a thing, unless it was made for a large request."""
        if size <= SIZE_MAX:
            self._add(key, thing)

    def _add(self, key: Hashable, thing: T) -> None:
        if len(self._young) >= GENERATION_MAX:
            self._old, self._young = self._young, {}
        self._young[key] = thing
