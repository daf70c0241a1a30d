"""The order in which the service lists names in its messages: that of a Java hash table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

T = TypeVar("T")


ELEMENT = 0xFDF81
"""How much the hash of a path's element is above that of its name or index; observed."""


def hash_order(members: Iterable[T]) -> list[T]:
    """List strings and numbers as a Java ``HashSet`` made of them all would."""
    listed = list(members)
    slots = 16
    while slots < len(listed) / 0.75 + 1:
        slots *= 2
    return sorted(listed, key=lambda member: _spread(_code(member)) & (slots - 1))


def first_element(elements: Iterable[T]) -> T:
    """Give the name or index that comes first in a Java ``HashMap`` of paths' elements."""
    listed = list(elements)
    slots = 16
    while len(listed) > slots * 0.75:
        slots *= 2
    return min(listed, key=lambda each: _spread(_code(each) + ELEMENT) & (slots - 1))


def _code(member: Any) -> int:
    """Give Java's hash code of a string or a number."""
    if isinstance(member, int):
        return member
    code = 0
    units = member.encode("utf-16-be", "surrogatepass")
    for high, low in zip(units[::2], units[1::2], strict=True):
        code = (31 * code + (high << 8 | low)) & 0xFFFFFFFF
    return code


def _spread(code: int) -> int:
    """Mix a hash code as Java's tables do before they take its last bits."""
    return code ^ code >> 16
