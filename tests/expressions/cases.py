"""Requests as tests write them: an expression, and values with short names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pytest

from singletable.errors import ValidationException
from singletable.expressions import Bound, bind

CONDITION = "ConditionExpression"
UPDATE = "UpdateExpression"
PROJECTION = "ProjectionExpression"
FILTER = "FilterExpression"
KEY_CONDITION = "KeyConditionExpression"

VALUES: dict[str, dict[str, Any]] = {
    ":s": {"S": "x"},
    ":n": {"N": "1"},
    ":b": {"B": b"\x01"},
    ":bo": {"BOOL": True},
    ":nu": {"NULL": True},
    ":ss": {"SS": ["a", "b"]},
    ":ns": {"NS": ["1", "2"]},
    ":bs": {"BS": [b"\x01"]},
    ":l": {"L": [{"N": "9"}]},
    ":m": {"M": {}},
}
"""One value of each type; ``:u`` is not among them."""


def request(
    text: str,
    parameter: str = CONDITION,
    values: Mapping[str, Any] | None = None,
    names: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Give a request of one expression with the values it uses, but not those it lacks."""
    given = {**VALUES, **(values or {})}
    used = {key: given[key] for key in re.findall(r":\w+", text) if key in given}
    members: dict[str, Any] = {parameter: text}
    if used:
        members["ExpressionAttributeValues"] = used
    if names:
        members["ExpressionAttributeNames"] = dict(names)
    return members


def bound(text: str, parameter: str = CONDITION, **given: Any) -> Bound:
    """Bind one expression."""
    return bind(request(text, parameter, **given), parameter)


def refusal(members: Mapping[str, Any], *parameters: str) -> str:
    """Give what is said of a request that cannot be bound."""
    with pytest.raises(ValidationException) as caught:
        bind(members, *(parameters or (CONDITION,)))
    return caught.value.message
