"""Python values ↔ attribute values.

Encoding goes by the type of the value, decoding to plain Python and then through pydantic, which
knows the declared types: a field may have any type that pydantic can make from JSON's and sets.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from types import NoneType
from typing import Any
from uuid import UUID

from pydantic import BaseModel, RootModel, SecretBytes, SecretStr
from pydantic_core import to_jsonable_python

from singletable.errors import UsageError
from singletable.values import AttributeValue

from .large import Large
from .moments import text_of
from .nesting import stored_model

Encode = Callable[[Any], AttributeValue]
NULL: AttributeValue = {"NULL": True}
LAST_SECOND = int(datetime.max.replace(tzinfo=UTC, microsecond=0).timestamp())
"""The last time of expiry that can be read back as a datetime."""


def encode(value: Any) -> AttributeValue:
    """Give the attribute value of a Python value; what JSON does not know goes as pydantic's."""
    return ENCODERS[value.__class__](value)


def decode(value: AttributeValue) -> Any:
    """Give the Python value of an attribute value: numbers as int, or Decimal for fractions."""
    for kind, content in value.items():
        return DECODERS[kind](content)
    raise UsageError("An attribute value has no type")


def encode_datetime(value: datetime) -> AttributeValue:
    """Give a time as fixed-width UTC text, which sorts; a time without a zone stays without."""
    return {"S": text_of_datetime(value)}


def text_of_datetime(value: datetime) -> str:
    """Write a time in UTC, to the microsecond, always in as many characters."""
    if value.tzinfo is None:
        return text_of(value)
    if value.tzinfo is not UTC:
        value = _in_utc(value)
    return text_of(value) + "Z"


def _in_utc(value: datetime) -> datetime:
    try:
        return value.astimezone(UTC)
    except OverflowError:
        raise UsageError(f"{value} is outside of the years 1 to 9999 in UTC") from None


def encode_epoch(value: datetime) -> AttributeValue:
    """Give a time as the seconds that DynamoDB's expiry compares with; they need a time zone."""
    if value.utcoffset() is None:
        raise UsageError(f"{value} has no time zone: give it one, e.g. datetime.now(UTC)")
    return {"N": str(min(math.ceil(value.timestamp()), LAST_SECOND))}


def decode_epoch(seconds: int | Decimal) -> datetime:
    """Give the time of an expiry; pydantic would take a late one for milliseconds."""
    return datetime.fromtimestamp(min(float(seconds), LAST_SECOND), UTC)


def _encode_float(value: float) -> AttributeValue:
    if not math.isfinite(value):
        raise UsageError(f"DynamoDB has no number {value!r}")
    return {"N": repr(value)}


def _encode_decimal(value: Decimal) -> AttributeValue:
    if not value.is_finite():
        raise UsageError(f"DynamoDB has no number {value}")
    return {"N": str(value)}


def _encode_map(value: Mapping[Any, Any]) -> AttributeValue:
    return {"M": {_map_key(key): encode(one) for key, one in value.items()}}


def _map_key(key: Any) -> str:
    return key if type(key) is str else str(to_jsonable_python(key))


def _encode_set(value: set[Any] | frozenset[Any]) -> AttributeValue:
    if not value:
        return {"L": []}  # DynamoDB has no empty sets; a set can be read from a list
    members = sorted((encode(one) for one in value), key=lambda one: str(next(iter(one.values()))))
    kinds = {kind for member in members for kind in member}
    if len(kinds) != 1 or not kinds <= {"S", "N", "B"}:
        raise UsageError(f"A set holds texts, numbers or bytes, all of one kind: {value!r}")
    kind = kinds.pop()
    return {f"{kind}S": [member[kind] for member in members]}


def _refuse_large(value: Large[Any]) -> AttributeValue:
    raise UsageError(f"A Large is a field of an entity by itself, not inside one: {value!r}")


def _encode_dataclass(value: Any) -> AttributeValue:
    fields = dataclasses.fields(value)
    return {"M": {field.name: encode(getattr(value, field.name)) for field in fields}}


def _encode_model(model: BaseModel) -> AttributeValue:
    names, silent = stored_model(model.__class__)
    values, extra = model.__dict__, model.__pydantic_extra__
    return {
        "M": {
            names.get(name, name): ENCODERS[value.__class__](value)
            for name, value in (values | extra if extra else values).items()
            if value is not None or name not in silent
        }
    }


def _encode_list(value: list[Any] | tuple[Any, ...]) -> AttributeValue:
    return {"L": [{"S": one} if one.__class__ is str else encode(one) for one in value]}


PLAIN: dict[type, Encode] = {
    str: lambda value: {"S": value},
    bool: lambda value: {"BOOL": value},
    int: lambda value: {"N": str(value)},
    float: _encode_float,
    Decimal: _encode_decimal,
    datetime: encode_datetime,
    date: lambda value: {"S": value.isoformat()},
    UUID: lambda value: {"S": str(value)},
    bytes: lambda value: {"B": value},
    bytearray: lambda value: {"B": bytes(value)},
    list: _encode_list,
    tuple: _encode_list,
    dict: _encode_map,
    set: _encode_set,
    frozenset: _encode_set,
    NoneType: lambda _: NULL,
}

OTHERS: dict[type, Encode] = {
    Enum: lambda value: encode(value.value),
    Large: _refuse_large,
    RootModel: lambda value: encode(value.root),
    BaseModel: _encode_model,
    SecretStr: lambda value: encode(value.get_secret_value()),
    SecretBytes: lambda value: encode(value.get_secret_value()),
}
"""Of these there are subclasses alone; the first that fits decides."""


class _Encoders(dict[type, Encode]):
    """Finds the encoder of a type, once for each."""

    def __missing__(self, kind: type) -> Encode:
        encoder = self[kind] = _encoder_of(kind)
        return encoder


def _encoder_of(kind: type) -> Encode:
    for other, encoder in OTHERS.items():
        if issubclass(kind, other):
            return encoder
    if dataclasses.is_dataclass(kind):
        return _encode_dataclass
    plain = (encoder for other, encoder in PLAIN.items() if issubclass(kind, other))
    return next(plain, lambda value: encode(to_jsonable_python(value)))


ENCODERS = _Encoders(PLAIN)


def _number(text: str) -> int | Decimal:
    try:
        return Decimal(text) if "." in text else int(text)
    except ValueError:  # as in 1E+20
        return Decimal(text)


def _same(value: Any) -> Any:
    return value


def decode_content(found: list[AttributeValue] | AttributeValue) -> Any:
    """Give the Python values of a list's members, or that of an attribute value."""
    if isinstance(found, list):
        return [one["S"] if "S" in one else decode(one) for one in found]
    return decode(found)


DECODERS: dict[str, Callable[[Any], Any]] = {
    "S": _same,
    "N": _number,
    "BOOL": _same,
    "B": bytes,
    "NULL": lambda _: None,
    "L": decode_content,
    "M": lambda values: {name: decode(one) for name, one in values.items()},
    "SS": set,
    "NS": lambda values: {_number(one) for one in values},
    "BS": lambda values: {bytes(one) for one in values},
}
