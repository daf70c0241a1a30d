"""Check the contents of attribute values and bring them to canonical form.

Canonical are numbers without needless zeros and sets in order, so that equal values are equal.
That a content has the right Python type (text for S, a list for L, …) was seen to when the request
was read; here are the rules about contents, in the service's words.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from singletable.errors import ValidationException

from .numbers import canonical_number
from .sizes import value_size
from .types import AttributeValue, Item

DEPTH_MAX = 32

_EMPTY = "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
_SEVERAL = (
    "Supplied AttributeValue has more than one datatypes set, "
    "must contain exactly one of the supported datatypes"
)
_TOO_DEEP = (
    "Nesting Levels have exceeded supported limits: "
    "Attributes in the item have nested levels beyond supported limit"
)
_AS_THEY_ARE = ("S", "BOOL")
_INVALID = "One or more parameter values were invalid: "


def normalize_item(item: Item) -> Item:
    """Check every value of an item and give it in canonical form; the argument stays as it is."""
    return _map(item, -1)


def admit_item(item: Item) -> tuple[Item, int]:
    """Check an item that is to be stored; give it in canonical form, with its size."""
    # One pass, strings first: this is most of what a write costs in Python.
    if "" in item:
        raise ValidationException("Empty attribute name")
    normal, size = {}, 0
    for name, value in item.items():
        size += len(name) if name.isascii() else len(name.encode())
        if "S" in value and len(value) == 1:
            text = value["S"]
            size += len(text) if text.isascii() else len(text.encode())
            normal[name] = value
        else:
            normal[name] = kept = normalize(value)
            size += value_size(kept)
    return normal, size


def normalize(value: AttributeValue, depth: int = 0) -> AttributeValue:
    """Check a value and give it in canonical form; the argument stays as it is."""
    if len(value) != 1:
        raise ValidationException(_SEVERAL if value else _EMPTY)
    [(kind, content)] = value.items()
    if kind in _AS_THEY_ARE:
        return value
    if kind == "N":
        return {"N": canonical_number(content)}
    return {kind: _CONTENTS[kind](content, depth)}


def _blob(content: Any, _depth: int) -> bytes:
    return bytes(content)


def _null(content: Any, _depth: int) -> bool:
    if not content:
        raise ValidationException(
            f"{_INVALID}Null attribute value types must have the value of true"
        )
    return True


def _strings(content: list[str], _depth: int) -> list[str]:
    if not content:
        raise ValidationException(f"{_INVALID}An string set  may not be empty")
    if len(set(content)) != len(content):
        shown = ", ".join(content)
        raise ValidationException(f"{_INVALID}Input collection [{shown}] contains duplicates.")
    return sorted(content, key=str.encode)


def _numbers(content: list[str], _depth: int) -> list[str]:
    if not content:
        raise ValidationException(f"{_INVALID}An number set  may not be empty")
    members = {canonical_number(text) for text in content}
    if len(members) != len(content):
        raise ValidationException("Input collection contains duplicates")
    return sorted(members, key=Decimal)


def _blobs(content: list[Any], _depth: int) -> list[bytes]:
    if not content:
        raise ValidationException(f"{_INVALID}Binary sets should not be empty")
    members = {bytes(each) for each in content}
    if len(members) != len(content):
        shown = ", ".join(b64encode(each).decode() for each in content)
        raise ValidationException(
            f"{_INVALID}Input collection [{shown}]of type BS contains duplicates."
        )
    return sorted(members)


def _list(content: list[AttributeValue], depth: int) -> list[AttributeValue]:
    below = _below(depth, content)
    return [
        value if "S" in value and len(value) == 1 else normalize(value, below) for value in content
    ]


def _map(content: Item, depth: int) -> Item:
    below = _below(depth, content)
    if "" in content:
        raise ValidationException("Empty attribute name")
    return {
        name: value if "S" in value and len(value) == 1 else normalize(value, below)
        for name, value in content.items()
    }


def _below(depth: int, content: Any) -> int:
    """Give the depth of what a list or map holds, or raise if that is too deep."""
    if content and depth + 1 >= DEPTH_MAX:
        raise ValidationException(_TOO_DEEP)
    return depth + 1


_CONTENTS: dict[str, Callable[[Any, int], Any]] = {
    "B": _blob,
    "NULL": _null,
    "SS": _strings,
    "NS": _numbers,
    "BS": _blobs,
    "L": _list,
    "M": _map,
}
