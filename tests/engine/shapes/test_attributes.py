"""Attribute values: types only; contents are judged elsewhere."""

from __future__ import annotations

from typing import Any

import pytest

from singletable.engine.shapes import ATTRIBUTE_VALUE, IN_PROCESS, WIRE, AttributeMap
from singletable.errors import SerializationException

ITEM = AttributeMap()


def test_binaries_are_decoded_at_every_depth() -> None:
    wire = {"a": {"B": "YQ=="}, "b": {"L": [{"M": {"c": {"BS": ["Yg=="]}}}]}}
    assert ITEM.read(wire, WIRE) == {
        "a": {"B": b"a"},
        "b": {"L": [{"M": {"c": {"BS": [b"b"]}}}]},
    }


def test_values_in_process_stay_as_they_are() -> None:
    item: dict[str, Any] = {"a": {"S": "x"}, "b": {"L": [{"B": b"x"}, {"NULL": True}]}}
    assert ITEM.read(item, IN_PROCESS) == item


def test_contents_are_not_judged() -> None:
    values: list[dict[str, Any]] = [{"N": "many"}, {"SS": []}, {"NULL": False}, {}]
    for value in [*values, {"S": "a", "N": "1"}]:
        assert ATTRIBUTE_VALUE.read(value, WIRE) == value


def test_an_unknown_type_leaves_an_empty_value_on_the_wire() -> None:
    assert ATTRIBUTE_VALUE.read({"X": "1"}, WIRE) == {}
    assert ATTRIBUTE_VALUE.read({"S": None}, WIRE) == {}
    assert ITEM.read({"a": None}, WIRE) == {"a": {}}


def test_an_unknown_type_is_refused_in_process() -> None:
    with pytest.raises(TypeError, match="unknown parameter 'X'"):
        ATTRIBUTE_VALUE.read({"X": "1"}, IN_PROCESS)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("x", "Unexpected field type"),
        ([], "Start of list found where not expected"),
        ({"S": 1}, "NUMBER_VALUE cannot be converted to String"),
        ({"N": 1.5}, "DECIMAL_VALUE cannot be converted to String"),
        ({"BOOL": "true"}, "Unexpected token received from parser"),
        ({"SS": "x"}, "Unexpected field type"),
        ({"SS": [1]}, "NUMBER_VALUE cannot be converted to String"),
        ({"L": {}}, "Start of structure or map found where not expected"),
        ({"L": [{"S": []}]}, "Start of list found where not expected"),
        ({"M": []}, "Start of list found where not expected"),
        ({"M": {"a": "x"}}, "Unexpected field type"),
        ({"B": 1}, "only base64-encoded strings are convertible to bytes"),
    ],
)
def test_a_content_of_another_type_is_refused(value: Any, message: str) -> None:
    with pytest.raises(SerializationException) as caught:
        ATTRIBUTE_VALUE.read(value, WIRE)
    assert caught.value.message == message


def test_nesting_far_beyond_what_is_allowed_is_left_for_the_rules_of_values() -> None:
    deep: dict[str, Any] = {"S": "x"}
    for _ in range(5000):
        deep = {"L": [deep]}
    read = ATTRIBUTE_VALUE.read(deep, IN_PROCESS)
    assert list(read) == ["L"]


def test_a_name_longer_than_any_attribute_may_have_is_a_fault() -> None:
    assert not ITEM.faults({"a" * 65535: {"S": "x"}})
    (fault,) = ITEM.faults({"a" * 65536: {"S": "x"}})
    assert fault.constraint.startswith("Map keys must satisfy constraint: [Member must have length")
