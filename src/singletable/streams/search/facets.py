"""Values to filter by, in the one form that every index can hold: a text, and perhaps a number.

The text is for equality and is exact, whatever the type. The number is for spans: of numbers, as
64-bit floats, and of times, as seconds.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal
from functools import cached_property
from hashlib import sha256
from typing import Any, NamedTuple, get_args, get_origin

from pydantic import TypeAdapter, ValidationError

from singletable.errors import UsageError
from singletable.model.codec import encode
from singletable.model.hints import allows
from singletable.model.reads import Between
from singletable.model.schema import Schema

TEXT_MAX = 200
"""How many characters of a value stand in an index; a longer one stands as its digest."""
COLLECTIONS = (list, tuple, set, frozenset)


class Facet(NamedTuple):
    """One value of a field that is filtered by."""

    text: str
    number: float | None = None


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Asks for documents that have one of these values."""

    field: str
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Span:
    """Asks for documents with a number between two, both included; None is no end."""

    field: str
    low: float | None
    high: float | None


Test = AnyOf | Span


@dataclass(frozen=True)
class Filter:
    """A field of an entity that a search can be narrowed by."""

    schema: Schema
    name: str

    def facets(self, value: Any) -> list[Facet]:
        """Give what an index holds of a value; of None, nothing; of a collection, its members."""
        if value is None:
            return []
        if isinstance(value, COLLECTIONS):
            return sorted({facet for one in value for facet in self.facets(one)})
        return [Facet(self._text(value), number_of(value))]

    def test(self, wanted: Any) -> Test:
        """Read what a search asks of the field: a value, several of them, or ``between``."""
        if isinstance(wanted, Between):
            return self._span(wanted.low, wanted.high)
        if type(wanted) is date and self._has_moments:
            return self._span(wanted, wanted)
        several = wanted if isinstance(wanted, COLLECTIONS) else (wanted,)
        return AnyOf(self.name, tuple(self._text(self.checked(one)) for one in several))

    def checked(self, value: Any) -> Any:
        """Give a value as the field has it, or refuse it."""
        try:
            if value is not None:
                return self._adapter.validate_python(value)
        except ValidationError as fault:
            why = fault.errors()[0]["msg"]
            raise UsageError(
                f"{self.schema.name}.{self.name}={value!r} fits no item: {why}"
            ) from None
        raise UsageError(f"{self.schema.name}.{self.name}=None finds nothing: give a value")

    def _span(self, low: Any, high: Any) -> Span:
        return Span(self.name, self._end(low, time.min), self._end(high, time.max))

    def _end(self, value: Any, of_day: time) -> float | None:
        if value is None:
            return None
        if type(value) is date and self._has_moments:
            value = datetime.combine(value, of_day, UTC)
        number = number_of(self.checked(value))
        if number is None:
            raise UsageError(
                f"{self.schema.name}.{self.name}: between() is for numbers and times, and this is "
                f"{value!r}"
            )
        return number

    def _text(self, value: Any) -> str:
        ((kind, content),) = encode(value).items()
        if kind == "N":
            content = format(Decimal(content).normalize(), "f")
        elif kind not in {"S", "BOOL"}:
            raise UsageError(
                f"{self.schema.name}.{self.name} cannot be filtered by: {value!r} is no text, "
                "number, time or truth value"
            )
        text = f"{kind}:{content}"
        return text if len(text) <= TEXT_MAX else f"#:{sha256(text.encode()).hexdigest()}"

    @cached_property
    def _has_moments(self) -> bool:
        return allows(self.schema.fields[self.name], datetime)

    @cached_property
    def _adapter(self) -> TypeAdapter[Any]:
        """Give what checks a value of the field, or a member of its collection."""
        annotation: Any = self.schema.fields[self.name].annotation
        options: Iterable[Any] = (annotation, *get_args(annotation))
        members = (get_args(one)[0] for one in options if get_origin(one) in COLLECTIONS)
        return TypeAdapter(next(members, annotation))


def number_of(value: Any) -> float | None:
    """Give the number that a value is compared by; a time without a zone is taken for UTC."""
    match value:
        case bool():
            return None
        case int() | float() | Decimal():
            return float(value)
        case datetime():
            return (value if value.tzinfo else value.replace(tzinfo=UTC)).timestamp()
        case date():
            return datetime.combine(value, time.min, UTC).timestamp()
    return None
