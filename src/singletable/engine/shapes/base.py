"""What every shape has, and how mismatches and faults are worded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, NamedTuple, Protocol, Self

from singletable.errors import SerializationException, ValidationException


class Fault(NamedTuple):
    """One broken constraint: where (below the shape that found it), the value, the rule."""

    path: str
    value: Any
    constraint: str

    def under(self, prefix: str) -> Fault:
        """Move the fault below a member or an element."""
        path = f"{prefix}.{self.path}" if self.path else prefix
        return Fault(path, self.value, self.constraint)

    def __str__(self) -> str:
        value = "null" if self.value is None else f"'{as_java(self.value)}'"
        return f"Value {value} at '{self.path}' failed to satisfy constraint: {self.constraint}"


class FaultyError(Exception):
    """Some constraint is broken; which ones, only a judgement of the whole request tells."""


class Source(Protocol):
    """Where a request comes from, which decides how bytes look and what may be there."""

    def blob(self, value: Any) -> bytes:
        """Take bytes in the form that this source gives them."""

    def unknown(self, name: str, known: Iterable[str]) -> None:
        """Pass over a member that the shape does not have, or refuse it."""


NOT_NULL = "Member must not be null"
FAULTS_MAX = 100
"""How many faults of one list or map are told."""
SHOWN_PIECES_MAX = 100_000
SHOWN_DEPTH_MAX = 64
NO_FAULTS: Sequence[Fault] = ()


@dataclass(frozen=True, kw_only=True)
class Shape:
    """The declared form of one value in a request."""

    is_required: bool = False

    @property
    def required(self) -> Self:
        """Give the same shape as a member that must be there."""
        return replace(self, is_required=True)

    def read(self, value: Any, source: Source, /) -> Any:
        """Check the types and decode what the wire encodes; the argument stays as it is."""
        raise NotImplementedError

    def faults(self, _value: Any, /) -> Sequence[Fault]:
        """List the constraints that a value of the right type breaks."""
        return NO_FAULTS

    def accept(self, value: Any, source: Source, /) -> Any:
        """Do both at once, as long as no constraint is broken."""
        read = self.read(value, source)
        if self.faults(read):
            raise FaultyError
        return read

    @property
    def constrained(self) -> bool:
        """Tell whether a value of the right type can be at fault."""
        return type(self).faults is not Shape.faults

    @property
    def rules(self) -> list[str]:
        """Spell out the constraints, as a list or map does for all of its elements."""
        return []


@dataclass(frozen=True)
class Unsupported(Shape):
    """A member that this engine does not support: refused, rather than passed over."""

    name: str

    def read(self, _value: Any, _source: Source, /) -> Any:
        """Refuse whatever is given."""
        raise ValidationException(f"{self.name} is not supported by the embedded engine")


def length_faults(value: Any, least: int, most: int | None) -> Sequence[Fault]:
    """List what is wrong with the length of a text, list or map."""
    length = len(value)
    if length < least:
        return [Fault("", value, at_least(least))]
    if most is not None and length > most:
        return [Fault("", value, at_most(most))]
    return NO_FAULTS


def at_least(length: int) -> str:
    """Word the rule for a least length."""
    return f"Member must have length greater than or equal to {length}"


def at_most(length: int) -> str:
    """Word the rule for a greatest length."""
    return f"Member must have length less than or equal to {length}"


def plain_text(text: str) -> str:
    """Give a text of any subclass as one of ``str``; refuse half of a surrogate pair."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise SerializationException(f"A string is not valid Unicode: {error.reason}") from error
    return str.__str__(text)


def mismatch(value: Any, target: str) -> SerializationException:
    """Word what the service's JSON reader says of a value in the wrong place."""
    if isinstance(value, dict):
        return SerializationException("Start of structure or map found where not expected")
    if isinstance(value, list | tuple):
        return SerializationException("Start of list found where not expected")
    if target == "Boolean":
        return SerializationException("Unexpected token received from parser")
    if target in ("List", "Map", "Structure"):
        return SerializationException("Unexpected field type")
    return SerializationException(f"{_token(value)} cannot be converted to {target}")


def _token(value: Any) -> str:
    """Name the JSON token that a Python value comes from."""
    if isinstance(value, bool):
        return "TRUE_VALUE" if value else "FALSE_VALUE"
    if value is None:
        return "NULL_VALUE"
    kind = type(value)
    return _TOKENS.get(kind, kind.__name__)


_TOKENS = {str: "STRING_VALUE", int: "NUMBER_VALUE", float: "DECIMAL_VALUE"}


def as_java(value: Any) -> str:
    """Print a value the way the service's messages do; of a huge one, the beginning."""
    return "".join(islice(_pieces(value, 0), SHOWN_PIECES_MAX))


def _pieces(value: Any, depth: int) -> Iterator[str]:
    if depth > SHOWN_DEPTH_MAX:
        yield "..."
    elif isinstance(value, dict):
        yield "{"
        for at, (key, each) in enumerate(value.items()):
            yield f", {key}=" if at else f"{key}="
            yield from _pieces(each, depth + 1)
        yield "}"
    elif isinstance(value, list | tuple):
        yield "["
        for at, each in enumerate(value):
            if at:
                yield ", "
            yield from _pieces(each, depth + 1)
        yield "]"
    else:
        yield str(value).lower() if isinstance(value, bool) else str(value)
