"""What conditions compare: fields, their sizes, and the values to hold against them.

Each knows the path of its field, by which an entity encodes a value.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import singletable.expressions as nodes

from .paths import Resolver


@dataclass(frozen=True, slots=True)
class Operand:
    """What a condition compares: a field, its size, or a value to hold against them."""

    path: str

    def resolve(self, resolver: Resolver) -> nodes.Operand:
        """Give the node of the operand for an entity."""
        raise NotImplementedError


class Field(Operand):
    """The value at a path."""

    __slots__ = ()

    def resolve(self, resolver: Resolver) -> nodes.Operand:
        """Give the path."""
        return resolver.path(self.path)


class Size(Operand):
    """The size of the value at a path."""

    __slots__ = ()

    def resolve(self, resolver: Resolver) -> nodes.Operand:
        """Give the call of ``size``."""
        return nodes.Call("size", (resolver.path(self.path),))


@dataclass(frozen=True, slots=True)
class Literal(Operand):
    """A value, encoded as the field at the path encodes its own."""

    value: Any

    def resolve(self, resolver: Resolver) -> nodes.Operand:
        """Encode the value."""
        return nodes.Value(resolver.compared(self.path, self.value))


class Part(Literal):
    """A member of a list or set, or a part of a text."""

    __slots__ = ()

    def resolve(self, resolver: Resolver) -> nodes.Operand:
        """Encode the member."""
        return nodes.Value(resolver.element(self.path, self.value))


class Constant(Literal):
    """An attribute value as it is, whatever the field holds."""

    __slots__ = ()

    def resolve(self, resolver: Resolver) -> nodes.Operand:
        """Give the value."""
        return nodes.Value(self.value)
