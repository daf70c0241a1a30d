"""Key conditions as text: an expression of placeholders, their names, and their values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from singletable.values import AttributeValue, Item

from .key_conditions import Test


def key_expression(
    partition: Item,
    tests: Iterable[Test],
    names: Mapping[str, str],
    values: Mapping[str, AttributeValue],
) -> dict[str, Any]:
    """Give the members of a request that say its key conditions, with other names and values."""
    clauses: list[tuple[str, str]] = []
    operands: list[AttributeValue] = []
    for attribute, value in partition.items():
        clauses.append((attribute, "="))
        operands.append(value)
    for attribute, operator, contents in tests:
        clauses.append((attribute, operator))
        operands += contents
    text, attributes, placeholders = _written(*clauses)
    by_placeholder = dict(zip(placeholders, operands, strict=True))
    return {
        "KeyConditionExpression": text,
        "ExpressionAttributeNames": {**attributes, **names} if names else attributes,
        "ExpressionAttributeValues": {**by_placeholder, **values} if values else by_placeholder,
    }


@lru_cache(maxsize=1024)
def _written(*clauses: tuple[str, str]) -> tuple[str, dict[str, str], tuple[str, ...]]:
    """Write key conditions; the texts of a design are few, so each is written once."""
    names: dict[str, str] = {}
    placeholders: list[str] = []
    texts = []
    for at, (attribute, operator) in enumerate(clauses):
        name = f"#k{at}"
        names[name] = attribute
        count = 2 if operator == "BETWEEN" else 1
        operands = [f":k{len(placeholders) + number}" for number in range(count)]
        placeholders += operands
        texts.append(_clause(name, operator, operands))
    return " AND ".join(texts), names, tuple(placeholders)


def _clause(name: str, operator: str, operands: list[str]) -> str:
    if operator == "begins_with":
        return f"begins_with({name}, {operands[0]})"
    return f"{name} {operator} {' AND '.join(operands)}"
