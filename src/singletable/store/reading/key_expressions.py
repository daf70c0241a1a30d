"""Key conditions as text: an expression of placeholders, their names, and their values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from singletable.values import AttributeValue

from .key_conditions import Test


def key_expression(
    tests: Sequence[Test], names: Mapping[str, str], values: Mapping[str, AttributeValue]
) -> dict[str, Any]:
    """Give the members of a request that say its key conditions, with other names and values."""
    text, attributes, placeholders = _written(
        tuple([(test.attribute, test.operator, len(test.values)) for test in tests])
    )
    operands = [value for test in tests for value in test.values]
    by_placeholder = dict(zip(placeholders, operands, strict=True))
    return {
        "KeyConditionExpression": text,
        "ExpressionAttributeNames": {**attributes, **names} if names else attributes,
        "ExpressionAttributeValues": {**by_placeholder, **values} if values else by_placeholder,
    }


@lru_cache(maxsize=1024)
def _written(
    tests: tuple[tuple[str, str, int], ...],
) -> tuple[str, dict[str, str], tuple[str, ...]]:
    """Write key conditions; the texts of a design are few, so each is written once."""
    names: dict[str, str] = {}
    placeholders: list[str] = []
    clauses = []
    for at, (attribute, operator, count) in enumerate(tests):
        name = f"#k{at}"
        names[name] = attribute
        operands = [f":k{len(placeholders) + number}" for number in range(count)]
        placeholders += operands
        clauses.append(_clause(name, operator, operands))
    return " AND ".join(clauses), names, tuple(placeholders)


def _clause(name: str, operator: str, operands: list[str]) -> str:
    if operator == "begins_with":
        return f"begins_with({name}, {operands[0]})"
    return f"{name} {operator} {' AND '.join(operands)}"
