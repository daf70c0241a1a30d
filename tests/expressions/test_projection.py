"""Projections: what is left of an item."""

from __future__ import annotations

from typing import Any

import pytest

from tests.expressions.cases import PROJECTION, bound

N = [{"N": str(number)} for number in range(10)]
ITEM: dict[str, Any] = {
    "a": {"S": "x"},
    "l": {"L": [N[0], N[1], {"L": [N[3], N[4]]}, {"M": {"j": N[5], "k": N[6]}}]},
    "m": {"M": {"a": N[1], "m": {"M": {"y": N[2], "z": N[3]}}}},
    "m.a": {"S": "dotted"},
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", {"a": {"S": "x"}}),
        ("a, nope", {"a": {"S": "x"}}),
        ("m.a", {"m": {"M": {"a": N[1]}}}),
        ("m.a, m.m.z", {"m": {"M": {"a": N[1], "m": {"M": {"z": N[3]}}}}}),
        ("l[1]", {"l": {"L": [N[1]]}}),
        ("l[1], l[0]", {"l": {"L": [N[0], N[1]]}}),
        ("l[2][1], l[3].j", {"l": {"L": [{"L": [N[4]]}, {"M": {"j": N[5]}}]}}),
        ("l[3].k, l[3].j, l[9]", {"l": {"L": [ITEM["l"]["L"][3]]}}),
        ("l[9]", {}),
        ("m.q", {}),
        ("m.q.r", {}),
        ("a.b", {}),
        ("a[0]", {}),
        ("m[0]", {}),
        ("l.a", {}),
        ("#dotted", {"m.a": {"S": "dotted"}}),
    ],
)
def test_only_what_the_paths_lead_to_is_left(text: str, expected: dict[str, Any]) -> None:
    names = {"#dotted": "m.a"} if "#" in text else None
    projection = bound(text, PROJECTION, names=names).projection
    assert projection is not None
    assert projection.apply(ITEM) == expected
