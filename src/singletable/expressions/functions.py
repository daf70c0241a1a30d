"""The functions of the expression language, and the node that calls one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, cast

from singletable.values import AttributeValue, Item

from .conditions import Condition, Test
from .operands import incorrect_type, required
from .tree import Node, Operand, Params, Parts, Read, Values

Operands = tuple[Operand, ...]

UNSIZED = frozenset({"N", "BOOL", "NULL"})
"""The types that ``size`` does not measure."""


class Use(Enum):
    """In which expressions a function may stand, and where."""

    CONDITION = "as a condition"
    OPERAND = "as an operand of a condition"
    UPDATE = "as an operand of an update"
    UPDATE_WHOLE = "as the whole right side of a SET"


@dataclass(frozen=True, slots=True)
class Function:
    """What is known of a function: where it may stand, how many operands it takes, what it does."""

    use: Use
    arity: int
    compile: Callable[..., Callable[[Item, Values], Any]]
    """Makes of the operands the function that gives what a call gives."""


@dataclass(frozen=True, slots=True)
class Call(Condition, Operand):
    """A call of a function, as a condition or as an operand, as its ``use`` says."""

    function: str
    operands: Operands

    @property
    def children(self) -> Operands:
        """Give the operands."""
        return self.operands

    def rebuild(self, children: tuple[Node, ...]) -> Call:
        """Give a call of the same function with other operands."""
        return Call(self.function, cast(Operands, children))

    def compile(self) -> Callable[[Item, Values], Any]:
        """Make the function that tells whether the call holds, or gives its value."""
        return FUNCTIONS[self.function].compile(*self.operands)

    def outline(self, parts: Parts, values: list[AttributeValue]) -> None:
        """Name the function, beside the operands."""
        parts.append(self.function)
        parts.append(len(self.operands))
        for operand in self.operands:
            operand.outline(parts, values)

    def encode(self, params: Params) -> str:
        """Write the call."""
        operands = ", ".join([operand.encode(params) for operand in self.operands])
        return f"{self.function}({operands})"


def _attribute_exists(path: Operand) -> Test:
    read = path.compile()
    return lambda item, values: read(item, values) is not None


def _attribute_not_exists(path: Operand) -> Test:
    read = path.compile()
    return lambda item, values: read(item, values) is None


def _attribute_type(operand: Operand, kind: Operand) -> Test:
    return _both(operand, kind, lambda value, kind: kind["S"] in value)


def _begins_with(operand: Operand, prefix: Operand) -> Test:
    return _both(operand, prefix, begins_with)


def _contains(operand: Operand, part: Operand) -> Test:
    return _both(operand, part, contains)


def _both(
    first: Operand, second: Operand, holds: Callable[[AttributeValue, AttributeValue], bool]
) -> Test:
    """Test two values, which must both be there."""
    read, read_other = first.compile(), second.compile()

    def test(item: Item, values: Values) -> bool:
        value, other = read(item, values), read_other(item, values)
        return value is not None and other is not None and holds(value, other)

    return test


def begins_with(value: AttributeValue, prefix: AttributeValue) -> bool:
    """Tell whether a text or binary begins with another."""
    [(kind, start)] = prefix.items()
    return kind in ("S", "B") and kind in value and value[kind].startswith(start)


def contains(whole: AttributeValue, part: AttributeValue) -> bool:
    """Tell whether a text, binary, set or list has the part in it."""
    [(kind, content)] = whole.items()
    if kind == "L":
        return part in content
    [(part_kind, part_content)] = part.items()
    return kind in (part_kind, f"{part_kind}S") and kind in _CONTAINERS and part_content in content


_CONTAINERS = frozenset({"S", "B", "SS", "NS", "BS"})


def _size(operand: Operand) -> Read:
    read = operand.compile()

    def measure(item: Item, values: Values) -> AttributeValue | None:
        value = read(item, values)
        return None if value is None else size(value)

    return measure


def size(value: AttributeValue) -> AttributeValue | None:
    """Give how long a value is, as a number; None where its type has no length."""
    [(kind, content)] = value.items()
    if kind in UNSIZED:
        return None
    # A text's size is in UTF-16 units, as Java counts.
    units = content if kind != "S" or content.isascii() else content.encode("utf-16-le")[::2]
    return {"N": str(len(units))}


def _if_not_exists(path: Operand, operand: Operand) -> Read:
    read, read_other = path.compile(), required(operand)

    def choose(item: Item, values: Values) -> AttributeValue:
        value = read(item, values)
        other = read_other(item, values)  # observed: needed even where it is not used
        return other if value is None else value

    return choose


def _list_append(first: Operand, second: Operand) -> Read:
    read, read_other = required(first), required(second)

    def append(item: Item, values: Values) -> AttributeValue:
        return {"L": [*_members(read(item, values)), *_members(read_other(item, values))]}

    return append


def _members(value: AttributeValue) -> list[AttributeValue]:
    """Give the members of a list, or raise."""
    if "L" not in value:
        raise incorrect_type()
    members: list[AttributeValue] = value["L"]
    return members


FUNCTIONS: dict[str, Function] = {
    "attribute_exists": Function(Use.CONDITION, 1, _attribute_exists),
    "attribute_not_exists": Function(Use.CONDITION, 1, _attribute_not_exists),
    "attribute_type": Function(Use.CONDITION, 2, _attribute_type),
    "begins_with": Function(Use.CONDITION, 2, _begins_with),
    "contains": Function(Use.CONDITION, 2, _contains),
    "size": Function(Use.OPERAND, 1, _size),
    "if_not_exists": Function(Use.UPDATE, 2, _if_not_exists),
    "list_append": Function(Use.UPDATE_WHOLE, 2, _list_append),
}
