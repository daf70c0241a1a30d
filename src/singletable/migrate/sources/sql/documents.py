"""JSON as Python objects, with every digit: a number that no float can hold is a Decimal."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import orjson

INTEGER_MAX = 2**63 - 1


def loads(text: str | bytes) -> Any:
    """Read a document."""
    return json.loads(text, parse_float=_number)


def dumps(value: Any) -> str:
    """Write a document."""
    try:
        return orjson.dumps(value, default=_fragment).decode()
    except TypeError:  # an integer of more than 64 bits, or what is no JSON at all
        return orjson.dumps(_plain(value)).decode()


def _number(text: str) -> float | Decimal:
    number, exact = float(text), Decimal(text)
    return number if Decimal(repr(number)) == exact else exact


def _fragment(value: Any) -> Any:
    if isinstance(value, Decimal) and value.is_finite():
        return orjson.Fragment(str(value))
    raise TypeError(f"{value!r} is not JSON")


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > INTEGER_MAX:
        return orjson.Fragment(str(value))
    return _fragment(value) if isinstance(value, Decimal) else value
