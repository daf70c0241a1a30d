"""How large DynamoDB counts an item: names and values in bytes, with its overheads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .numbers import number_size
from .types import AttributeValue, CanonicalItem, Item

ITEM_BYTES_MAX = 400 * 1024
CONTAINER_OVERHEAD = 3
ELEMENT_OVERHEAD = 1


def item_size(item: Item) -> int:
    """Give the size of an item: its attribute names and values."""
    if type(item) is CanonicalItem:
        return item.size  # counted when it was found to be canonical
    total = 0
    for name, value in item.items():
        total += len(name) if name.isascii() else len(name.encode())
        for kind, content in value.items():
            total += _SIZES[kind](content)
    return total


def size_at(item: Item, keys: Sequence[str]) -> int:
    """Give what the value that keys lead to adds to the size of an item: nothing if there is none.

    All keys but the last lead to maps.
    """
    *outer, name = keys
    for key in outer:
        item = item[key]["M"]
    value = item.get(name)
    if value is None:
        return 0
    return text_size(name) + value_size(value) + (ELEMENT_OVERHEAD if outer else 0)


def value_size(value: AttributeValue) -> int:
    """Give the size of one attribute value."""
    [(kind, content)] = value.items()
    return _SIZES[kind](content)


def text_size(text: str) -> int:
    """Give the length of a text in UTF-8."""
    return len(text) if text.isascii() else len(text.encode())


def _one(_content: Any) -> int:
    return 1


def _list_size(values: list[AttributeValue]) -> int:
    return CONTAINER_OVERHEAD + sum(ELEMENT_OVERHEAD + value_size(value) for value in values)


def _map_size(values: Item) -> int:
    return CONTAINER_OVERHEAD + item_size(values) + ELEMENT_OVERHEAD * len(values)


_SIZES: dict[str, Callable[[Any], int]] = {
    "S": text_size,
    "N": number_size,
    "B": len,
    "BOOL": _one,
    "NULL": _one,
    "SS": lambda texts: sum(map(text_size, texts)),
    "NS": lambda numbers: sum(map(number_size, numbers)),
    "BS": lambda blobs: sum(map(len, blobs)),
    "L": _list_size,
    "M": _map_size,
}
