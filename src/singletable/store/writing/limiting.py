"""Limits of fields that are changed where they are: a sum below ``ge=0``, a list that is too long.

What ``add()`` and ``append()`` make of a value only the item tells, so the limit goes along as a
condition: an item that could not be read again is never written. Where the attribute is missing,
the change starts from 0 or from nothing.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from singletable.expressions import Call, Comparison, Condition, Operand, Path, Value
from singletable.model.changes import Change, Extension, Membership, Sum
from singletable.model.codec import encode
from singletable.model.places import Place, place_at
from singletable.model.schema import Schema
from singletable.values import Item

from .writes import every

BOUNDS: Mapping[str, tuple[str, Callable[[Any, Any], bool]]] = {
    "ge": (">=", operator.ge),
    "gt": (">", operator.gt),
    "le": ("<=", operator.le),
    "lt": ("<", operator.lt),
}
"""pydantic's names of bounds: how DynamoDB compares with one, and how Python does."""


@dataclass(frozen=True, slots=True)
class Limit:
    """What must hold of an item for a change to leave a value that the field may have."""

    label: str
    told: str
    condition: Condition

    def holds(self, item: Item | None) -> bool:
        """Tell whether the change can be made to an item."""
        return self.condition.evaluate(item or {}, {})


def limit_of(schema: Schema, path: str, change: Change) -> Limit | None:
    """Give the limit of a change, if its place has one."""
    place = place_at(schema, path)
    at = schema.path(path)
    match change:
        case Sum(operator=sign, amount=amount):
            told = tuple(BOUNDS)
            condition = every(*_of_sum(place, at, amount if sign == "+" else -amount))
        case Extension(members=members) | Membership(members=members):
            told = ("max_length",)
            condition = _of_length(place, at, len(members))
        case _:
            return None
    if condition is None:
        return None
    shown = ", ".join(f"{name}={place.inner[name]}" for name in told if name in place.inner)
    return Limit(place.label, shown, condition)


def _of_sum(place: Place, at: Path, by: Any) -> Iterator[Condition]:
    bounds = {name: place.inner[name] for name in BOUNDS if name in place.inner}
    starts = all(BOUNDS[name][1](by, bound) for name, bound in bounds.items())
    if not starts:
        yield Call("attribute_exists", (at,))
    for name, bound in bounds.items():
        # What is within its bounds can leave them on one side only.
        if (by < 0) is (name in {"ge", "gt"}):
            within = Comparison(BOUNDS[name][0], at, Value(encode(bound - by)))
            yield within | _missing(at) if starts else within


def _of_length(place: Place, at: Path, more: int) -> Condition | None:
    """Leave room for all members; one that a set has already is counted again."""
    most = place.inner.get("max_length")
    if most is None:
        return None
    size: Operand = Call("size", (at,))
    within: Condition = Comparison("<=", size, Value({"N": str(most - more)}))
    return within | _missing(at) if more <= most else within


def _missing(at: Path) -> Condition:
    return Call("attribute_not_exists", (at,))
