"""Conditions: nodes that hold of an item or do not.

An attribute that the item lacks makes a comparison false, except ``<>``. Values of different types
are never equal and have no order. Canonical values are equal exactly if Python says so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Self, cast

from singletable.values import AttributeValue, Item

from .tree import Binary, Node, Operand, Params, Values

ORDERED = frozenset({"S", "N", "B"})
"""The types whose values have an order."""


class Condition(Node):
    """Is a node that holds of an item or does not; ``&``, ``|`` and ``~`` combine them."""

    __slots__ = ()

    def evaluate(self, item: Item, values: Values) -> bool:
        """Tell whether the condition holds of the item."""
        raise NotImplementedError

    def __and__(self, other: Condition) -> And:
        return And((*_members(And, self), *_members(And, other)))

    def __or__(self, other: Condition) -> Or:
        return Or((*_members(Or, self), *_members(Or, other)))

    def __invert__(self) -> Not:
        return Not(self)


@dataclass(frozen=True, slots=True)
class _Junction(Condition):
    """Joins conditions, at least two."""

    conditions: tuple[Condition, ...]

    @property
    def children(self) -> tuple[Condition, ...]:
        """Give the conditions."""
        return self.conditions

    def rebuild(self, children: tuple[Node, ...]) -> Self:
        """Join other conditions in the same way."""
        return type(self)(cast("tuple[Condition, ...]", children))


@dataclass(frozen=True, slots=True)
class And(_Junction):
    """Holds if all of its conditions do; there are at least two."""

    def evaluate(self, item: Item, values: Values) -> bool:
        """Tell whether all hold."""
        for condition in self.conditions:  # noqa: SIM110  # a generator would double the stack
            if not condition.evaluate(item, values):
                return False
        return True

    def encode(self, params: Params) -> str:
        """Write the conditions with AND between them."""
        return " AND ".join(_inside(each, (And, Or), params) for each in self.conditions)


@dataclass(frozen=True, slots=True)
class Or(_Junction):
    """Holds if any of its conditions does; there are at least two."""

    def evaluate(self, item: Item, values: Values) -> bool:
        """Tell whether any holds."""
        for condition in self.conditions:  # noqa: SIM110  # a generator would double the stack
            if condition.evaluate(item, values):
                return True
        return False

    def encode(self, params: Params) -> str:
        """Write the conditions with OR between them."""
        return " OR ".join(_inside(each, (Or,), params) for each in self.conditions)


@dataclass(frozen=True, slots=True)
class Not(Condition):
    """Holds if its condition does not."""

    condition: Condition

    @property
    def children(self) -> tuple[Condition, ...]:
        """Give the condition."""
        return (self.condition,)

    def rebuild(self, children: tuple[Node, ...]) -> Not:
        """Give the negation of another condition."""
        return Not(cast(Condition, children[0]))

    def evaluate(self, item: Item, values: Values) -> bool:
        """Tell whether the condition fails."""
        return not self.condition.evaluate(item, values)

    def encode(self, params: Params) -> str:
        """Write the condition behind NOT."""
        return f"NOT {_inside(self.condition, (And, Or), params)}"


@dataclass(frozen=True, slots=True)
class Comparison(Binary, Condition):
    """Compares two values: ``=``, ``<>``, ``<``, ``<=``, ``>``, ``>=``."""

    def evaluate(self, item: Item, values: Values) -> bool:
        """Tell whether the values compare so."""
        left = self.left.read(item, values)
        right = self.right.read(item, values)
        return COMPARE[self.operator](left, right)


@dataclass(frozen=True, slots=True)
class Between(Condition):
    """Holds if a value lies between two others, both included."""

    operand: Operand
    low: Operand
    high: Operand

    @property
    def children(self) -> tuple[Operand, ...]:
        """Give the value and its bounds."""
        return self.operand, self.low, self.high

    def rebuild(self, children: tuple[Node, ...]) -> Between:
        """Give this condition of other operands."""
        return Between(*cast("tuple[Operand, Operand, Operand]", children))

    def evaluate(self, item: Item, values: Values) -> bool:
        """Tell whether the value lies within the bounds."""
        operand = self.operand.read(item, values)
        low, high = self.low.read(item, values), self.high.read(item, values)
        return COMPARE[">="](operand, low) and COMPARE["<="](operand, high)

    def encode(self, params: Params) -> str:
        """Write the condition."""
        operand, low, high = (each.encode(params) for each in self.children)
        return f"{operand} BETWEEN {low} AND {high}"


@dataclass(frozen=True, slots=True)
class In(Condition):
    """Holds if a value equals one of several."""

    operand: Operand
    options: tuple[Operand, ...]

    @property
    def children(self) -> tuple[Operand, ...]:
        """Give the value, then those it may equal."""
        return self.operand, *self.options

    def rebuild(self, children: tuple[Node, ...]) -> In:
        """Give this condition of other operands."""
        operand, *options = cast("tuple[Operand, ...]", children)
        return In(operand, tuple(options))

    def evaluate(self, item: Item, values: Values) -> bool:
        """Tell whether the value equals one of the options."""
        operand = self.operand.read(item, values)
        return operand is not None and any(
            operand == option.read(item, values) for option in self.options
        )

    def encode(self, params: Params) -> str:
        """Write the condition."""
        operand, *options = [each.encode(params) for each in self.children]
        return f"{operand} IN ({', '.join(options)})"


def _members(kind: type[_Junction], condition: Condition) -> tuple[Condition, ...]:
    return condition.conditions if isinstance(condition, kind) else (condition,)


def _inside(condition: Condition, looser: tuple[type, ...], params: Params) -> str:
    text = condition.encode(params)
    return f"({text})" if isinstance(condition, looser) else text


def ordered(left: AttributeValue | None, right: AttributeValue | None) -> tuple[Any, Any] | None:
    """Give what two values are ordered by, or None where they have no order."""
    if left is None or right is None:
        return None
    [(kind, first)] = left.items()
    if kind not in ORDERED or kind not in right:
        return None
    second = right[kind]
    # Text is ordered by its UTF-8 bytes, which is the order of code points, which is Python's.
    return (Decimal(first), Decimal(second)) if kind == "N" else (first, second)


def _equal(left: AttributeValue | None, right: AttributeValue | None) -> bool:
    return left is not None and left == right


def _different(left: AttributeValue | None, right: AttributeValue | None) -> bool:
    return left is None or left != right


def _less(left: AttributeValue | None, right: AttributeValue | None) -> bool:
    pair = ordered(left, right)
    return pair is not None and pair[0] < pair[1]


def _less_or_equal(left: AttributeValue | None, right: AttributeValue | None) -> bool:
    pair = ordered(left, right)
    return pair is not None and pair[0] <= pair[1]


def _greater(left: AttributeValue | None, right: AttributeValue | None) -> bool:
    pair = ordered(left, right)
    return pair is not None and pair[0] > pair[1]


def _greater_or_equal(left: AttributeValue | None, right: AttributeValue | None) -> bool:
    pair = ordered(left, right)
    return pair is not None and pair[0] >= pair[1]


COMPARE: dict[str, Callable[[AttributeValue | None, AttributeValue | None], bool]] = {
    "=": _equal,
    "<>": _different,
    "<": _less,
    "<=": _less_or_equal,
    ">": _greater,
    ">=": _greater_or_equal,
}
