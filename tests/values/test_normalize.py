"""Contents that no attribute value may have are refused in the service's words."""

from __future__ import annotations

from typing import Any

import pytest

from singletable.errors import ValidationException
from singletable.values import normalize

INVALID = "One or more parameter values were invalid: "


def nested(levels: int) -> dict[str, Any]:
    """Give a string inside so many lists."""
    value: dict[str, Any] = {"S": "x"}
    for _ in range(levels):
        value = {"L": [value]}
    return value


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({}, ("Supplied AttributeValue is empty, must contain exactly one of the supported "
             "datatypes")),
        ({"S": "a", "N": "1"}, ("Supplied AttributeValue has more than one datatypes set, must "
                               "contain exactly one of the supported datatypes")),
        ({"NULL": False}, INVALID + "Null attribute value types must have the value of true"),
        ({"SS": []}, INVALID + "An string set  may not be empty"),
        ({"NS": []}, INVALID + "An number set  may not be empty"),
        ({"BS": []}, INVALID + "Binary sets should not be empty"),
        ({"SS": ["a", "a"]}, INVALID + "Input collection [a, a] contains duplicates."),
        ({"NS": ["1", "1.0"]}, "Input collection contains duplicates"),
        (
            {"BS": [b"a", b"a"]},
            INVALID + "Input collection [YQ==, YQ==]of type BS contains duplicates.",
        ),
        ({"M": {"": {"S": "x"}}}, "Empty attribute name"),
        (nested(32), ("Nesting Levels have exceeded supported limits: Attributes in the item have "
                     "nested levels beyond supported limit")),
    ],
)  # fmt: skip
def test_refused(value: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationException) as refused:
        normalize(value)
    assert refused.value.message == message


def test_32_levels_are_allowed() -> None:
    assert normalize(nested(31)) == nested(31)


def test_sets_come_in_order() -> None:
    assert normalize({"NS": ["10", "9", "1.0"]}) == {"NS": ["1", "9", "10"]}
    assert normalize({"SS": ["b", "\uffff", "\U00010000", "a"]}) == {
        "SS": ["a", "b", "\uffff", "\U00010000"]
    }


def test_the_argument_stays_as_it_is() -> None:
    value = {"L": [{"N": "1.0"}]}
    assert normalize(value) == {"L": [{"N": "1"}]}
    assert value == {"L": [{"N": "1.0"}]}
