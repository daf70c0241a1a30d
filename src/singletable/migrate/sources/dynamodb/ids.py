"""The ids of items: the values of a key in a form that JSON keeps without loss.

A text is itself. A number is an int, or its text where some reader of JSON would round it; bytes
are base64. Which of them a text stands for, the type of the key's attribute tells.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from singletable.errors import ServiceError, UsageError
from singletable.migrate.sources.source import Id
from singletable.values import AttributeValue, Item, format_number, parse_number

INT_MAX = 2**53
"""Beyond it, numbers of JSON are not the same to everybody."""
_WANTED = {"S": "a text", "N": "a number", "B": "bytes, or their base64"}


def id_of(item: Item, names: Iterable[str]) -> Id:
    """Give the id of an item, whose key has these attributes."""
    return tuple(id_value(item[name]) for name in names)


def id_value(value: AttributeValue) -> str | int:
    """Give what stands for a value of a key in an id."""
    ((kind, content),) = value.items()
    if kind == "N":
        return plain_number(parse_number(content))
    return b64encode(content).decode() if kind == "B" else str(content)


def plain_number(number: Decimal | int) -> str | int:
    """Give a number as JSON keeps it: an int that is not too large, or else its text."""
    if isinstance(number, Decimal):
        text = format_number(number)
        return text if "." in text or abs(number) > INT_MAX else int(text)
    return number if abs(number) <= INT_MAX else str(number)


def key_of(one: Id, names: Sequence[str], types: Mapping[str, str]) -> Item:
    """Give the key that an id stands for."""
    if len(one) != len(names):
        raise UsageError(f"The id {tuple(one)!r} is not that of a key of {' and '.join(names)}")
    pairs = zip(names, one, strict=True)
    return {name: key_value(value, types[name], name) for name, value in pairs}


def key_value(value: Any, kind: str, name: str) -> AttributeValue:
    """Give the attribute value of a part of an id, or of the same part as Python has it."""
    try:
        return {kind: _CONTENTS[kind](value)}
    except (ArithmeticError, TypeError, ValueError, ServiceError):
        raise UsageError(
            f"The key attribute {name!r} is of type {kind} and wants {_WANTED[kind]}, not {value!r}"
        ) from None


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _number(value: Any) -> str:
    if isinstance(value, bool):
        raise TypeError
    return format_number(parse_number(str(value)))


def _bytes(value: Any) -> bytes:
    return b64decode(value, validate=True) if isinstance(value, str) else bytes(memoryview(value))


_CONTENTS = {"S": _text, "N": _number, "B": _bytes}
