"""The functions of the expression language, and the node that calls one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, cast

from singletable.values import AttributeValue, Item

from .conditions import Condition
from .operands import incorrect_type, required
from .tree import Node, Operand, Params, Parts, Values

Operands = tuple[Operand, ...]

UNSIZED = frozenset({"N", "BOOL", "NULL"})
"""The types that ``size`` does not measure."""


class Use(Enum):
    """Says in which expressions a function may stand, and where."""

    CONDITION = "as a condition"
    OPERAND = "as an operand of a condition"
    UPDATE = "as an operand of an update"
    UPDATE_WHOLE = "as the whole right side of a SET"


@dataclass(frozen=True, slots=True)
class Function:
    """What is known of a function: where it may stand, how many operands it takes, what it does."""

    use: Use
    arity: int
    run: Callable[[Operands, Item, Values], Any]


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

    def evaluate(self, item: Item, values: Values) -> bool:
        """Tell whether the function holds."""
        holds: bool = FUNCTIONS[self.function].run(self.operands, item, values)
        return holds

    def read(self, item: Item, values: Values) -> AttributeValue | None:
        """Give what the function gives."""
        value: AttributeValue | None = FUNCTIONS[self.function].run(self.operands, item, values)
        return value

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


def _attribute_exists(operands: Operands, item: Item, values: Values) -> bool:
    return operands[0].read(item, values) is not None


def _attribute_not_exists(operands: Operands, item: Item, values: Values) -> bool:
    return operands[0].read(item, values) is None


def _attribute_type(operands: Operands, item: Item, values: Values) -> bool:
    value, kind = (operand.read(item, values) for operand in operands)
    return value is not None and kind is not None and kind["S"] in value


def _begins_with(operands: Operands, item: Item, values: Values) -> bool:
    value, prefix = (operand.read(item, values) for operand in operands)
    if value is None or prefix is None:
        return False
    [(kind, start)] = prefix.items()
    return kind in ("S", "B") and kind in value and value[kind].startswith(start)


def _contains(operands: Operands, item: Item, values: Values) -> bool:
    whole, part = (operand.read(item, values) for operand in operands)
    return whole is not None and part is not None and contains(whole, part)


def contains(whole: AttributeValue, part: AttributeValue) -> bool:
    """Tell whether a text, binary, set or list has the part in it."""
    [(kind, content)] = whole.items()
    if kind == "L":
        return part in content
    [(part_kind, part_content)] = part.items()
    return kind in (part_kind, f"{part_kind}S") and kind in _CONTAINERS and part_content in content


_CONTAINERS = frozenset({"S", "B", "SS", "NS", "BS"})


def _size(operands: Operands, item: Item, values: Values) -> AttributeValue | None:
    value = operands[0].read(item, values)
    if value is None:
        return None
    [(kind, content)] = value.items()
    if kind in UNSIZED:
        return None
    # A text's size is in UTF-16 units, as Java counts.
    units = content if kind != "S" or content.isascii() else content.encode("utf-16-le")[::2]
    return {"N": str(len(units))}


def _if_not_exists(operands: Operands, item: Item, values: Values) -> AttributeValue:
    value = operands[0].read(item, values)
    other = required(operands[1], item, values)  # observed: needed even where it is not used
    return other if value is None else value


def _list_append(operands: Operands, item: Item, values: Values) -> AttributeValue:
    first, second = (required(operand, item, values) for operand in operands)
    if "L" not in first or "L" not in second:
        raise incorrect_type()
    return {"L": [*first["L"], *second["L"]]}


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
