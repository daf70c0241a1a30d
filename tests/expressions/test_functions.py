"""The functions of conditions."""

from __future__ import annotations

from typing import Any

import pytest

from tests.expressions.test_conditions import ITEM, holds


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("attribute_exists(s)", True),
        ("attribute_exists(m.a)", True),
        ("attribute_exists(m.b)", False),
        ("attribute_exists(l[2][0])", True),
        ("attribute_exists(nu)", True),
        ("attribute_not_exists(s)", False),
        ("attribute_not_exists(m.a.b.c)", True),
    ],
)
def test_attribute_exists_looks_for_a_path(text: str, expected: bool) -> None:
    assert holds(text) is expected


@pytest.mark.parametrize("name", list(ITEM))
def test_attribute_type_tells_the_type(name: str) -> None:
    [kind] = ITEM[name]
    for each in ["S", "N", "B", "BOOL", "NULL", "SS", "NS", "BS", "L", "M"]:
        assert holds(f"attribute_type({name}, :v)", {"S": each}) is (each == kind)
    assert not holds("attribute_type(nope, :v)", {"S": kind})


@pytest.mark.parametrize(
    ("name", "prefix", "expected"),
    [
        ("s", {"S": "he"}, True),
        ("s", {"S": ""}, True),
        ("s", {"S": "el"}, False),
        ("s", {"B": b"he"}, False),
        ("b", {"B": b"\x01"}, True),
        ("n", {"S": "5"}, False),
        ("nope", {"S": "h"}, False),
    ],
)
def test_begins_with_compares_text_and_binaries(name: str, prefix: Any, expected: bool) -> None:
    assert holds(f"begins_with({name}, :v)", prefix) is expected


@pytest.mark.parametrize(
    ("name", "part", "expected"),
    [
        ("s", {"S": "ell"}, True),
        ("s", {"S": ""}, True),
        ("s", {"S": "x"}, False),
        ("b", {"B": b"\x02"}, True),
        ("ss", {"S": "a"}, True),
        ("ss", {"SS": ["a"]}, False),
        ("ns", {"N": "1.0"}, True),
        ("ns", {"S": "1"}, False),
        ("bs", {"B": b"\x01"}, True),
        ("l", {"N": "1"}, True),
        ("l", {"L": [{"S": "x"}]}, True),
        ("l", {"S": "x"}, False),
        ("m", {"S": "a"}, False),
        ("n", {"N": "5"}, False),
        ("bo", {"BOOL": True}, False),
    ],
)
def test_contains_looks_into_text_binaries_sets_and_lists(
    name: str, part: Any, expected: bool
) -> None:
    assert holds(f"contains({name}, :v)", part) is expected


@pytest.mark.parametrize(
    ("name", "size"), [("s", 5), ("b", 2), ("ss", 2), ("ns", 2), ("bs", 1), ("l", 3), ("m", 2)]
)
def test_size_counts_characters_bytes_and_members(name: str, size: int) -> None:
    assert holds(f"size({name}) = :v", {"N": str(size)})


def test_the_size_of_text_is_in_utf_16_units() -> None:
    assert holds("size(wide) = :v", {"N": "3"})


@pytest.mark.parametrize("name", ["n", "bo", "nu"])
def test_numbers_and_truth_values_have_no_size(name: str) -> None:
    assert not holds(f"size({name}) >= :v", {"N": "0"})
    assert holds(f"size({name}) <> :v", {"N": "1"})
