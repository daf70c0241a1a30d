"""Spans of key texts: what a key condition can express, and the order that it relies on.

DynamoDB orders strings by their UTF-8 bytes, which is the order of code points and hence Python's.
Both ends of a span are inclusive, as those of BETWEEN are: the end of a prefix is the first text
behind it, so a span may hold that one text too many, but never one too few.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Self

from singletable.errors import UsageError

_SURROGATES_FIRST, _SURROGATES_LAST = 0xD800, 0xDFFF
_LAST = "\U0010ffff"


@dataclass(frozen=True, slots=True)
class Span:
    """The texts from ``low`` to ``high``, or those that are ``exact`` or begin with ``prefix``.

    Every span has ``low`` and ``high``, of which None is an open end.
    """

    low: str | None = None
    high: str | None = None
    exact: str | None = None
    prefix: str | None = None

    @classmethod
    def one(cls, text: str) -> Self:
        """Make the span of one text."""
        return cls(text, text, exact=text)

    @classmethod
    def starting(cls, prefix: str) -> Self:
        """Make the span of all texts that begin with ``prefix``; the empty prefix is no limit."""
        return cls(prefix, end(prefix), prefix=prefix) if prefix else cls()

    @classmethod
    def cover(cls, spans: Iterable[Self]) -> Self:
        """Give the smallest span that holds all of the ``spans``."""
        spans = tuple(spans)
        for span in spans:
            if all(span.holds(other) for other in spans):
                return span
        lows = [span.low for span in spans if span.low is not None]
        highs = [span.high for span in spans if span.high is not None]
        low = None if len(lows) < len(spans) else min(lows)
        high = None if len(highs) < len(spans) else max(highs)
        return cls(low, high)

    def __contains__(self, text: str) -> bool:
        if self.prefix is not None:
            return text.startswith(self.prefix)
        return (self.low is None or self.low <= text) and (self.high is None or text <= self.high)

    def holds(self, other: Span) -> bool:
        """Tell whether every text of another span is one of this."""
        low = self.low is None or (other.low is not None and other.low in self)
        high = self.high is None or (other.high is not None and other.high in self)
        return self == other or (low and high)


@lru_cache(maxsize=1024)
def end(prefix: str) -> str | None:
    """Give the first text behind all that begin with ``prefix``; None if there is none."""
    kept = prefix.rstrip(_LAST)
    return kept[:-1] + _shifted(kept[-1], 1) if kept else None


def below(text: str) -> str:
    """Give the closest that can be written to the last text before ``text``."""
    if text == "\0":
        raise UsageError("nothing sorts before the first text of all")
    if text[-1] == "\0":
        return text[:-1]
    return text[:-1] + _shifted(text[-1], -1) + _LAST


def _shifted(char: str, by: int) -> str:
    """Give the neighbour of a character; surrogates cannot stand in a text."""
    code = ord(char) + by
    if _SURROGATES_FIRST <= code <= _SURROGATES_LAST:
        code = _SURROGATES_LAST + 1 if by > 0 else _SURROGATES_FIRST - 1
    return chr(code)
