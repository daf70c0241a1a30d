"""The order in which the service lists names in its messages: that of a Java hash table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

T = TypeVar("T")


def hash_order(members: Iterable[T]) -> list[T]:
    """List strings and numbers as a Java ``HashSet`` made of them all would."""
    listed = list(members)
    slots = 16
    while slots < len(listed) / 0.75 + 1:
        slots *= 2
    return sorted(listed, key=lambda member: _hash(member) & (slots - 1))


def _hash(member: Any) -> int:
    if isinstance(member, int):
        return member ^ member >> 16
    code = 0
    units = member.encode("utf-16-be", "surrogatepass")
    for high, low in zip(units[::2], units[1::2], strict=True):
        code = (31 * code + (high << 8 | low)) & 0xFFFFFFFF
    return code ^ code >> 16
