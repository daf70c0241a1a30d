"""How a field's value is written in a key: one format for each type of field.

A format renders strictly: a value of another type is refused and never converted, because two
values that make one key would be one item. Dates and moments are in ``times``; what a format
specification adds (padding, descending order, shards, ...) is in ``specs``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum
from typing import Any, ClassVar, TypeVar
from uuid import UUID

from singletable.values import DIGITS_MAX, format_number

T = TypeVar("T")


class Refusal(ValueError):
    """Says why a value cannot be written; who knows the field makes it a KeyValueError."""


class Format:
    """Writes values of one type as text and reads them back, or refuses them."""

    __slots__ = ()

    name: ClassVar[str]
    width: int = 0
    """How long every text is; 0 where that differs."""
    ordered: bool = True
    """Whether texts sort as their values do, forwards or backwards."""
    descends: bool = False
    """Whether texts sort from the last value to the first."""
    lossy: bool = False
    """Whether a text leaves open which value it was."""
    textual: bool = False
    """Whether the values are text."""

    def render(self, value: Any) -> str:
        """Write a value, or refuse it."""
        raise NotImplementedError

    def read(self, text: str) -> Any:
        """Read what ``render`` wrote; anything else is refused, or read as another value."""
        raise NotImplementedError

    def matches(self, text: str) -> bool:
        """Tell whether ``render`` could have written the text; needed only of a lossy format."""
        raise NotImplementedError

    def opening(self, prefix: Any) -> str:
        """Write the beginning of a value, where values begin as their texts do."""
        raise Refusal(f"begins_with needs text, and the field is {self.name}: use between")

    def first(self, operand: Any) -> Any:
        """Give the first value that an operand of a comparison stands for."""
        return operand

    def last(self, operand: Any) -> Any:
        """Give the last value that an operand of a comparison stands for."""
        return operand

    def previous(self, text: str) -> str | None:
        """Give the text directly before ``text``, where that is known."""
        return None

    def samples(self) -> Iterator[str]:
        """Give texts that show every punctuation mark that this format always writes."""
        return iter(())

    def cure(self, field: str) -> str:
        """Say what makes the field sort, where this does not; empty if nothing does."""
        return ""


class Counted(Format):
    """A format whose values can be counted: each has a number, and the next has the next."""

    __slots__ = ()

    digits: ClassVar[int | None]
    """How many digits the largest number has; None where there is no largest."""

    def number(self, value: Any) -> int:
        """Give the number of a value, or refuse the value."""
        raise NotImplementedError

    def value(self, number: int) -> Any:
        """Give the value of a number."""
        raise NotImplementedError

    def shifted(self, value: Any, by: int) -> Any:
        """Give the value ``by`` places further on; None past the first and the last."""
        try:
            return self.value(self.number(value) + by)
        except (ValueError, OverflowError):
            return None


@dataclass(frozen=True, slots=True)
class Text(Format):
    """Writes a str as it is."""

    name = "str"
    textual = True

    def render(self, value: Any) -> str:
        """Write a value, or refuse it."""
        if value.__class__ is str:
            return value
        return str.__str__(strictly(value, str))

    def read(self, text: str) -> str:
        """Read a text: it is its value."""
        return text

    def opening(self, prefix: Any) -> str:
        """Write the beginning of a value: the beginning itself."""
        return self.render(prefix)


@dataclass(frozen=True, slots=True)
class Integer(Counted):
    """Writes an int in plain decimal, which does not sort as numbers do."""

    name = "int"
    ordered = False
    digits = None

    def render(self, value: Any) -> str:
        """Write a value, or refuse it."""
        number = self.number(value)
        if abs(number) >= 10**DIGITS_MAX:
            raise Refusal(f"it has more than {DIGITS_MAX} digits, which DynamoDB cannot hold")
        return str(number)

    def read(self, text: str) -> int:
        """Read a number."""
        return int(text)

    def number(self, value: Any) -> int:
        """Give the int itself; a bool is refused."""
        if isinstance(value, bool):
            raise Refusal(expects("int", value))
        return int(strictly(value, int))

    def value(self, number: int) -> int:
        """Give the number itself."""
        return number

    def cure(self, field: str) -> str:
        """Say how to pad it."""
        return f"write {{{field}:05d}}"


@dataclass(frozen=True, slots=True)
class Number(Format):
    """Writes a Decimal plainly, without exponent and needless zeros; it does not sort."""

    name = "Decimal"
    ordered = False

    def render(self, value: Any) -> str:
        """Write a value, or refuse it."""
        number = strictly(value, Decimal)
        if not number.is_finite():
            raise Refusal("it is not a finite number")
        if len(number.as_tuple().digits) > DIGITS_MAX or abs(number.adjusted()) > DIGITS_MAX:
            raise Refusal(f"it needs more than {DIGITS_MAX} digits")
        return format_number(number)

    def read(self, text: str) -> Decimal:
        """Read a number."""
        return Decimal(text)

    def cure(self, field: str) -> str:
        """Say what to keep instead: only whole numbers can be padded."""
        return f"keep it as an int, in cents or the like, and write {{{field}:05d}}"


@dataclass(frozen=True, slots=True)
class Flag(Format):
    """Writes a bool as true or false."""

    name = "bool"

    def render(self, value: Any) -> str:
        """Write a value, or refuse it."""
        return "true" if strictly(value, bool) else "false"

    def read(self, text: str) -> bool:
        """Read a flag."""
        return text == "true"


@dataclass(frozen=True, slots=True)
class Uuid(Format):
    """Writes a UUID with hyphens, in lower case."""

    name = "UUID"
    width = 36

    def render(self, value: Any) -> str:
        """Write a value, or refuse it."""
        return str(strictly(value, UUID))

    def read(self, text: str) -> UUID:
        """Read a UUID."""
        return UUID(text)

    def samples(self) -> Iterator[str]:
        """Show the hyphens."""
        yield str(UUID(int=0))


@dataclass(frozen=True, slots=True)
class Choice(Format):
    """Writes the members of an Enum or a Literal as their values, and admits nothing else."""

    inner: Format
    members: tuple[Any, ...]
    ordered: bool = field(init=False)
    textual: bool = field(init=False)
    _texts: dict[tuple[type, Any], str] = field(init=False, repr=False, compare=False)
    _members: dict[str, Any] = field(init=False, repr=False, compare=False)

    name = "one of a few values"

    def __post_init__(self) -> None:
        texts = {(type(plain), plain): self.inner.render(plain) for plain in self._plain()}
        for member, plain in zip(self.members, self._plain(), strict=True):
            texts[type(member), member] = texts[type(plain), plain]
        object.__setattr__(self, "ordered", self.inner.ordered)
        object.__setattr__(self, "textual", self.inner.textual)
        object.__setattr__(self, "_texts", texts)
        object.__setattr__(self, "_members", {self.render(each): each for each in self.members})
        if len(self._members) < len(self.members):
            raise Refusal("two of its values are written alike")

    def render(self, value: Any) -> str:
        """Write a member or its value, or refuse it."""
        try:
            return self._texts[value.__class__, value]
        except (KeyError, TypeError):
            known = ", ".join(map(repr, self._plain()))
            raise Refusal(f"it is none of {known}") from None

    def read(self, text: str) -> Any:
        """Read a member."""
        if text not in self._members:
            raise Refusal("no member is written so")
        return self._members[text]

    def opening(self, prefix: Any) -> str:
        """Write the beginning of a value as the values' format does."""
        return self.inner.opening(prefix)

    def samples(self) -> Iterator[str]:
        """Show every text that there is."""
        return iter(self._members)

    def cure(self, field: str) -> str:
        """Say what the values' format does."""
        return self.inner.cure(field)

    def _plain(self) -> list[Any]:
        return [each.value if isinstance(each, Enum) else each for each in self.members]


class CountedChoice(Choice, Counted):
    """A choice whose values are ints."""

    __slots__ = ()

    digits = None

    def number(self, value: Any) -> int:
        """Give the number of a member whose value is an int."""
        return int(self.render(value))

    def value(self, number: int) -> Any:
        """Give the member of a number."""
        return self.read(str(number))


def strictly(value: Any, expected: type[T]) -> T:
    """Give a value that is of the expected type, or refuse it."""
    if not isinstance(value, expected):
        raise Refusal(expects(expected.__name__, value))
    return value


def expects(name: str, value: Any) -> str:
    """Say that a value is not of the type of its field."""
    if value is None:
        return f"it has no value, and the key needs one of type {name}"
    return f"it is of type {type(value).__name__}, and the field is of type {name}"
