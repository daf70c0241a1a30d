"""Conditions on the fields of an entity, as users write them: ``F("status") == "DONE"``.

A condition holds field paths and Python values and knows no entity, so it can be printed, compared
and shared. ``resolve`` makes an expression of it, with the attribute names and the encoding of one
entity. The price: a misspelt field is found when the condition is used, not where it is written.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NoReturn, cast

import singletable.expressions as nodes
from singletable.errors import UsageError
from singletable.expressions.functions import FUNCTIONS
from singletable.expressions.resolve import ALL_TYPES, OPTIONS_MAX

from .operands import Constant, Field, Literal, Operand, Part, Size
from .paths import Resolver, field_of, format_path, parse_path


class Condition:
    """What must hold of an item; ``&``, ``|`` and ``~`` combine conditions."""

    __slots__ = ()

    @property
    def fields(self) -> frozenset[str]:
        """Name the fields that the condition looks at."""
        raise NotImplementedError

    def resolve(self, resolver: Resolver) -> nodes.Condition:
        """Give the expression of the condition for an entity."""
        raise NotImplementedError

    def __and__(self, other: Condition) -> Condition:
        return _joined(nodes.And, self, other)

    def __or__(self, other: Condition) -> Condition:
        return _joined(nodes.Or, self, other)

    def __invert__(self) -> Condition:
        return Negated(self)

    def __bool__(self) -> NoReturn:
        raise UsageError(
            "A condition is neither true nor false before DynamoDB has seen the item. Combine "
            "conditions with & | ~ in place of and, or, not, each in its own parentheses: "
            '(F("a") == 1) & (F("b") > 2). For low <= field <= high write .between(low, high); '
            "to ask whether there is a condition at all, write 'is not None'."
        )


@dataclass(frozen=True, slots=True)
class Check(Condition):
    """One comparison or function, and its operands: the field first."""

    operator: str
    operands: tuple[Operand, ...]

    @property
    def fields(self) -> frozenset[str]:
        """Name the fields of all operands."""
        return frozenset(field_of(operand.path) for operand in self.operands)

    def resolve(self, resolver: Resolver) -> nodes.Condition:
        """Give the node of the operator."""
        first, *rest = (operand.resolve(resolver) for operand in self.operands)
        if self.operator == "BETWEEN":
            return nodes.Between(first, *rest)
        if self.operator == "IN":
            return nodes.In(first, tuple(rest))
        if self.operator in FUNCTIONS:
            return nodes.Call(self.operator, (first, *rest))
        return nodes.Comparison(self.operator, first, *rest)


@dataclass(frozen=True, slots=True)
class Joined(Condition):
    """Several conditions: all must hold (``And``), or any (``Or``)."""

    node: type[nodes.And | nodes.Or]
    conditions: tuple[Condition, ...]

    @property
    def fields(self) -> frozenset[str]:
        """Name the fields of all conditions."""
        return frozenset[str]().union(*(each.fields for each in self.conditions))

    def resolve(self, resolver: Resolver) -> nodes.Condition:
        """Join the expressions of all conditions."""
        return self.node(tuple(each.resolve(resolver) for each in self.conditions))


@dataclass(frozen=True, slots=True)
class Negated(Condition):
    """Holds if its condition does not."""

    condition: Condition

    @property
    def fields(self) -> frozenset[str]:
        """Name the fields of the condition."""
        return self.condition.fields

    def resolve(self, resolver: Resolver) -> nodes.Condition:
        """Negate the expression of the condition."""
        return nodes.Not(self.condition.resolve(resolver))


def _joined(node: type[nodes.And | nodes.Or], left: Condition, right: object) -> Condition:
    if not isinstance(right, Condition):
        return cast(Condition, NotImplemented)  # Python then names both types in its error
    # Flat, so that a few hundred conditions joined in a loop do not nest as deep.
    return Joined(node, (*_members(node, left), *_members(node, right)))


def _members(node: type[nodes.And | nodes.Or], condition: Condition) -> tuple[Condition, ...]:
    if isinstance(condition, Joined) and condition.node is node:
        return condition.conditions
    return (condition,)


class Comparable:  # noqa: PLW1641  # without a hash it cannot get lost in a set or dict
    """What conditions are built from: a field, or its size.

    ``==`` builds a condition and does not compare.
    """

    __slots__ = ("operand",)

    def __init__(self, operand: Operand) -> None:
        self.operand = operand

    def __eq__(self, other: object) -> Condition:  # type: ignore[override]  # builds, not compares
        return self._check("=", other)

    def __ne__(self, other: object) -> Condition:  # type: ignore[override]  # builds, not compares
        return self._check("<>", other)

    def __lt__(self, other: Any) -> Condition:
        return self._check("<", other)

    def __le__(self, other: Any) -> Condition:
        return self._check("<=", other)

    def __gt__(self, other: Any) -> Condition:
        return self._check(">", other)

    def __ge__(self, other: Any) -> Condition:
        return self._check(">=", other)

    def between(self, low: Any, high: Any) -> Condition:
        """Hold from ``low`` to ``high``, both included."""
        return self._check("BETWEEN", low, high)

    def is_in(self, options: Iterable[Any]) -> Condition:
        """Hold if the value is one of the options, of which there are 1 to 100."""
        if isinstance(options, str | bytes):  # or its characters would be the options
            raise UsageError(f"{self!r}.is_in() takes a list of values: [{options!r}].")
        several = tuple(options)
        if not 1 <= len(several) <= OPTIONS_MAX:
            raise UsageError(
                f"{self!r}.is_in() takes 1 to {OPTIONS_MAX} values, not {len(several)}. Nothing is "
                "in an empty list: leave the request out. Split a longer list with |."
            )
        return self._check("IN", *several)

    def __repr__(self) -> str:
        return f"F({self.operand.path!r})"

    def _check(self, operator: str, *others: Any) -> Condition:
        return Check(operator, (self.operand, *map(self._other, others)))

    def _other(self, value: Any) -> Operand:
        if isinstance(value, Comparable):
            return value.operand
        if value is None:
            field = f"F({self.operand.path!r})"
            raise UsageError(
                f"{field} cannot be compared with None: a field that is None has no attribute. "
                f"Write {field}.missing() or {field}.exists(); {field}.has_type('NULL') finds a "
                "NULL that something else has stored."
            )
        return self._against(value)

    def _against(self, value: Any) -> Operand:
        raise NotImplementedError


class SizeOf(Comparable):
    """The size of a field, to compare with whole numbers: characters, bytes or members."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"{super().__repr__()}.size()"

    def _against(self, value: Any) -> Operand:
        if not isinstance(value, int):
            raise UsageError(f"{self!r} is a whole number and cannot be compared with {value!r}.")
        return Constant(self.operand.path, {"N": f"{value:d}"})


