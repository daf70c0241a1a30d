"""Items that are canonical as they come, told in one walk that also gives their size.

Nearly every item is: plain types, numbers without needless zeros, no sets, little nesting. For
these one walk takes the place of three (types, contents, size). Whatever is unusual here, wrong or
not, is left to the shapes and to ``singletable.values``, which alone know the service's words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

import orjson

from singletable.errors import ValidationException
from singletable.values import (
    NAME_BYTES_MAX,
    CanonicalItem,
    Item,
    admit_item,
    dumps,
)
from singletable.values.numbers import canonical_number, number_size
from singletable.values.sizes import CONTAINER_OVERHEAD, ELEMENT_OVERHEAD

DEPTH_USUAL = 8


class _UnusualError(Exception):
    """A value is not canonical as it comes, or not plainly so: the shapes have to judge it."""


def canonical(value: Any) -> CanonicalItem | None:
    """Give an item that is canonical as it comes; None where that takes a closer look."""
    if type(value) is CanonicalItem:
        return value
    if type(value) is not dict:
        return None
    try:
        # Encoding comes first: it refuses names and types that are not plain texts.
        data, size = dumps(value), _map_size(value, 0)
    except (_UnusualError, orjson.JSONEncodeError, ValidationException):
        return None
    item = CanonicalItem(value)
    item.size, item.data = size, data
    return item


def prepared(item: Item) -> Item:
    """Do most of the work of putting an item ahead, so as not to hold others up while it is put.

    An item that is unusual is given back as it is. What was prepared must not be changed.
    """
    found = canonical(item)
    return item if found is None else found


def admitted(item: Item) -> CanonicalItem:
    """Check the contents of an item, unless reading it did, and give it in canonical form."""
    if isinstance(item, CanonicalItem):
        return item
    normal, size = admit_item(item)
    made = CanonicalItem(normal)
    made.size, made.data = size, dumps(normal)
    return made


def _map_size(members: dict[str, Any], depth: int) -> int:
    names = "".join(members)
    size = len(names) if names.isascii() else len(names.encode())
    # Of names that are smaller together none can be too large.
    if "" in members or size > NAME_BYTES_MAX:
        raise _UnusualError
    return size + _values_size(members.values(), depth)


def _values_size(values: Iterable[Any], depth: int) -> int:
    size = 0
    for value in values:
        if type(value) is not dict or len(value) != 1:
            raise _UnusualError
        # Most values are texts and numbers; the rest can be slower.
        if "S" in value and type(text := value["S"]) is str:
            size += len(text) if text.isascii() else len(text.encode())
        elif "N" in value and type(text := value["N"]) is str:
            size += _number_size(text)
        else:
            size += _other_size(value, depth)
    return size


@lru_cache(maxsize=4096)
def _number_size(text: str) -> int:
    if canonical_number(text) != text:
        raise _UnusualError
    return number_size(text)


def _other_size(value: dict[str, Any], depth: int) -> int:
    (kind,) = value
    content = value[kind]
    measure = _OTHERS.get((kind, type(content)))
    if measure is None or depth >= DEPTH_USUAL:
        raise _UnusualError
    return measure(content, depth)


def _blob_size(content: bytes, _depth: int) -> int:
    return len(content)


def _truth_size(_content: bool, _depth: int) -> int:  # noqa: FBT001 # it is the value
    return 1


def _null_size(content: bool, _depth: int) -> int:  # noqa: FBT001 # it is the value
    if not content:
        raise _UnusualError
    return 1


def _nested_map_size(content: dict[Any, Any], depth: int) -> int:
    return CONTAINER_OVERHEAD + ELEMENT_OVERHEAD * len(content) + _map_size(content, depth + 1)


def _list_size(content: list[Any], depth: int) -> int:
    return CONTAINER_OVERHEAD + ELEMENT_OVERHEAD * len(content) + _values_size(content, depth + 1)


_OTHERS: dict[tuple[str, type], Callable[[Any, int], int]] = {
    ("B", bytes): _blob_size,
    ("BOOL", bool): _truth_size,
    ("NULL", bool): _null_size,
    ("M", dict): _nested_map_size,
    ("L", list): _list_size,
}
"""How the content of each usual type but texts is measured, if of the usual Python type."""
