"""Where in a request the value stands that has another type or other members than its shape.

The service's words do not tell. No request comes here before it was refused: its parts are read
once more, each by itself, down to the one that cannot be read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from reprlib import repr as shortened
from typing import Any

from singletable.errors import SerializationException

from .attributes import ATTRIBUTE_VALUE, AttributeMap, AttributeValueShape
from .base import Shape, Source
from .compound import List, Map
from .scalars import Boolean, Integer, String, Timestamp
from .sources import IN_PROCESS, UnknownParameter
from .structures import Structure

UNREADABLE = (SerializationException, UnknownParameter)
"""What is raised where a request cannot be read."""


def note_place(error: Exception, shape: Shape, request: Any) -> None:
    """Note beside an error of a request in Python's forms where its cause stands."""
    if isinstance(error, UnknownParameter) and _refused(shape, request, IN_PROCESS) is None:
        return  # it is one of the request's own, and the error lists these
    error.add_note(misplaced(shape, request, IN_PROCESS))


def misplaced(shape: Shape, value: Any, source: Source) -> str:
    """Name the first value that a shape cannot read, what it is, and what it must be."""
    path = ""
    while (part := _refused(shape, value, source)) is not None:
        step, shape, value = part
        path += step
    return (
        f"{path.removeprefix('.') or 'The request'} must be {_wanted(shape, value)}, "
        f"and is {_shown(value)} ({type(value).__name__})"
    )


Part = tuple[str, Shape, Any]


def _refused(shape: Shape, value: Any, source: Source) -> Part | None:
    for part in _parts(shape, value):
        _, inner, each = part
        try:
            inner.read(each, source)
        except UNREADABLE:
            return part
    return None


def _parts(shape: Shape, value: Any) -> Iterator[Part]:
    """Give what a value is made of, each part with its step in the path and its shape."""
    match shape, value:
        case Structure(), dict():
            yield from _members(shape.members, value)
        case AttributeValueShape(), dict():
            yield from _members(_CONTENTS, value)
        case ((Map() | AttributeMap()), dict()):
            inner = shape.value if isinstance(shape, Map) else ATTRIBUTE_VALUE
            for name, each in value.items():
                yield "'s key", _TEXT, name
                yield f".{name}", inner, each
        case List(), list() | tuple():
            for position, each in enumerate(value):
                yield f"[{position}]", shape.member, each


def _members(shapes: Any, value: dict[str, Any]) -> Iterator[Part]:
    for name, each in value.items():
        if each is not None and name in shapes:
            yield f".{name}", shapes[name], each


@dataclass(frozen=True, kw_only=True)
class _Blob(Shape):
    """The content of a binary value."""

    def read(self, value: Any, source: Source, /) -> bytes:
        """Take bytes."""
        return source.blob(value)


def _shown(value: Any) -> str:
    try:
        return shortened(value)
    except ValueError:  # a number of more digits than Python writes
        return "too long to show"


def _wanted(shape: Shape, value: Any) -> str:
    if isinstance(shape, Integer):
        return f"a whole number of {shape.bits} bits"
    if isinstance(shape, Structure) and isinstance(value, dict):
        return f"a dict with no other keys than {', '.join(shape.members)}"
    return next((words for kind, words in _WANTED.items() if isinstance(shape, kind)), "otherwise")


_WANTED: dict[type[Shape], str] = {
    AttributeValueShape: "an attribute value, such as {'S': 'text'} or {'N': '1.5'}",
    AttributeMap: "a dict",
    Boolean: "True or False",
    List: "a list",
    Map: "a dict",
    String: "text",
    Structure: "a dict",
    Timestamp: "a datetime or seconds",
    _Blob: "bytes",
}
_TEXT = String()
_TEXTS = List(member=_TEXT)
_CONTENTS: dict[str, Shape] = {
    "S": _TEXT,
    "N": _TEXT,
    "B": _Blob(),
    "SS": _TEXTS,
    "NS": _TEXTS,
    "BS": List(member=_Blob()),
    "M": AttributeMap(),
    "L": List(member=ATTRIBUTE_VALUE),
    "NULL": Boolean(),
    "BOOL": Boolean(),
}
