"""Ranges of row keys: what a key condition comes down to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from singletable.values import AttributeValue, after, key_bytes, key_prefix

from .key_schemas import HASHES


@dataclass(frozen=True, slots=True)
class Range:
    """Is a range of row keys: from ``lower`` on, up to but without ``upper``."""

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
    return _RANGES[operator](prefix, operands)


def _range(
    lower: Callable[[bytes, Sequence[AttributeValue]], bytes],
    upper: Callable[[bytes, Sequence[AttributeValue]], bytes],
) -> Callable[[bytes, Sequence[AttributeValue]], Range]:
    return lambda prefix, operands: Range(lower(prefix, operands), upper(prefix, operands))


def _start(prefix: bytes, _operands: Sequence[AttributeValue]) -> bytes:
    return prefix


def _end(prefix: bytes, _operands: Sequence[AttributeValue]) -> bytes:
    return after(prefix)


def _at_first(prefix: bytes, operands: Sequence[AttributeValue]) -> bytes:
    return prefix + key_bytes(operands[0])


def _after_first(prefix: bytes, operands: Sequence[AttributeValue]) -> bytes:
    return after(prefix + key_bytes(operands[0]))


def _after_last(prefix: bytes, operands: Sequence[AttributeValue]) -> bytes:
    return after(prefix + key_bytes(operands[-1]))


_RANGES: dict[str, Callable[[bytes, Sequence[AttributeValue]], Range]] = {
    "=": _range(_at_first, _after_first),
    "<": _range(_start, _at_first),
    "<=": _range(_start, _after_first),
    ">": _range(_after_first, _end),
    ">=": _range(_at_first, _end),
    "BETWEEN": _range(_at_first, _after_last),
    "begins_with": lambda prefix, operands: Range.beginning(prefix + key_prefix(operands[0])),
}
