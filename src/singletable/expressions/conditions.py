"""Conditions: nodes that hold of an item or do not.

An attribute that the item lacks makes a comparison false, except ``<>``. Values of different types
are never equal and have no order. Canonical values are equal exactly if Python says so.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Any, ClassVar, Self, cast

from singletable.values import AttributeValue, Item

from .tree import Binary, Node, Operand, Params, Read, Values

Test = Callable[[Item, Values], bool]
"""Tells whether a condition holds of an item."""

Compare = Callable[[AttributeValue | None, AttributeValue | None], bool]
"""Tells whether two values, each of which may be missing, compare in a way."""

ORDERED = frozenset({"S", "N", "B"})
"""The types whose values have an order."""


class Condition(Node):
    """A node that holds of an item or does not; ``&``, ``|`` and ``~`` combine them."""

    __slots__ = ()

    def compile(self) -> Test:
        """Make the function that tells whether the condition holds of an item."""
        raise NotImplementedError

    def evaluate(self, item: Item, values: Values) -> bool:
        """Tell once whether the condition holds; to ask of many items, compile."""
        return self.compile()(item, values)

    def __and__(self, other: Condition) -> And:
        return And((*_members(And, self), *_members(And, other)))

    def __or__(self, other: Condition) -> Or:
        return Or((*_members(Or, self), *_members(Or, other)))

    def __invert__(self) -> Not:
        return Not(self)


@dataclass(frozen=True, slots=True)
class _Junction(Condition):
    """Joins conditions, at least two."""

    decided: ClassVar[bool]
    """What one of the conditions has to be for the rest not to matter."""
    conditions: tuple[Condition, ...]

    @property
    def children(self) -> tuple[Condition, ...]:
        """Give the conditions."""
        return self.conditions

    def rebuild(self, children: tuple[Node, ...]) -> Self:
        """Join other conditions in the same way."""
        return type(self)(cast("tuple[Condition, ...]", children))

    def compile(self) -> Test:
        """Make the function that asks one condition after another, until it is decided."""
        tests, decided = [condition.compile() for condition in self.conditions], self.decided

        def test(item: Item, values: Values) -> bool:
            for each in tests:
                if each(item, values) == decided:
                    return decided
            return not decided

        return test


@dataclass(frozen=True, slots=True)
class And(_Junction):
    """Holds if all of its conditions do; there are at least two."""

    decided: ClassVar[bool] = False

    def encode(self, params: Params) -> str:
        """Write the conditions with AND between them."""
        return " AND ".join(_inside(each, (And, Or), params) for each in self.conditions)


@dataclass(frozen=True, slots=True)
class Or(_Junction):
    """Holds if any of its conditions does; there are at least two."""

    decided: ClassVar[bool] = True

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

    def compile(self) -> Test:
        """Make the function that tells whether the condition fails."""
        test = self.condition.compile()
        return lambda item, values: not test(item, values)

    def encode(self, params: Params) -> str:
        """Write the condition behind NOT."""
        return f"NOT {_inside(self.condition, (And, Or), params)}"


@dataclass(frozen=True, slots=True)
class Comparison(Binary, Condition):
    """Compares two values: ``=``, ``<>``, ``<``, ``<=``, ``>``, ``>=``."""

    def compile(self) -> Test:
        """Make the function that tells whether the values compare so."""
        left, right, compare = self.left.compile(), self.right.compile(), COMPARE[self.operator]
        return lambda item, values: compare(left(item, values), right(item, values))


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

    def compile(self) -> Test:
        """Make the function that tells whether the value lies within the bounds."""
        read, low, high = self.operand.compile(), self.low.compile(), self.high.compile()
        is_above, is_below = COMPARE[">="], COMPARE["<="]

        def test(item: Item, values: Values) -> bool:
            value = read(item, values)
            return is_above(value, low(item, values)) and is_below(value, high(item, values))

        return test

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

    def compile(self) -> Test:
        """Make the function that tells whether the value equals one of the options."""
        read, options = self.operand.compile(), [option.compile() for option in self.options]

        def test(item: Item, values: Values) -> bool:
            value = read(item, values)
            return value is not None and any(value == option(item, values) for option in options)

        return test

    def encode(self, params: Params) -> str:
        """Write the condition."""
        operand, *options = [each.encode(params) for each in self.children]
        return f"{operand} IN ({', '.join(options)})"


@dataclass(frozen=True, slots=True)
class Truth(Operand):
    """A condition as a value, true or false; only PartiQL has it."""

    condition: Condition

    @property
    def children(self) -> tuple[Condition, ...]:
        """Give the condition."""
        return (self.condition,)

    def rebuild(self, children: tuple[Node, ...]) -> Truth:
        """Give the value of another condition."""
        return Truth(cast(Condition, children[0]))

    def compile(self) -> Read:
        """Make the function that gives whether the condition holds."""
        test = self.condition.compile()
        return lambda item, values: {"BOOL": test(item, values)}


def conjuncts(tree: Condition) -> Iterator[Condition]:
    """Give the conditions that must all hold, from left to right."""
    ahead = [tree]
    while ahead:
        condition = ahead.pop()
        if isinstance(condition, And):
            ahead.extend(reversed(condition.conditions))
        else:
            yield condition


def _members(kind: type[_Junction], condition: Condition) -> tuple[Condition, ...]:
    return condition.conditions if isinstance(condition, kind) else (condition,)


def _inside(condition: Condition, looser: tuple[type, ...], params: Params) -> str:
    text = condition.encode(params)
    return f"({text})" if isinstance(condition, looser) else text


def _equal(left: AttributeValue | None, right: AttributeValue | None) -> bool:
    return left is not None and left == right


def _different(left: AttributeValue | None, right: AttributeValue | None) -> bool:
    return left is None or left != right


def _ordered(holds: Callable[[Any, Any], bool]) -> Compare:
    def compare(left: AttributeValue | None, right: AttributeValue | None) -> bool:
        if left is None or right is None:
            return False
        [(kind, first)] = left.items()
        if kind not in ORDERED or kind not in right:
            return False
        if kind == "N":
            return holds(_decimal(first), _decimal(right["N"]))
        # Text is ordered by its UTF-8 bytes, which is the order of code points, which is Python's.
        return holds(first, right[kind])

    return compare


_decimal = lru_cache(maxsize=1024)(Decimal)

COMPARE: dict[str, Compare] = {
    "=": _equal,
    "<>": _different,
    "<": _ordered(operator.lt),
    "<=": _ordered(operator.le),
    ">": _ordered(operator.gt),
    ">=": _ordered(operator.ge),
}