class F(Comparable):
    """A field by its path: ``F("status")``, ``F("stats.reads")``, ``F("photos[0]")``.

    Several arguments are the elements of the path as they are: ``F("pages", "a.b", 0)``. Of an item
    that lacks the attribute only ``!=`` and ``missing()`` hold.
    """

    __slots__ = ()

    def __init__(self, path: str, *more: str | int) -> None:
        super().__init__(Field(format_path((path, *more) if more else parse_path(path))))

    @property
    def path(self) -> str:
        """Give the path as one text."""
        return self.operand.path

    def exists(self) -> Condition:
        """Hold if the item has the attribute."""
        return self._check("attribute_exists")

    def missing(self) -> Condition:
        """Hold if the item has no such attribute, or if there is no item."""
        return self._check("attribute_not_exists")

    def has_type(self, kind: str) -> Condition:
        """Hold if the attribute has a DynamoDB type: ``"S"``, ``"N"``, ``"M"``, ..."""
        if kind not in ALL_TYPES:
            raise UsageError(f"{kind!r} is no type of DynamoDB: {', '.join(sorted(ALL_TYPES))}.")
        return Check("attribute_type", (self.operand, Constant(self.path, {"S": kind})))

    def begins_with(self, prefix: str | bytes | F) -> Condition:
        """Hold if the text or bytes begin so; a prefix need not be a whole value of the field."""
        if isinstance(prefix, F):
            return self._check("begins_with", prefix)
        if not isinstance(prefix, str | bytes):
            raise UsageError(f"{self!r} begins with text or bytes, not with {prefix!r}.")
        content = {"S" if isinstance(prefix, str) else "B": prefix}
        return Check("begins_with", (self.operand, Constant(self.path, content)))

    def contains(self, part: Any) -> Condition:
        """Hold if a text has this part, or a list or set this member."""
        member = part.operand if isinstance(part, F) else Part(self.path, part)
        return Check("contains", (self.operand, member))

    def size(self) -> SizeOf:
        """Give the size of a text (characters), bytes, list, set or map (members)."""
        return SizeOf(Size(self.path))

    def _against(self, value: Any) -> Operand:
        return Literal(self.path, value)
