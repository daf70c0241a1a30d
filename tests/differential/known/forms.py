"""How Local writes values down where the service writes them otherwise."""

from __future__ import annotations

from decimal import Context, Decimal
from typing import Any

_EXACT = Context(prec=50)


def plain_numbers(value: Any) -> Any:
    """Write all numbers as the service does; Local leaves those in documents as they were given."""
    if isinstance(value, list):
        return [plain_numbers(each) for each in value]
    if not isinstance(value, dict):
        return value
    match value:
        case {"N": str(number)}:
            return {"N": _plain_number(number)}
        case {"NS": list(numbers)}:
            return {"NS": [_plain_number(each) for each in numbers]}
    return {name: plain_numbers(content) for name, content in value.items()}


def _plain_number(text: str) -> str:
    number = Decimal(text)
    return format(number.normalize(_EXACT), "f") if number else "0"


def whole_maps(value: Any) -> Any:
    """Put back the empty maps in stream records, for which Local writes values without a type."""
    if value == {}:
        return {"M": {}}
    if isinstance(value, list):
        return [whole_maps(each) for each in value]
    if not isinstance(value, dict):
        return value
    if "M" in value:
        return {"M": {name: whole_maps(content) for name, content in value["M"].items()}}
    return {name: whole_maps(content) for name, content in value.items()}


def same_size(ours: dict[str, Any], local: dict[str, Any]) -> bool:
    """Tell whether the sizes of two stream records agree, but for a byte a number.

    AWS says how long numbers are only approximately: two digits a byte. Local pairs the digits
    from the decimal point on, the engine from the first that is significant.
    """
    images = [local.get(name) for name in ("Keys", "NewImage", "OldImage")]
    numbers = sum(_numbers(image) for image in images)
    return bool(abs(ours["SizeBytes"] - local["SizeBytes"]) <= numbers)


def _numbers(value: Any) -> int:
    match value:
        case {"N": str()}:
            return 1
        case {"NS": list(members)}:
            return len(members)
        case dict():
            return sum(_numbers(each) for each in value.values())
        case list():
            return sum(_numbers(each) for each in value)
    return 0
