"""From a field's annotation to the format of its values.

An annotation is unwrapped (Annotated, Optional, NewType, aliases) until one type is left, for
which there must be exactly one way of writing it in a key.
"""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin
from uuid import UUID

from pydantic import AwareDatetime, EmailStr, FutureDate, FutureDatetime, PastDate, PastDatetime

from singletable.errors import DesignError

from .formats import Choice, CountedChoice, Flag, Format, Integer, Number, Text, Uuid
from .times import Day, Moment

_FORMATS: dict[Any, Format] = {
    # A subclass stands before its base.
    bool: Flag(),
    int: Integer(),
    str: Text(),
    Decimal: Number(),
    UUID: Uuid(),
    datetime: Moment(),
    date: Day(),
}
_PYDANTIC: dict[Any, type] = {
    EmailStr: str,
    AwareDatetime: datetime,
    PastDatetime: datetime,
    FutureDatetime: datetime,
    PastDate: date,
    FutureDate: date,
}


def format_of(annotation: Any) -> Format:
    """Give the format of a field's type, or refuse a type that cannot stand in a key."""
    plain = _unwrapped(annotation)
    if get_origin(plain) is Literal:
        return _choice(tuple(each for each in get_args(plain) if each is not None))
    if isinstance(plain, type):
        if issubclass(plain, Enum):
            return _choice(tuple(plain))
        for known, format_ in _FORMATS.items():
            if issubclass(plain, known):
                return format_
    raise DesignError(_unfit(plain))


def _unwrapped(annotation: Any) -> Any:
    if get_origin(annotation) is Annotated:
        return _unwrapped(get_args(annotation)[0])
    if get_origin(annotation) in {Union, UnionType}:
        options = [each for each in get_args(annotation) if each is not NoneType]
        return _unwrapped(options[0]) if len(options) == 1 else annotation
    for wrapper in ("__supertype__", "__value__"):
        if hasattr(annotation, wrapper):
            return _unwrapped(getattr(annotation, wrapper))
    return _PYDANTIC.get(annotation, annotation)


def _choice(members: tuple[Any, ...]) -> Choice:
    plain = {type(each.value if isinstance(each, Enum) else each) for each in members}
    if len(plain) != 1:
        raise DesignError("its values are not all of one type")
    inner = format_of(plain.pop())
    return (CountedChoice if isinstance(inner, Integer) else Choice)(inner, members)


def _unfit(plain: Any) -> str:
    name = plain.__name__ if isinstance(plain, type) else str(plain)
    if plain is float:
        return "a float has no one text: use int or Decimal"
    known = ", ".join(each.__name__ for each in _FORMATS)
    return f"{name} cannot stand in a key: {known}, Enum and Literal can"
