"""Write expressions built in Python into a request, with names and values of their own.

The texts of a program are few, and its values many: a text is written once, and kept for the
requests after it that differ in their values alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from singletable.values import AttributeValue

from .placeholders import NAMES, VALUES
from .recent import Recent
from .tree import Node, Parts


class Encoder:
    """Collects the names and values of a request's expressions while they are encoded.

    A name that comes twice gets one placeholder; so does a value.
    """

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self.values: list[AttributeValue] = []

    def name(self, attribute: str) -> str:
        """Give the ``#name`` that stands for an attribute name."""
        alias = self.names.get(attribute)
        if alias is None:
            alias = self.names[attribute] = f"#n{len(self.names)}"
        return alias

    def value(self, value: AttributeValue) -> str:
        """Give the ``:value`` that stands for a value."""
        if value not in self.values:
            self.values.append(value)
        return f":v{self.values.index(value)}"


class Written(NamedTuple):
    """What requests have in common whose expressions differ in their values alone."""

    texts: dict[str, str]
    names: dict[str, str]
    placeholders: tuple[str, ...]

    @property
    def size(self) -> int:
        """Give the length of all texts and names."""
        return sum(map(len, (*self.texts.values(), *self.names, *self.names.values())))


_WRITTEN: Recent[Written] = Recent()


def encode(expressions: Mapping[str, Node]) -> dict[str, Any]:
    """Give the request members for expressions by parameter, names and values included.

    ``{"ConditionExpression": tree}`` becomes the text, and what its placeholders stand for.
    """
    parts: Parts = []
    values: list[AttributeValue] = []
    for parameter, tree in expressions.items():
        parts.append(parameter)
        tree.outline(parts, values)
    outline = tuple(parts)
    written = _WRITTEN.get(outline)
    if written is None:
        written = _written(expressions, values)
        _WRITTEN.keep(outline, written, written.size)
    texts, names, placeholders = written
    request: dict[str, Any] = texts.copy()
    if names:
        request[NAMES] = names.copy()  # a caller may do with the request what it likes
    if values:
        request[VALUES] = dict(zip(placeholders, values, strict=True))
    return request


def _written(expressions: Mapping[str, Node], values: list[AttributeValue]) -> Written:
    encoder = Encoder()
    texts = {parameter: tree.encode(encoder) for parameter, tree in expressions.items()}
    assert encoder.values == values  # or the text would be filled in with others next time
    names = {alias: name for name, alias in encoder.names.items()}
    return Written(texts, names, tuple(f":v{at}" for at in range(len(values))))
