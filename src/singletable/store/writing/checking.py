"""The values of an update, checked as pydantic checks those of a whole entity, place by place.

Nothing may be written that could not be read again, as far as pydantic tells.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from singletable.model.changes import (
    REMOVE,
    Assignment,
    Change,
    Extension,
    Membership,
    Removal,
    Sum,
)
from singletable.model.conditions import F
from singletable.model.places import LISTS, NUMBERS, SETS, place_at
from singletable.model.schema import Schema


def checked(schema: Schema, path: str, value: Any) -> Any:
    """Give the value as its place would hold it; raises a ``UsageError`` if it cannot."""
    return place_at(schema, path).check(value)


def checked_change(schema: Schema, path: str, change: Change) -> Change:
    """Give a change whose values its place can hold; raises a ``UsageError`` if it cannot."""
    place = place_at(schema, path)
    match change:
        case Sum(amount=amount):
            place.check_kind(change, NUMBERS, "a number")
            place.check_amount(amount)
        case Extension(members=members):
            place.check_kind(change, LISTS, "a list")
            return replace(change, members=tuple(place.check_members(members)))
        case Membership(members=members):
            place.check_kind(change, SETS, "a set")
            return replace(change, members=frozenset(place.check_members(members)))
        case Assignment(value=value) if not isinstance(value, F):
            return replace(change, value=place.check(value))
        case Removal() if place.is_member and not place.has_default:
            raise place.refusal("be removed", "it has no default")
    return change


def changed_inside(schema: Schema, path: str, value: Any) -> Change:
    """Give the change that puts a value to a place inside a field; None may be a value there."""
    place = place_at(schema, path)
    if value is not None:
        return Assignment(place.check(value))
    if not place.is_member or place.is_none_by_default:
        return checked_change(schema, path, REMOVE)
    return Assignment(place.check(None))
