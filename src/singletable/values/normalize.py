"""The rules for the contents of attribute values, their canonical form, and their size.

Canonical are numbers without needless zeros and sets in order, so that equal values are equal.
That a content has the right Python type (text for S, a list for L, …) was seen to when the request
was read; here are the rules about contents, in the service's words.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from singletable.errors import ValidationException, invalid

from .numbers import canonical_number, number_size
from .sizes import CONTAINER_OVERHEAD, ELEMENT_OVERHEAD, ITEM_BYTES_MAX, text_size
from .types import AttributeValue, Item

DEPTH_MAX = 32
NAME_BYTES_MAX = 65535
NAME_TOO_LARGE = f"Attribute name is too large, must be less than {NAME_BYTES_MAX + 1} bytes"
ITEM_TOO_LARGE = "Item size has exceeded the maximum allowed size"

_EMPTY = "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
_SEVERAL = (
    "Supplied AttributeValue has more than one datatypes set, "
    "must contain exactly one of the supported datatypes"
)
_TOO_DEEP = (
    "Nesting Levels have exceeded supported limits: "
    "Attributes in the item have nested levels beyond supported limit"
)


def normalize_item(item: Item) -> Item:
    """Check every value of an item and give it in canonical form; the argument stays as it is."""
    return admit_item(item)[0]


def normalize(value: AttributeValue) -> AttributeValue:
    """Check a value and give it in canonical form; the argument stays as it is."""
    return _admit(value, 0)[0]


def admit_item(item: Item, depth: int = 0) -> tuple[Item, int]:
    """Check an item that is to be stored; give it in canonical form, with its size."""
    if "" in item:
        raise ValidationException("Empty attribute name")
    normal, size = {}, 0
    for name, value in item.items():
        size += len(name) if name.isascii() else len(name.encode())
        # Most values are strings; this loop is most of what a write costs in Python.
        if "S" in value and len(value) == 1:
            text = value["S"]
            size += len(text) if text.isascii() else len(text.encode())
            normal[name] = value
        else:
            normal[name], more = _admit(value, depth)
            size += more
    # In a smaller item no name can be too large.
    if size > NAME_BYTES_MAX and any(text_size(name) > NAME_BYTES_MAX for name in item):
        raise ValidationException(NAME_TOO_LARGE)
    return normal, size


def _admit(value: AttributeValue, depth: int) -> tuple[AttributeValue, int]:
    if len(value) != 1:
        raise ValidationException(_SEVERAL if value else _EMPTY)
    [(kind, content)] = value.items()
    normal, size = _CONTENTS[kind](content, depth)
    return (value if normal is content else {kind: normal}), size


def _text(content: str, _depth: int) -> tuple[str, int]:
    return content, text_size(content)


def _number(content: str, _depth: int) -> tuple[str, int]:
    number = canonical_number(content)
    return number, number_size(number)


def _blob(content: Any, _depth: int) -> tuple[bytes, int]:
    return bytes(content), len(content)


def _truth(content: bool, _depth: int) -> tuple[bool, int]:  # noqa: FBT001 # it is the value
    return content, 1


def _null(content: Any, _depth: int) -> tuple[bool, int]:
    if not content:
        raise invalid("Null attribute value types must have the value of true")
    return True, 1


def _strings(content: list[str], _depth: int) -> tuple[list[str], int]:
    if not content:
        raise invalid("An string set  may not be empty")
    if len(set(content)) != len(content):
        shown = ", ".join(content)
        raise invalid(f"Input collection [{shown}] contains duplicates.")
    return sorted(content, key=str.encode), sum(map(text_size, content))


def _numbers(content: list[str], _depth: int) -> tuple[list[str], int]:
    if not content:
        raise invalid("An number set  may not be empty")
    members = {canonical_number(text) for text in content}
    if len(members) != len(content):
        raise ValidationException("Input collection contains duplicates")
    return sorted(members, key=Decimal), sum(map(number_size, members))


def _blobs(content: list[Any], _depth: int) -> tuple[list[bytes], int]:
    if not content:
        raise invalid("Binary sets should not be empty")
    members = {bytes(each) for each in content}
    if len(members) != len(content):
        shown = ", ".join(b64encode(each).decode() for each in content)
        raise invalid(f"Input collection [{shown}]of type BS contains duplicates.")
    return sorted(members), sum(map(len, members))


def _list(content: list[AttributeValue], depth: int) -> tuple[list[AttributeValue], int]:
    below = _below(depth)
    normal, size = [], 0
    for value in content:
        if "S" in value and len(value) == 1:
            kept, more = value, text_size(value["S"])
        else:
            kept, more = _admit(value, below)
        normal.append(kept)
        size += more
    return normal, _holding(size, len(content))


def _map(content: Item, depth: int) -> tuple[Item, int]:
    normal, size = admit_item(content, _below(depth))
    return normal, _holding(size, len(content))


def _holding(size: int, count: int) -> int:
    """Give the size of a list or map of so many members, or raise if it holds more than an item."""
    if size > ITEM_BYTES_MAX:
        raise ValidationException(ITEM_TOO_LARGE)
    return CONTAINER_OVERHEAD + ELEMENT_OVERHEAD * count + size


def _below(depth: int) -> int:
    """Give the depth of what a list or map holds or could hold, or raise if that is too deep."""
    if depth + 1 >= DEPTH_MAX:
        raise ValidationException(_TOO_DEEP)
    return depth + 1


_CONTENTS: dict[str, Callable[[Any, int], tuple[Any, int]]] = {
    "S": _text,
    "N": _number,
    "B": _blob,
    "BOOL": _truth,
    "NULL": _null,
    "SS": _strings,
    "NS": _numbers,
    "BS": _blobs,
    "L": _list,
    "M": _map,
}
