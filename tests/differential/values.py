"""Attribute values: of every type, at the edges of what DynamoDB takes, from small pools.

The pools are small so that keys collide, conditions hold and sets overlap. Texts lie on both sides
of where UTF-8 and UTF-16 order differently, numbers at the ends of their range and precision.
"""

from __future__ import annotations

from typing import Any

from .dice import Dice

Value = dict[str, Any]

SCALARS = ("S", "N", "B")
SETS = ("SS", "NS", "BS")
KINDS = (*SCALARS, "BOOL", "NULL", *SETS, "L", "M")

TEXTS = ("a", "b", "ab", "", "B", "é", "\x00", "\uffee", "\U0001f600", "a" * 40, "x" * 1100)
NUMBERS = (
    "1",
    "0",
    "2",
    "-1",
    "10",
    "1.50",
    "-0",
    "1e2",
    "0.1",
    "-2.5E-3",
    "12345678901234567890123456789012345678",
    "-0.12345678901234567890123456789012345678",
    "9.9999999999999999999999999999999999999E+125",
    "-9.9999999999999999999999999999999999999E+125",
    "1E-130",
    "-1E-130",
    "0001.10",
)
BLOBS = (b"a", b"", b"\x00", b"\xff", b"ab", b"\x00\xff", b"b" * 33)
MEMBERS = ("x", "y", "z")
"""The names in maps."""

BROKEN: tuple[Value, ...] = (
    {"N": "1E126"},
    {"N": "-1e-131"},
    {"N": "1" * 39},
    {"N": "one"},
    {"N": ""},
    {"N": "NaN"},
    {"SS": []},
    {"NS": ["1", "1.0"]},
    {"SS": ["a", "a"]},
    {"BS": [b"a", b"a"]},
    {"NULL": False},
    {},
    {"S": "a", "N": "1"},
)
"""Values that no request may have."""

_POOLS = {"S": TEXTS, "N": NUMBERS, "B": BLOBS}


def scalar(dice: Dice, kind: str) -> Value:
    """Make a text, number or binary."""
    if kind == "N" and dice.chance(20):
        return {"N": _number(dice)}
    pool: tuple[Any, ...] = _POOLS[kind]
    return {kind: dice.pick(pool)}


def _number(dice: Dice) -> str:
    digits = dice.below(10 ** dice.between(1, 12))
    sign, exponent = dice.pick(("", "-")), dice.pick(("", "E-5", "E+7", "e30"))
    return f"{sign}{digits}{exponent}"


def key_value(dice: Dice, kind: str, count: int = 5) -> Value:
    """Make a value that a key may have, one of so few that keys collide."""
    pool: list[Any] = [each for each in _POOLS[kind][: count + 1] if each != _empty(kind)]
    return {kind: dice.pick(pool)}


def _empty(kind: str) -> str | bytes:
    return b"" if kind == "B" else ""


def any_value(dice: Dice, depth: int = 2) -> Value:
    """Make a value of any type."""
    return value(dice, dice.pick(KINDS), depth)


def value(dice: Dice, kind: str, depth: int = 2) -> Value:
    """Make a value of a type, with documents nested so deep."""
    match kind:
        case "BOOL":
            return {"BOOL": dice.chance(50)}
        case "NULL":
            return {"NULL": True}
        case "SS" | "NS" | "BS":
            return {kind: _members(dice, kind[0])}
        case "L":
            return {"L": [_inner(dice, depth) for _ in range(dice.below(4))]}
        case "M":
            return {"M": {name: _inner(dice, depth) for name in dice.some(MEMBERS)}}
    return scalar(dice, kind)


def _inner(dice: Dice, depth: int) -> Value:
    return any_value(dice, depth - 1) if depth else scalar(dice, dice.pick(SCALARS))


def _members(dice: Dice, kind: str) -> list[str | bytes]:
    # By value, since 1e2 and 100 are the same member.
    pool: tuple[Any, ...] = ("1", "2", "-1", "1e2", "0.1") if kind == "N" else _POOLS[kind][:5]
    start = dice.below(len(pool))
    return [pool[(start + at) % len(pool)] for at in range(dice.between(1, 3))]
