"""Conditions: of which items they hold."""

from __future__ import annotations

from typing import Any

import pytest

from singletable.expressions import And, Call, Comparison, Not, Or, Path, Placeholder
from tests.expressions.cases import bound

ITEM: dict[str, Any] = {
    "s": {"S": "hello"},
    "n": {"N": "5"},
    "b": {"B": b"\x01\x02"},
    "bo": {"BOOL": True},
    "nu": {"NULL": True},
    "ss": {"SS": ["a", "b"]},
    "ns": {"NS": ["1", "2"]},
    "bs": {"BS": [b"\x01"]},
    "l": {"L": [{"S": "a"}, {"N": "1"}, {"L": [{"S": "x"}]}]},
    "m": {"M": {"a": {"S": "x"}, "m": {"M": {"z": {"N": "1"}}}}},
    "wide": {"S": "é😀"},
    "face": {"S": "😀"},
    "top": {"S": "\uffff"},
}


def holds(text: str, value: Any = None, **values: Any) -> bool:
    given = {":v": value, **{f":{name}": each for name, each in values.items()}}
    condition = bound(text, values=given).condition
    assert condition is not None
    return condition.evaluate(ITEM)


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("s = :v", {"S": "hello"}, True),
        ("s = :v", {"S": "Hello"}, False),
        ("n = :v", {"N": "5.0"}, True),
        ("n = :v", {"S": "5"}, False),
        ("n <> :v", {"S": "5"}, True),
        ("n < :v", {"N": "10"}, True),
        ("n < :v", {"S": "9"}, False),
        ("n >= :v", {"N": "5"}, True),
        ("s > :v", {"S": "hell"}, True),
        ("b < :v", {"B": b"\x01\x03"}, True),
        ("bo = :v", {"BOOL": True}, True),
        ("nu = :v", {"NULL": True}, True),
        ("ns = :v", {"NS": ["2", "1.0"]}, True),
        ("ss = :v", {"SS": ["b", "a"]}, True),
        ("ss = :v", {"SS": ["a"]}, False),
        ("m.m = :v", {"M": {"z": {"N": "1.00"}}}, True),
        ("l[2] = :v", {"L": [{"S": "x"}]}, True),
        ("l[1] = :v", {"N": "1"}, True),
        ("n BETWEEN :v AND :v", {"N": "5"}, True),
        ("s BETWEEN :v AND :v", {"S": "help"}, False),
        ("n IN (nope, :v)", {"N": "5"}, True),
        ("n IN (nope, :v)", {"N": "6"}, False),
    ],
)
def test_values_compare_by_type_and_content(text: str, value: Any, expected: bool) -> None:
    assert holds(text, value) is expected


def test_text_is_ordered_by_its_utf_8_bytes() -> None:
    assert holds("face > top")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("nope = :v", False),
        ("nope <> :v", True),
        ("nope < :v", False),
        ("nope = gone", False),
        ("nope <> gone", True),
        ("NOT nope = :v", True),
        ("nope IN (gone, :v)", False),
        ("nope BETWEEN :v AND :v", False),
        ("n BETWEEN :v AND nope", False),
        ("size(nope) = size(gone)", False),
        ("size(nope) <> :v", True),
        ("contains(nope, :v)", False),
        ("NOT contains(nope, :v)", True),
        ("s.a = :v", False),
        ("l[9] = :v", False),
        ("l[9] <> :v", True),
        ("m[0] = :v", False),
        ("l.a = :v", False),
    ],
)
def test_what_is_missing_equals_nothing(text: str, expected: bool) -> None:
    assert holds(text, {"S": "x"}) is expected


def test_and_binds_tighter_than_or_and_not_tighter_than_both() -> None:
    assert holds("s = :s OR n = :n AND bo = :s", s={"S": "hello"}, n={"N": "0"})
    assert not holds("(s = :s OR n = :n) AND bo = :s", s={"S": "hello"}, n={"N": "0"})
    assert holds("NOT s = :x OR n = :n", x={"S": "x"}, n={"N": "0"})
    assert not holds("NOT (s = :x OR n = :n)", x={"S": "x"}, n={"N": "5"})


def test_conditions_combine_with_python_operators() -> None:
    a, b, c = (Call("attribute_exists", (Path((name,)),)) for name in "abc")
    assert a & b & c == And((a, b, c))
    assert a | b | c == Or((a, b, c))
    assert ~(a & b) | c == Or((Not(And((a, b))), c))


def test_a_condition_as_deep_as_the_limits_allow_is_evaluated() -> None:
    assert holds("NOT " * 298 + "s = :v", {"S": "hello"})
    deep = "NOT (" * 299 + "s = :v" + ")" * 299
    assert not holds(deep, {"S": "hello"})
    nested = "(s = :v AND (s <> :v OR " * 74 + "s = :v" + "))" * 74
    assert holds(nested, {"S": "hello"})
    assert not holds(nested, {"S": "other"})


def test_a_condition_reads_its_placeholders_from_the_values_given() -> None:
    tree = Comparison("=", Path(("s",)), Placeholder(":v"))
    assert tree.evaluate(ITEM, {":v": {"S": "hello"}})
    assert not tree.evaluate(ITEM, {":v": {"S": "other"}})
