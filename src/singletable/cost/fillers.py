"""Values that fill the fields of a specimen, of a stated size, whatever their type.

Ids are made as their fields make them. What is not known here counts as a text.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NewType,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)
from uuid import UUID

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from singletable.model.fields import CountOf, Expires, Sequence, Version, ksuid, ulid, uuid7
from singletable.model.large import Large

MOMENT = datetime(2026, 1, 1, 12, 30, 15, 123456, UTC)
LATER = MOMENT + timedelta(days=1)
LIFETIME = timedelta(days=30)
NUMBER = 12
DEPTH_MAX = 8
IDS = tuple(make().default_factory for make in (ulid, ksuid, uuid7))
"""What fills in new ids."""


@dataclass(frozen=True, slots=True)
class Filler:
    """Fills fields; in another ``turn`` with other values of about the same size."""

    text_bytes: int
    elements: int
    turn: Literal[0, 1] = 0

    def field(self, info: FieldInfo) -> Any:
        """Give a value of a field's type."""
        made = _made(info.default_factory, self.turn)
        if made is not None:
            return made
        return self.value(info.annotation, _most(info.metadata))

    def value(self, annotation: Any, most: int | None = None, depth: int = 0) -> Any:
        """Give a value of a type; ``most`` is how long it may be."""
        option, inner = _plain(annotation)
        most = min((one for one in (most, inner) if one is not None), default=None)
        origin, arguments = get_origin(option) or option, get_args(option)
        if depth > DEPTH_MAX:
            return None
        if origin is Literal:
            return self._option(arguments)
        if isinstance(origin, type):
            made = self._of_class(origin, arguments, most, depth)
            if made is not None:
                return made
        return self.text(most)

    def text(self, most: int | None = None) -> str:
        """Give a text."""
        return "xy"[self.turn] * min(self.text_bytes, self.text_bytes if most is None else most)

    def _of_class(self, kind: type, arguments: Any, most: int | None, depth: int) -> Any:
        if issubclass(kind, Enum):
            return self._option(kind)
        if kind is Large:
            return Large(b"" if bytes in arguments else "")
        if issubclass(kind, BaseModel):
            return self._model(kind, depth)
        if dataclasses.is_dataclass(kind):
            return self._dataclass(kind, depth)
        if issubclass(kind, bytes):
            return self.text(most).encode()
        for known, values in PLAIN.items():
            if issubclass(kind, known):
                return values[self.turn]
        if issubclass(kind, Iterable) and not issubclass(kind, str):
            return self._elements(kind, arguments, most, depth)
        return None

    def _option(self, options: Iterable[Any]) -> Any:
        """Choose the longest of several values, or the one after it."""
        ordered = sorted(options, key=lambda one: -len(str(getattr(one, "value", one))))
        return ordered[min(self.turn, len(ordered) - 1)]

    def _elements(self, kind: type, arguments: Any, most: int | None, depth: int) -> Any:
        if issubclass(kind, tuple) and arguments and arguments[-1] is not Ellipsis:
            return [self.value(one, None, depth + 1) for one in arguments]
        if issubclass(kind, Mapping):
            key, value = arguments or (str, str)
            return {
                self._element(key, number, depth): self._element(value, number, depth)
                for number in range(self._length(most))
            }
        inner = arguments[0] if arguments else str
        made = [self._element(inner, number, depth) for number in range(self._length(most))]
        return set(made) if issubclass(kind, set | frozenset) else made

    def _element(self, annotation: Any, number: int, depth: int) -> Any:
        """Give one of several values, unlike the others where it is a text or a number."""
        value = self.value(annotation, None, depth + 1)
        if type(value) is str:
            return f"{number}{value}"[: max(1, len(value))]
        return value + number if type(value) is int else value

    def _length(self, most: int | None) -> int:
        return self.elements if most is None else min(self.elements, most)

    def _model(self, kind: type[BaseModel], depth: int) -> Any:
        values = {
            name: self.value(info.annotation, _most(info.metadata), depth + 1)
            for name, info in kind.model_fields.items()
        }
        return kind.model_construct(**values)

    def _dataclass(self, kind: type, depth: int) -> Any:
        hints = get_type_hints(kind)
        names = [one.name for one in dataclasses.fields(kind)]
        return {name: self.value(hints.get(name, str), None, depth + 1) for name in names}


def _made(factory: Callable[..., Any] | None, turn: int) -> Any:
    """Give what the library fills in: ids as they are made, times, numbers."""
    if isinstance(factory, Expires):
        return MOMENT + LIFETIME * (turn + 1)
    if isinstance(factory, CountOf | Sequence | Version):
        return NUMBER + turn
    return factory() if factory and is_id(factory) else None


def is_id(factory: Any) -> bool:
    """Tell whether a field's default makes a new id."""
    return factory in IDS


def _plain(annotation: Any) -> tuple[Any, int | None]:
    """Give the first type that a value may have beside None, and how long it may be."""
    while isinstance(annotation, NewType) or hasattr(annotation, "__value__"):
        supertype = getattr(annotation, "__supertype__", None)
        annotation = supertype or annotation.__value__
    origin = get_origin(annotation)
    if origin is Annotated:
        inner, *metadata = get_args(annotation)
        option, most = _plain(inner)
        return option, most if most is not None else _most(metadata)
    if origin in {Union, UnionType}:
        options = [one for one in get_args(annotation) if one is not NoneType]
        return _plain(options[0])
    return annotation, None


def _most(metadata: Iterable[Any]) -> int | None:
    inner = [each for one in metadata for each in (one, *getattr(one, "metadata", ()))]
    found = (getattr(one, "max_length", None) for one in inner)
    return next((one for one in found if one is not None), None)


PLAIN: dict[type, tuple[Any, Any]] = {
    bool: (True, False),
    int: (NUMBER, NUMBER + 1),
    float: (12.5, 13.5),
    Decimal: (Decimal("12.5"), Decimal("13.5")),
    datetime: (MOMENT, LATER),
    date: (MOMENT.date(), LATER.date()),
    time: ("12:30:15", "12:30:16"),
    timedelta: ("PT12H", "PT13H"),
    UUID: (UUID(int=1), UUID(int=2)),
}
"""Two values of each type; times as pydantic writes them."""
