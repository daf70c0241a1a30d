"""From a field's annotation to the format of its values.

An annotation is unwrapped (Annotated, Optional, NewType, aliases) until one type is left, for
which there must be exactly one way of writing it in a key.
"""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from types import NoneType
from typing import Any, Literal, get_args, get_origin
from uuid import UUID

from pydantic import AwareDatetime, EmailStr, FutureDate, FutureDatetime, PastDate, PastDatetime

from singletable.errors import DesignError
from singletable.model.hints import options

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
    plain = [each for each in options(annotation) if each is not NoneType]
    return _PYDANTIC.get(plain[0], plain[0]) if len(plain) == 1 else annotation


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
