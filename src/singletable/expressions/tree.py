"""What all nodes of an expression share, and how to go through a tree of any depth.

Parsed text may nest thousands deep before the service's limits refuse it; so nothing that runs
before those limits are checked recurses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, Self, TypeVar, cast

from singletable.values import AttributeValue, Item

Values = Mapping[str, AttributeValue]
"""What the request gives for each ``:placeholder``."""

Parts = list[Any]
"""What the text of an expression depends on, in the order of the text; all of it can be hashed."""

Read = Callable[[Item, Values], AttributeValue | None]
"""Gives the value of an operand, or None where the item has none."""

R = TypeVar("R")


class Params(Protocol):
    """Collects the names and values of expressions while they are encoded."""

    def name(self, attribute: str) -> str:
        """Give the text that stands for an attribute name."""

    def value(self, value: AttributeValue) -> str:
        """Give the text that stands for a value."""


class Node:
    """A part of an expression; a leaf unless it says what its children are."""

    __slots__ = ()

    @property
    def children(self) -> tuple[Node, ...]:
        """Give the parts of this node, in the order of the text."""
        return ()

    def rebuild(self, children: tuple[Node, ...]) -> Self:
        """Give this node with other children."""
        return self

    def outline(self, parts: Parts, values: list[AttributeValue]) -> None:
        """Add to the parts all that the text depends on, and to the values those not there yet.

        Two nodes have the same parts exactly if they are encoded as the same text and names.
        """
        children = self.children
        parts.append(self.__class__)
        parts.append(len(children))
        for child in children:
            child.outline(parts, values)

    def encode(self, params: Params) -> str:
        """Write the node as text, its names and values into the params."""
        raise NotImplementedError


class Operand(Node):
    """A node that stands for a value."""

    __slots__ = ()

    def compile(self) -> Read:
        """Make the function that gives the value."""
        raise NotImplementedError

    def read(self, item: Item, values: Values) -> AttributeValue | None:
        """Give the value once; to read it of many items, or for many requests, compile."""
        return self.compile()(item, values)


@dataclass(frozen=True, slots=True)
class Binary(Node):
    """A node with an operator between two operands."""

    operator: str
    left: Operand
    right: Operand

    @property
    def children(self) -> tuple[Operand, ...]:
        """Give both operands."""
        return self.left, self.right

    def rebuild(self, children: tuple[Node, ...]) -> Self:
        """Put the operator between other operands."""
        left, right = cast("tuple[Operand, Operand]", children)
        return type(self)(self.operator, left, right)

    def outline(self, parts: Parts, values: list[AttributeValue]) -> None:
        """Name the operator, beside the operands."""
        parts.append(self.__class__)
        parts.append(self.operator)
        self.left.outline(parts, values)
        self.right.outline(parts, values)

    def encode(self, params: Params) -> str:
        """Write the operands with the operator between them."""
        return f"{self.left.encode(params)} {self.operator} {self.right.encode(params)}"


def walk(tree: Node) -> Iterator[tuple[Node, Node | None]]:
    """Give each node and its parent, before its children, from left to right."""
    ahead: list[tuple[Node, Node | None]] = [(tree, None)]
    while ahead:
        node, parent = ahead.pop()
        yield node, parent
        ahead.extend((child, node) for child in reversed(node.children))


def fold(tree: Node, visit: Callable[[Node, tuple[R, ...]], R]) -> R:
    """Visit each node after its children, from left to right, with their results."""
    ahead: list[tuple[Node, bool]] = [(tree, False)]
    results: list[R] = []
    while ahead:
        node, seen = ahead.pop()
        if not seen and node.children:
            ahead.append((node, True))
            ahead.extend((child, False) for child in reversed(node.children))
            continue
        cut = len(results) - len(node.children)
        results[cut:] = [visit(node, tuple(results[cut:]))]
    return results[0]
