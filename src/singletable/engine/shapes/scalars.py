"""Shapes of single values."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, ClassVar

from .base import (
    NO_FAULTS,
    Fault,
    Shape,
    Source,
    at_least,
    at_most,
    length_faults,
    mismatch,
    plain_text,
)

YEAR_10000 = 253_402_300_800
"""The first moment that Python's ``datetime`` cannot tell, in seconds since the epoch."""


@dataclass(frozen=True, kw_only=True)
class String(Shape):
    """A text with bounds, a pattern or a set of allowed values.

    ``rule`` is a check with words of its own, which the service makes only after every constraint
    of the request holds.
    """

    min: int = 0
    max: int | None = None
    pattern: str | None = None
    enum: tuple[str, ...] = ()
    rule: Callable[[str], None] | None = None

    def read(self, value: Any, _source: Source, /) -> str:
        """Take a text."""
        if type(value) is str and value.isascii():
            return value
        if isinstance(value, str):
            return plain_text(value)
        raise mismatch(value, "String")

    def faults(self, value: str, /) -> Sequence[Fault]:
        """List the constraints that a text breaks."""
        if self.enum:
            return NO_FAULTS if value in self.enum else [Fault("", value, self.rules[-1])]
        faults = length_faults(value, self.min, self.max)
        if self.pattern and self._compiled and not self._compiled.fullmatch(value):
            return [Fault("", value, self.rules[-1]), *faults]
        return faults

    @property
    def constrained(self) -> bool:
        """Tell whether there is a text that this shape refuses."""
        return bool(self.min or self.max is not None or self.pattern or self.enum)

    @cached_property
    def _compiled(self) -> re.Pattern[str] | None:
        return re.compile(self.pattern) if self.pattern else None

    @property
    def rules(self) -> list[str]:
        """Spell out the constraints."""
        if self.enum:
            return [f"Member must satisfy enum value set: [{', '.join(self.enum)}]"]
        bounds = [] if self.max is None else [at_most(self.max), at_least(self.min)]
        if self.pattern is None:
            return bounds
        return [*bounds, f"Member must satisfy regular expression pattern: {self.pattern}"]


@dataclass(frozen=True, kw_only=True)
class Integer(Shape):
    """A whole number of 32 bits; the service cuts off a fraction."""

    min: int | None = None
    max: int | None = None
    bits: ClassVar[int] = 32

    def read(self, value: Any, _source: Source, /) -> int:
        """Take a number."""
        if _is_number(value) and value - value == 0:  # neither infinite nor NaN
            number = int(value)
            if -(1 << self.bits - 1) <= number < 1 << self.bits - 1:
                return number
        raise mismatch(value, type(self).__name__)

    def faults(self, value: int, /) -> Sequence[Fault]:
        """List the bounds that a number breaks."""
        if self.min is not None and value < self.min:
            text = f"Member must have value greater than or equal to {self.min}"
            return [Fault("", value, text)]
        if self.max is not None and value > self.max:
            return [Fault("", value, f"Member must have value less than or equal to {self.max}")]
        return NO_FAULTS


@dataclass(frozen=True, kw_only=True)
class Long(Integer):
    """A whole number of 64 bits."""

    bits: ClassVar[int] = 64


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


@dataclass(frozen=True, kw_only=True)
class Boolean(Shape):
    """True or false."""

    def read(self, value: Any, _source: Source, /) -> bool:
        """Take a truth value."""
        if type(value) is bool:
            return value
        raise mismatch(value, "Boolean")


@dataclass(frozen=True, kw_only=True)
class Timestamp(Shape):
    """A moment: epoch seconds on the wire, also a ``datetime`` in process; read as a float.

    A ``datetime`` without a time zone is in UTC, as it is for boto3.
    """

    def read(self, value: Any, _source: Source, /) -> float:
        """Take a moment."""
        seconds = _seconds(value) if isinstance(value, datetime) else value
        if _is_number(seconds) and abs(seconds) < YEAR_10000:
            return float(seconds)
        raise mismatch(value, "Date")


def _seconds(moment: datetime) -> float:
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
