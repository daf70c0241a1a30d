"""Choices, made from bytes that hypothesis draws: what every generator here is made of.

A generator is a plain function that is given the dice. The first of several options is the
simplest and is what zeros stand for, so that hypothesis shrinks what it finds. It draws once for
each step and not for each choice: strategies for all the small parts took ten times as long.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

_BYTE = 256


class Dice:
    """Makes the choices of one table or step; once the bytes are used up, the simplest ones."""

    def __init__(self, entropy: bytes) -> None:
        self._bytes = iter(entropy)

    def below(self, count: int) -> int:
        """Choose a number from 0 on."""
        number, numbers = 0, 1
        while numbers < count:
            number = number * _BYTE + next(self._bytes, 0)
            numbers *= _BYTE
        return number * count // numbers

    def between(self, low: int, high: int) -> int:
        """Choose a number, both bounds included."""
        return low + self.below(high - low + 1)

    def pick(self, options: Sequence[T]) -> T:
        """Choose one of the options; the first is the simplest."""
        return options[self.below(len(options))]

    def some(self, options: Sequence[T], percent: int = 50) -> list[T]:
        """Choose any number of the options, in their order."""
        return [option for option in options if self.chance(percent)]

    def chance(self, percent: int) -> bool:
        """Say yes so often; no is simpler."""
        return self.below(_BYTE) >= _BYTE - percent * _BYTE // 100
