"""Items that are canonical as they come are told so, with their size; all others are left alone."""

from __future__ import annotations

from typing import Any

import pytest

from singletable.engine.shapes.canonical import DEPTH_USUAL, admitted, canonical, prepared
from singletable.values import (
    NAME_BYTES_MAX,
    CanonicalItem,
    admit_item,
    dumps,
    item_size,
)

USUAL: list[dict[str, Any]] = [
    {},
    {"pk": {"S": ""}, "é": {"S": "ünï"}},
    {"n": {"N": "0"}, "m": {"N": "-12.5"}, "big": {"N": "12300000"}},
    {"b": {"B": b"\x00\xff"}, "yes": {"BOOL": True}, "no": {"BOOL": False}, "z": {"NULL": True}},
    {"l": {"L": [{"S": "a"}, {"N": "7"}, {"L": []}, {"M": {"x": {"BOOL": True}}}]}},
    {"m": {"M": {"ключ": {"S": "v"}, "deep": {"M": {"l": {"L": [{"NULL": True}]}}}}}},
]


class Text(str):
    """A text of another class."""

    __slots__ = ()


def nested(depth: int) -> dict[str, Any]:
    """Give a list within lists."""
    value: dict[str, Any] = {"S": "x"}
    for _ in range(depth):
        value = {"L": [value]}
    return value


UNUSUAL: list[Any] = [
    None,
    [],
    {"": {"S": "no name"}},
    {1: {"S": "a number for a name"}},
    {Text("name"): {"S": "another class"}},
    {"a": {Text("S"): "another class"}},
    {"a": {"S": Text("another class")}},
    {"a": "no map"},
    {"a": {}},
    {"a": {"S": "two", "N": "1"}},
    {"a": {"S": None}},
    {"a": {"S": 1}},
    {"a": {"S": "\ud800"}},
    {"\ud800": {"S": "half a character for a name"}},
    {"a": {"N": "1.0"}},
    {"a": {"N": "one"}},
    {"a": {"N": 1}},
    {"a": {"B": "dGV4dA=="}},
    {"a": {"BOOL": 1}},
    {"a": {"NULL": False}},
    {"a": {"SS": ["a"]}},
    {"a": {"L": ({"S": "a"},)}},
    {"a": {"L": ["no map"]}},
    {"a": {"M": {"": {"S": "no name"}}}},
    {"a": {"X": "no such type"}},
    {"a": nested(DEPTH_USUAL + 1)},
    {"a" * (NAME_BYTES_MAX + 1): {"S": "a name too long"}},
]


@pytest.mark.parametrize("item", USUAL, ids=str)
def test_a_canonical_item_is_itself_with_its_size(item: dict[str, Any]) -> None:
    found = canonical(item)
    assert found == item
    assert found is not item
    assert isinstance(found, CanonicalItem)
    assert (found, found.size) == admit_item(item) == (item, item_size(item))


@pytest.mark.parametrize("item", UNUSUAL, ids=lambda item: ascii(item)[:40])
def test_the_unusual_is_left_to_others(item: Any) -> None:
    assert canonical(item) is None


def test_nesting_is_usual_up_to_a_depth() -> None:
    assert canonical({"a": nested(DEPTH_USUAL)}) is not None


def test_an_item_may_be_large_if_its_names_are_not() -> None:
    item = {"a": {"S": "x" * 2 * NAME_BYTES_MAX}}
    assert canonical(item) == item


def test_other_items_are_admitted_by_their_contents() -> None:
    made = admitted({"a": {"N": "1.0"}})
    assert (made, made.size, made.data) == ({"a": {"N": "1"}}, 3, b'{"a":{"N":"1"}}')


@pytest.mark.parametrize("item", USUAL, ids=str)
def test_what_was_prepared_has_its_size_and_stored_form_and_is_not_looked_at_again(
    item: dict[str, Any],
) -> None:
    found = prepared(item)
    assert isinstance(found, CanonicalItem)
    assert (found, found.size, found.data) == (item, item_size(item), dumps(item))
    assert canonical(found) is found
    assert admitted(found) is found


@pytest.mark.parametrize("item", UNUSUAL, ids=lambda item: ascii(item)[:40])
def test_what_is_unusual_is_not_prepared(item: Any) -> None:
    assert prepared(item) is item
