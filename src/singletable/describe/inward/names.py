"""Names of Python for what is named otherwise in a foreign model."""

from __future__ import annotations

import re
from collections.abc import Collection
from keyword import iskeyword

from singletable.model.entity import Entity
from singletable.store.store import Store

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+[a-z]*")
_SIDE = re.compile(r"[0-9]*[ps]k")
_SNAKE = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
_CLASS = re.compile(r"[A-Z]\w*[a-z]\w*")
_TYPES = frozenset(("bool", "bytes", "date", "datetime", "dict", "int", "list", "set", "str"))
"""What annotations name: a field of such a name would stand in their way."""
_IMPORTED = frozenset(
    ("Annotated", "Any", "Attribute", "Decimal", "Entity", "Get", "GlobalIndex", "Index")
) | {"Query", "Scan", "Store", "Table", "UUID"}


def words(name: str) -> list[str]:
    """Take a name apart: ``userId``, ``USER_ID`` and ``User-Id`` are the same two words."""
    return [word.lower() for word in _WORDS.findall(name)]


def is_generic(name: str) -> bool:
    """Tell whether a key attribute is named for being a key, as ``GSI1PK``, and not as a field."""
    found = words(name)
    sides = {"partition", "hash", "sort", "range"} & {*found}
    return any(_SIDE.fullmatch(word) for word in found) or (bool(sides) and "key" in found)


def snake(name: str) -> str:
    """Name a field; a word and the number behind it stay together."""
    if _SNAKE.fullmatch(name):
        return name
    return re.sub(r"(?<=[a-z])_(?=[0-9])", "", "_".join(words(name)))


def field_name(name: str, taken: Collection[str] = ()) -> str:
    """Name a field so that neither Python, pydantic nor another field has the name."""
    plain = snake(name) or "field"
    plain = f"field_{plain}" if plain[0].isdigit() or plain.startswith("model_") else plain
    shadows = iskeyword(plain) or plain in _TYPES or hasattr(Entity, plain)
    plain += "_" if shadows else ""
    return _free(plain, taken)


def index_label(name: str, taken: Collection[str]) -> str:
    """Name the declaration of an index beside the fields of its entity."""
    plain = field_name(name)
    return field_name(f"{plain}_index", taken) if plain in taken else plain


def method_name(name: str, taken: Collection[str]) -> str:
    """Name an access pattern so that it hides no method of a store."""
    plain = field_name(name)
    return _free(f"{plain}_" if hasattr(Store, plain) else plain, taken)


def class_name(name: str, taken: Collection[str] = ()) -> str:
    """Name a class."""
    plain = "".join(word.capitalize() for word in words(name))
    plain = name if _CLASS.fullmatch(name) and name.isascii() and "_" not in name else plain
    plain = f"Item{plain}" if not plain or plain[0].isdigit() else plain
    plain = f"{plain}Item" if plain in _IMPORTED or iskeyword(plain) else plain
    return _free(plain, taken)


def _free(name: str, taken: Collection[str]) -> str:
    number, free = 2, name
    while free in taken:
        free, number = f"{name}{number}", number + 1
    return free
