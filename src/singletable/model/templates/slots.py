"""A slot of a key template: where a field stands, how it is written, and where it ends.

A text that would end early, or could be taken for what follows it, is refused: so no two sets of
values make one key, and no value reaches outside the prefix that it is part of.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from dataclasses import field as member
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from typing import Any

from singletable.errors import KeyValueError, UsageError
from singletable.model.moments import text_of

from .formats import Format, Refusal, Text
from .specs import Shard
from .times import Bucket, Moment

BUCKETS_MAX = 1000
"""Over how many partitions one read may be spread."""
_SHOWN_MAX = 100


@dataclass(frozen=True, slots=True)
class Slot:
    """A field in a key template; ``follow`` is the literal behind it, None if it is the last.

    ``stops`` are the texts that end it; a slot of fixed width needs none.
    """

    field: str
    format: Format
    follow: str | None
    stops: tuple[str, ...]
    where: str
    write: Callable[[Any], str] = member(init=False, repr=False, compare=False)
    """Writes a value, or refuses it."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "write", self._writer())

    @property
    def scatters(self) -> bool:
        """Say whether its values are spread over shards."""
        return isinstance(self.format, Shard)

    @property
    def shards(self) -> tuple[str, ...]:
        """Give the texts of all shards."""
        return self.format.texts() if isinstance(self.format, Shard) else ()

    @property
    def is_bucket(self) -> bool:
        """Say whether it is a time bucket."""
        return isinstance(self.format, Bucket)

    @property
    def pattern(self) -> str:
        """Give the regular expression of the texts that can stand here."""
        if self.format.width:
            return f"(.{{{self.format.width}}})"
        stops = "".join(f"(?!{re.escape(stop)})" for stop in self.stops)
        return f"((?:{stops}.)+)"

    def _text(self, value: Any) -> str:
        return self._written(self.format.render, value)

    def _writer(self) -> Callable[[Any], str]:
        """Give what writes a value, made faster for texts and times, which most slots hold."""
        stop, slowly = "".join(self.stops), self._text
        if isinstance(self.format, Moment):
            return partial(_write_moment, slowly)
        if not isinstance(self.format, Text) or len(stop) > 1:
            return slowly

        def quickly(value: Any) -> str:
            plain = value.__class__ is str and value and value.isascii() and stop not in value
            return value if plain else slowly(value)

        return quickly

    def first(self, operand: Any) -> str:
        """Write the first value that an operand of a comparison stands for."""
        return self._written(lambda given: self.format.render(self.format.first(given)), operand)

    def last(self, operand: Any) -> str:
        """Write the last value that an operand of a comparison stands for."""
        return self._written(lambda given: self.format.render(self.format.last(given)), operand)

    def opening(self, prefix: Any) -> str:
        """Write the beginning of a value; one that reaches into what follows is refused."""
        return self._written(self._opening, prefix)

    def buckets(self, low: Any, high: Any) -> tuple[str, ...]:
        """Give the texts of the time buckets from that of ``low`` to that of ``high``."""
        if not isinstance(self.format, Bucket):
            raise UsageError(f"{self.where}: {self.field} is not written as a time bucket")
        self._written(self.format.earliest, low)
        self._written(self.format.latest, high)
        texts = tuple(islice(self.format.texts(low, high), BUCKETS_MAX + 1))
        if not texts:
            raise UsageError(f"{self.where}: {low} is after {high}: give the earlier one first")
        if len(texts) > BUCKETS_MAX:
            raise UsageError(
                f"{self.where}: {low} to {high} is more than {BUCKETS_MAX} buckets of "
                f"{self.field}: ask for less, or choose larger buckets"
            )
        return texts

    def fault(self, text: str) -> str | None:
        """Say why a text cannot stand here; None if it can."""
        if not text:
            return "it is empty: give it a value"
        for stop in self.stops:
            if (text + stop).find(stop) != len(text):
                cure = f"write {{{self.field}:escaped}}, or " * self.format.textual
                return f"it holds {stop!r}, where the field ends: {cure}choose another value"
        return None

    def _written(self, render: Callable[[Any], str], value: Any) -> str:
        try:
            text = render(value)
            text.encode()
            fault = self.fault(text)
            if fault is None:
                return text
        except UnicodeEncodeError:
            fault = "it holds a lone surrogate, which is no text"
        except (ValueError, OverflowError) as error:
            fault = str(error)
        shown = repr(value)[:_SHOWN_MAX]
        raise KeyValueError(f"{self.where}: {self.field}={shown} is refused: {fault}")

    def _opening(self, prefix: Any) -> str:
        text = self.format.opening(prefix)
        for stop in self.stops:
            if any(text.endswith(stop[:size]) for size in range(1, len(stop))):
                raise Refusal(f"it ends as {stop!r} begins, where the field ends: lengthen it")
        return text


def _write_moment(slowly: Callable[[Any], str], value: Any) -> str:
    """Write a moment; nothing ends one early, as all are of one width."""
    if value.__class__ is datetime and value.tzinfo is UTC:
        return text_of(value) + "Z"
    return slowly(value)
