"""The shape of attribute values, apart from the others because every item passes through it.

The common case, an item that is canonical as it comes, is told by ``canonical`` and handed on.
Contents (numbers, sets, nesting) of others are judged later, by ``singletable.values``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from singletable.values import DEPTH_MAX, CanonicalItem

from .base import (
    NO_FAULTS,
    Fault,
    FaultyError,
    Shape,
    Source,
    at_least,
    at_most,
    mismatch,
    plain_text,
)
from .canonical import canonical

NAME_LENGTH_MAX = 65535
"""In characters: the bound of the API's model. ``singletable.values`` counts the bytes."""


@dataclass(frozen=True, kw_only=True)
class AttributeValueShape(Shape):
    """A value in DynamoDB's form: its type and its content."""

    def read(self, value: Any, source: Source, /) -> dict[str, Any]:
        """Take an attribute value."""
        return read_value(value, source, 0)


@dataclass(frozen=True, kw_only=True)
class AttributeMap(Shape):
    """A map of attribute values: an item, a key, the values of an expression."""

    def read(self, value: Any, source: Source, /) -> dict[str, Any]:
        """Take the attributes."""
        item = canonical(value)
        return _read_map(value, source, -1) if item is None else item

    def accept(self, value: Any, source: Source, /) -> dict[str, Any]:
        """Take the attributes; those that are canonical have no fault."""
        item = self.read(value, source)
        if type(item) is not CanonicalItem and self.faults(item):
            raise FaultyError
        return item

    def faults(self, value: dict[str, Any], /) -> Sequence[Fault]:
        """Find a name that is too long."""
        if isinstance(value, CanonicalItem) or max(map(len, value), default=0) <= NAME_LENGTH_MAX:
            return NO_FAULTS
        rules = f"[{at_most(NAME_LENGTH_MAX)}, {at_least(0)}]"
        return [Fault("", value, f"Map keys must satisfy constraint: {rules}")]


ATTRIBUTE_VALUE = AttributeValueShape()


def read_value(value: Any, source: Source, depth: int) -> dict[str, Any]:
    """Take one value; past the deepest nesting it is left unread, since it will be refused."""
    if not isinstance(value, dict):
        if value is None:
            return {}
        raise mismatch(value, "Structure")
    if depth > DEPTH_MAX:
        return value
    if len(value) == 1:
        [(kind, content)] = value.items()
        if kind in _CONTENTS and content is not None:
            return {_KINDS[kind]: _CONTENTS[kind](content, source, depth)}
    return {
        _KINDS[kind]: _CONTENTS[kind](content, source, depth)
        for kind, content in value.items()
        if content is not None and _known(kind, source)
    }


def _known(kind: str, source: Source) -> bool:
    if kind in _CONTENTS:
        return True
    source.unknown(kind, _CONTENTS)
    return False


def _read_map(value: Any, source: Source, depth: int) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise mismatch(value, "Map")
    return {
        _read_text(name, source, depth): read_value(each, source, depth + 1)
        for name, each in value.items()
    }


def _read_list(value: Any, source: Source, depth: int) -> list[Any]:
    if not isinstance(value, list | tuple):
        raise mismatch(value, "List")
    return [read_value(each, source, depth + 1) for each in value]


def _read_text(value: Any, _source: Source, _depth: int) -> str:
    if isinstance(value, str):
        return plain_text(value)
    raise mismatch(value, "String")


def _read_truth(value: Any, _source: Source, _depth: int) -> bool:
    if isinstance(value, bool):
        return value
    raise mismatch(value, "Boolean")


def _read_blob(value: Any, source: Source, _depth: int) -> bytes:
    return source.blob(value)


def _read_set(read: Callable[[Any, Source, int], Any]) -> Callable[[Any, Source, int], list[Any]]:
    def read_members(value: Any, source: Source, depth: int) -> list[Any]:
        if not isinstance(value, list | tuple):
            raise mismatch(value, "List")
        return [read(each, source, depth) for each in value]

    return read_members


_CONTENTS: dict[str, Callable[[Any, Source, int], Any]] = {
    "S": _read_text,
    "N": _read_text,
    "B": _read_blob,
    "SS": _read_set(_read_text),
    "NS": _read_set(_read_text),
    "BS": _read_set(_read_blob),
    "M": _read_map,
    "L": _read_list,
    "NULL": _read_truth,
    "BOOL": _read_truth,
}
_KINDS = {kind: kind for kind in _CONTENTS}
"""Gives a type's name as plain text where a subclass of ``str`` spelt it."""
