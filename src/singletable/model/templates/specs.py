"""What a format specification does to a field's format: ``{order:05d}``, ``{day:%Y-%m}``, ...

Every specification wraps the format of the field's type. Only those exist that keep keys sorted or
unambiguous; Python's other format specifications would do neither.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote
from zlib import crc32

from singletable.errors import DesignError
from singletable.values import DIGITS_MAX

from .formats import Counted, Format, Refusal
from .times import bucket

SHARDS_MAX = 1000

_HELP = (
    "there are 05d and 05d desc (int), desc (datetime, date), %Y-%m-%d and the like (datetime, "
    "date), escaped and lower (str), shard 10 (any)"
)


@dataclass(frozen=True, slots=True)
class Digits(Format):
    """Writes the number of a value in digits of one width; falling, from 99999, if it descends."""

    inner: Counted
    width: int
    descends: bool = False

    name = "a number of fixed width"

    def render(self, value: Any) -> str:
        """Write a value, or refuse it."""
        number = self.inner.number(value)
        if number < 0:
            raise Refusal("it is negative, and would not sort: only 0 and more can be padded")
        top = 10**self.width - 1
        if number > top:
            raise Refusal(f"it has more than {self.width} digits: widen the format")
        return f"{top - number if self.descends else number:0{self.width}d}"

    def read(self, text: str) -> Any:
        """Read the value of a number."""
        number = int(text)
        return self.inner.value(10**self.width - 1 - number if self.descends else number)

    def first(self, operand: Any) -> Any:
        """Give what the field's type says."""
        return self.inner.first(operand)

    def last(self, operand: Any) -> Any:
        """Give what the field's type says."""
        return self.inner.last(operand)

    def previous(self, text: str) -> str | None:
        """Give the number before."""
        return f"{int(text) - 1:0{self.width}d}" if int(text) else None


@dataclass(frozen=True, slots=True)
class Lower(Format):
    """Writes text in lower case, so that a search need not know the case."""

    inner: Format

    name = "text in lower case"
    lossy = True
    textual = True

    def render(self, value: Any) -> str:
        """Write a value, or refuse it."""
        return self.inner.render(value).lower()

    def matches(self, text: str) -> bool:
        """Tell whether the text is in lower case."""
        return text == text.lower()

    def opening(self, prefix: Any) -> str:
        """Write the beginning of a value."""
        return self.inner.opening(prefix).lower()


@dataclass(frozen=True, slots=True)
class Escaped(Format):
    """Writes text with percent signs for the characters that would end it: any text can be a key.

    Escaping changes the order, so there are no ranges over it.
    """

    inner: Format
    special: str

    name = "escaped text"
    ordered = False
    textual = True

    def render(self, value: Any) -> str:
        """Write a value, or refuse it."""
        return self._escaped(self.inner.render(value))

    def read(self, text: str) -> Any:
        """Read escaped text."""
        return self.inner.read(unquote(text, errors="strict"))

    def opening(self, prefix: Any) -> str:
        """Write the beginning of a value."""
        return self._escaped(self.inner.opening(prefix))

    def _escaped(self, text: str) -> str:
        return text.translate({ord(char): _escape(char) for char in self.special})


@dataclass(frozen=True, slots=True)
class Shard(Format):
    """Writes the number of one of ``count`` shards, which is found from the value alone."""

    inner: Format
    count: int
    width: int

    name = "a shard"
    ordered = False
    lossy = True

    def render(self, value: Any) -> str:
        """Write the shard of a value."""
        return self._text(crc32(self.inner.render(value).encode()) % self.count)

    def matches(self, text: str) -> bool:
        """Tell whether there is such a shard."""
        return text in self.texts()

    def texts(self) -> tuple[str, ...]:
        """Give all shards, in order."""
        return tuple(map(self._text, range(self.count)))

    def _text(self, number: int) -> str:
        return f"{number:0{self.width}d}"


def specified(plain: Format, spec: str, special: str) -> Format:
    """Give the format of a specification; ``special`` are the characters that must be escaped."""
    if not spec:
        return plain
    if "%" in spec:
        return bucket(plain, spec)
    if spec in {"lower", "escaped"}:
        if not plain.textual:
            raise DesignError(f"{spec!r} is for str, and the field is {plain.name}")
        return Lower(plain) if spec == "lower" else Escaped(plain, special)
    if shard := re.fullmatch("shard ([1-9][0-9]*)", spec):
        return _shard(plain, int(shard[1]))
    return _digits(plain, spec)


def _shard(plain: Format, count: int) -> Shard:
    if not 1 < count <= SHARDS_MAX:
        raise DesignError(f"there are 2 to {SHARDS_MAX} shards, not {count}")
    return Shard(plain, count, len(str(count - 1)))


def _digits(plain: Format, spec: str) -> Digits:
    found = re.fullmatch("(?:0([1-9][0-9]?)d)?(^desc| desc)?", spec)
    if found is None:
        raise DesignError(f"there is no format {spec!r}: {_HELP}")
    padding, descends = found.groups()
    if not isinstance(plain, Counted) or (padding is None) == (plain.digits is None):
        raise DesignError(f"the format {spec!r} does not fit {plain.name}: {_HELP}")
    width = plain.digits or int(padding)
    if width > DIGITS_MAX:
        raise DesignError(f"numbers have up to {DIGITS_MAX} digits, not {width}")
    return Digits(plain, width, descends=bool(descends))


def _escape(char: str) -> str:
    return "".join(f"%{byte:02X}" for byte in char.encode())
