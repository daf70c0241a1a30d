"""Ranges of row keys: what a key condition comes down to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from singletable.values import AttributeValue, after, key_bytes, key_prefix

from .key_schemas import HASHES


@dataclass(frozen=True, slots=True)
class Range:
    """A range of row keys: from ``lower`` on, up to but without ``upper``."""

    lower: bytes
    upper: bytes

    def __contains__(self, key: bytes) -> bool:
        return self.lower <= key < self.upper

    @classmethod
    def beginning(cls, prefix: bytes) -> Range:
        """Give the range of everything that begins with the prefix."""
        return cls(prefix, after(prefix))


EVERYTHING = Range(b"", HASHES.to_bytes(4, "big"))
"""All rows, since each key begins with its hash."""


def restricted(prefix: bytes, operator: str, operands: Sequence[AttributeValue]) -> Range:
    """Give the rows behind a prefix whose next key attribute satisfies a comparison."""
    if operator == "begins_with":
        return Range.beginning(prefix + key_prefix(operands[0]))
    bound = prefix + key_bytes(operands[0])
    match operator:
        case "<":
            return Range(prefix, bound)
        case "<=":
            return Range(prefix, after(bound))
        case ">":
            return Range(after(bound), after(prefix))
        case ">=":
            return Range(bound, after(prefix))
        case "BETWEEN":
            return Range(bound, after(prefix + key_bytes(operands[1])))
        case _:  # "="
            return Range.beginning(bound)
