"""The attributes of sample items as columns: a name, a type, and the value in every item."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from singletable.model.codec import decode
from singletable.values import Item

from .drafts import FieldDraft
from .names import field_name

_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_TYPES: dict[str, tuple[Any, str]] = {
    "S": (str, "str"),
    "BOOL": (bool, "bool"),
    "B": (bytes, "bytes"),
    "L": (list, "list[Any]"),
    "M": (dict, "dict[str, Any]"),
    "SS": (set, "set[str]"),
    "BS": (set, "set[bytes]"),
}


@dataclass(frozen=True, slots=True)
class Column:
    """A field with its values, None in items that do not have it."""

    name: str
    attribute: str
    type: Any
    type_text: str
    values: tuple[Any, ...]
    word: str = ""
    """The constant in front of it, of a field that was found in a key and is no attribute."""

    def draft(self) -> FieldDraft:
        """Give the field."""
        optional = any(value is None for value in self.values)
        return FieldDraft(self.name, self.attribute, self.type_text, optional)


def columns_of(items: Sequence[Item], leave_out: Iterable[str]) -> dict[str, Column]:
    """Make the columns of items, by field, in the order of the attributes' first appearance."""
    apart = set(leave_out)
    names = dict.fromkeys(name for item in items for name in item if name not in apart)
    columns: dict[str, Column] = {}
    for attribute in names:
        column = column_of(items, attribute, field_name(attribute, columns))
        columns[column.name] = column
    return columns


def column_of(items: Sequence[Item], attribute: str, name: str) -> Column:
    """Make the column of an attribute."""
    found = [item.get(attribute) for item in items]
    kinds = {kind for value in found if value for kind in value}
    plain = [None if value is None else decode(value) for value in found]
    if len(kinds) != 1:
        return Column(name, attribute, object, "Any", tuple(plain))
    type_, text = _type_of(kinds.pop(), [value for value in plain if value is not None])
    read = type_.fromisoformat if type_ in {date, datetime} else lambda value: value
    values = tuple(None if value is None else read(value) for value in plain)
    return Column(name, attribute, type_, text, values)


def _type_of(kind: str, values: Sequence[Any]) -> tuple[Any, str]:
    if kind in {"N", "NS"}:
        flat = [one for value in values for one in (value if kind == "NS" else [value])]
        type_ = int if all(isinstance(one, int) for one in flat) else Decimal
        return (type_, type_.__name__) if kind == "N" else (set, f"set[{type_.__name__}]")
    if kind == "S" and all(_MOMENT.fullmatch(value) and _is(datetime, value) for value in values):
        return datetime, "datetime"
    if kind == "S" and all(_DAY.fullmatch(value) and _is(date, value) for value in values):
        return date, "date"
    return _TYPES[kind]


def _is(kind: type[date], text: str) -> bool:
    try:
        return bool(kind.fromisoformat(text))
    except ValueError:
        return False
