"""What conditions and updates compute with, beside paths: values, placeholders, sums."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import cast

from singletable.errors import ValidationException
from singletable.values import (
    DIGITS_MAX,
    EXACT,
    AttributeValue,
    Item,
    check_number,
    format_number,
)

from .paths import Path
from .tree import Binary, Operand, Params, Parts, Read, Values

INCORRECT_TYPE = "An operand in the update expression has an incorrect data type"


@dataclass(frozen=True, slots=True)
class Value(Operand):
    """A value in the tree itself, in canonical form."""

    content: AttributeValue

    def compile(self) -> Read:
        """Make the function that gives the value."""
        content = self.content
        return lambda _item, _values: content

    def outline(self, parts: Parts, values: list[AttributeValue]) -> None:
        """Give the place of the value among the values; what equals another has the same."""
        content = self.content
        if content in values:
            parts.append(values.index(content))
        else:
            parts.append(len(values))
            values.append(content)

    def encode(self, params: Params) -> str:
        """Write the placeholder that the params give to the value."""
        return params.value(self.content)


@dataclass(frozen=True, slots=True)
class Placeholder(Operand):
    """A ``:name`` that stands for a value of the request."""

    name: str

    def compile(self) -> Read:
        """Make the function that gives the request's value."""
        name = self.name
        return lambda _item, values: values[name]

    def outline(self, parts: Parts, values: list[AttributeValue]) -> None:
        """Give the name."""
        parts.append(self.name)

    def encode(self, params: Params) -> str:
        """Write the placeholder as it is."""
        return self.name


@dataclass(frozen=True, slots=True)
class Arithmetic(Binary, Operand):
    """A sum or difference of two numbers; only updates have it."""

    def compile(self) -> Read:
        """Make the function that computes, exactly; it raises where an operand is no number."""
        left, right, operator = required(self.left), required(self.right), self.operator

        def compute(item: Item, values: Values) -> AttributeValue:
            return total(number(left(item, values)), number(right(item, values)), operator)

        return compute


def required(operand: Operand) -> Callable[[Item, Values], AttributeValue]:
    """Compile an operand of an update: it raises where the item has no value for it.

    Only a path may lead to nothing.
    """
    read = operand.compile()
    if not isinstance(operand, Path):
        return cast("Callable[[Item, Values], AttributeValue]", read)

    def read_required(item: Item, values: Values) -> AttributeValue:
        value = read(item, values)
        if value is None:
            raise ValidationException(
                "The provided expression refers to an attribute that does not exist in the item"
            )
        return value

    return read_required


def incorrect_type() -> ValidationException:
    """Say that what the item holds cannot be updated in this way."""
    return ValidationException(INCORRECT_TYPE)


def number(value: AttributeValue) -> str:
    """Give the text of a number, or raise."""
    if "N" not in value:
        raise incorrect_type()
    text: str = value["N"]
    return text


def total(left: str, right: str, operator: str = "+") -> AttributeValue:
    """Add or subtract two numbers exactly, or raise where 38 digits do not hold the result."""
    if max(len(left), len(right)) < DIGITS_MAX and "." not in left and "." not in right:
        whole = int(left) + int(right) if operator == "+" else int(left) - int(right)
        return {"N": str(whole)}
    compute = EXACT.add if operator == "+" else EXACT.subtract
    return {"N": format_number(check_number(compute(Decimal(left), Decimal(right))))}
