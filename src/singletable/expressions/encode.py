"""Write expressions built in Python into a request, with names and values of their own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from singletable.values import AttributeValue

from .placeholders import NAMES, VALUES
from .tree import Node


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
        for at, known in enumerate(self.values):
            if known == value:
                return f":v{at}"
        self.values.append(value)
        return f":v{len(self.values) - 1}"


def encode(expressions: Mapping[str, Node]) -> dict[str, Any]:
    """Give the request members for expressions by parameter, names and values included.

    ``{"ConditionExpression": tree}`` becomes the text, and what its placeholders stand for.
    """
    encoder = Encoder()
    request: dict[str, Any] = {
        parameter: tree.encode(encoder) for parameter, tree in expressions.items()
    }
    if encoder.names:
        request[NAMES] = {alias: name for name, alias in encoder.names.items()}
    if encoder.values:
        request[VALUES] = {f":v{at}": value for at, value in enumerate(encoder.values)}
    return request
