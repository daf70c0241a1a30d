"""Updates: what becomes of an item."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from singletable.errors import ValidationException
from tests.expressions.cases import UPDATE, bound

N = [{"N": str(number)} for number in range(10)]
X = {"S": "x"}
ITEM: dict[str, Any] = {
    "a": {"S": "old"},
    "n": {"N": "5"},
    "l": {"L": [N[0], N[1], N[2]]},
    "m": {"M": {"b": N[3], "m": {"M": {"z": N[1]}}, "ss": {"SS": ["a"]}}},
    "ss": {"SS": ["a", "b"]},
    "ns": {"NS": ["1", "2"]},
}


def updated(text: str, item: dict[str, Any] = ITEM, **values: Any) -> dict[str, Any]:
    """Apply an update, and see that the item given stays as it is."""
    given = {":x": X, **{f":{name}": value for name, value in values.items()}}
    update = bound(text, UPDATE, values=given).update
    assert update is not None
    before = copy.deepcopy(item)
    after = update.apply(item)
    assert item == before
    return after


def changed(text: str, **values: Any) -> dict[str, Any]:
    """Give the attributes that an update changes; None for those it removes."""
    after = updated(text, **values)
    names = ITEM.keys() | after.keys()
    return {name: after.get(name) for name in names if after.get(name) != ITEM.get(name)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SET a = :x", {"a": X}),
        ("SET q = :x, a = n", {"q": X, "a": N[5]}),
        ("SET a = l, l = a", {"a": ITEM["l"], "l": ITEM["a"]}),
        ("SET n = n + :n", {"n": N[6]}),
        ("SET n = n - :n", {"n": N[4]}),
        ("SET n = :n - n", {"n": {"N": "-4"}}),
        ("SET q = if_not_exists(n, :n)", {"q": N[5]}),
        ("SET q = if_not_exists(q, :n)", {"q": N[1]}),
        ("SET q = if_not_exists(q, if_not_exists(r, :n)) + :n", {"q": N[2]}),
        ("SET l = list_append(l, :l)", {"l": {"L": [*N[:3], N[9]]}}),
        ("SET l = list_append(:l, l)", {"l": {"L": [N[9], *N[:3]]}}),
        ("SET q = list_append(if_not_exists(q, :l), :l)", {"q": {"L": [N[9], N[9]]}}),
        ("REMOVE a, nope", {"a": None}),
        ("ADD n :n, q :n", {"n": N[6], "q": N[1]}),
        ("DELETE ss :ss", {"ss": None}),
        ("DELETE q :ss", {}),
        ("ADD q :ss", {"q": {"SS": ["a", "b"]}}),
        ("SET a = :x REMOVE n ADD q :n DELETE ss :ss", {"a": X, "n": None, "q": N[1], "ss": None}),
    ],
)
def test_clauses_change_attributes(text: str, expected: dict[str, Any]) -> None:
    assert changed(text) == expected


def test_sets_are_joined_and_cut_and_stay_in_order() -> None:
    assert changed("ADD ss :v", v={"SS": ["c", "a", "0"]}) == {"ss": {"SS": ["0", "a", "b", "c"]}}
    assert changed("ADD ns :v", v={"NS": ["1.0", "10", "-3"]}) == {
        "ns": {"NS": ["-3", "1", "2", "10"]}
    }
    assert changed("DELETE ss :v", v={"SS": ["c", "a"]}) == {"ss": {"SS": ["b"]}}
    assert changed("DELETE ns :v", v={"NS": ["2.00"]}) == {"ns": {"NS": ["1"]}}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SET m.b = :x", {"b": X, "m": {"M": {"z": N[1]}}, "ss": {"SS": ["a"]}}),
        ("SET m.m.y = :x", {"b": N[3], "m": {"M": {"z": N[1], "y": X}}, "ss": {"SS": ["a"]}}),
        ("REMOVE m.b, m.q, m.m.z", {"m": {"M": {}}, "ss": {"SS": ["a"]}}),
        ("ADD m.b :n DELETE m.ss :ss", {"b": N[4], "m": {"M": {"z": N[1]}}}),
        ("SET m.b = m.m.z REMOVE m.m, m.ss", {"b": N[1]}),
    ],
)
def test_clauses_reach_into_maps(text: str, expected: dict[str, Any]) -> None:
    assert changed(text) == {"m": {"M": expected}}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SET l[1] = :x", [N[0], X, N[2]]),
        ("SET l[0] = l[1], l[1] = l[0]", [N[1], N[0], N[2]]),
        ("SET l[9] = :x", [*N[:3], X]),
        ("SET l[9] = :x, l[5] = :n", [*N[:3], N[1], X]),
        ("ADD l[5] :n SET l[4] = :x", [*N[:3], X, N[1]]),
        ("REMOVE l[0], l[2]", [N[1]]),
        ("REMOVE l[1], l[9]", [N[0], N[2]]),
        ("SET l[1] = :x REMOVE l[0]", [X, N[2]]),
        ("SET l[5] = :x, l[3] = :n REMOVE l[1], l[2]", [N[0], N[1], X]),
        ("SET l[7] = :x REMOVE l[3]", [*N[:3], X]),
    ],
)
def test_lists_grow_at_the_end_and_close_their_gaps(text: str, expected: list[Any]) -> None:
    assert changed(text) == {"l": {"L": expected}}


def test_an_update_knows_its_places_down_to_a_list() -> None:
    text = "SET m.l[1].c = :x, d = :x, e.f = :x REMOVE m.l[3]"
    update = bound(text, UPDATE, values={":x": X}).update
    assert update is not None
    assert update.places == (("m", "l"), ("d",), ("e", "f"))


def test_what_an_update_does_not_touch_is_shared() -> None:
    after = updated("SET m.b = :x")
    assert after["l"] is ITEM["l"]
    assert after["m"]["M"]["m"] is ITEM["m"]["M"]["m"]


@pytest.mark.parametrize(
    ("left", "operator", "right", "total"),
    [
        ("99999999999999999999999999999999999999", "+", "1", "1" + "0" * 38),
        ("0.1", "+", "0.2", "0.3"),
        ("1e125", "+", "1e125", "2" + "0" * 125),
        ("1.5", "-", "1.5", "0"),
        ("-1", "+", "1", "0"),
        ("1e-130", "-", "0", "0." + "0" * 129 + "1"),
    ],
)
def test_arithmetic_is_exact(left: str, operator: str, right: str, total: str) -> None:
    after = updated(f"SET q = :a {operator} :b", a={"N": left}, b={"N": right})
    assert after["q"] == {"N": total}


@pytest.mark.parametrize(
    ("left", "right", "said"),
    [
        ("99999999999999999999999999999999999999", "0.5", "38 significant digits"),
        ("99999999999999999999999999999999999999", "2", "38 significant digits"),
        ("1e40", "1", "38 significant digits"),
        ("9e125", "1e125", "Number overflow"),
    ],
)
def test_a_sum_must_be_a_number_too(left: str, right: str, said: str) -> None:
    with pytest.raises(ValidationException, match=said):
        updated("SET q = :a + :b", a={"N": left}, b={"N": right})


MISSING = "The provided expression refers to an attribute that does not exist in the item"
WRONG_TYPE = "An operand in the update expression has an incorrect data type"
WRONG_PATH = "The document path provided in the update expression is invalid for update"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SET q = nope", MISSING),
        ("SET q = nope + :n", MISSING),
        ("SET q = l[9]", MISSING),
        ("SET q = list_append(nope, :l)", MISSING),
        ("SET q = if_not_exists(nope, nope2)", MISSING),
        ("SET q = if_not_exists(n, nope)", MISSING),
        ("SET q = a + :n", WRONG_TYPE),
        ("SET q = :n - a", WRONG_TYPE),
        ("SET q = list_append(a, :l)", WRONG_TYPE),
        ("SET q = if_not_exists(q, :x) + :n", WRONG_TYPE),
        ("ADD a :n", WRONG_TYPE),
        ("ADD ss :n", WRONG_TYPE),
        ("ADD ss :ns", WRONG_TYPE),
        ("ADD l :n", WRONG_TYPE),
        ("DELETE a :ss", WRONG_TYPE),
        ("DELETE ns :ss", WRONG_TYPE),
        ("SET nope.x = :x", WRONG_PATH),
        ("SET m.q.r = :x", WRONG_PATH),
        ("SET a.b = :x", WRONG_PATH),
        ("SET l.b = :x", WRONG_PATH),
        ("SET m[0] = :x", WRONG_PATH),
        ("SET nope[0] = :x", WRONG_PATH),
        ("REMOVE nope.x", WRONG_PATH),
        ("REMOVE a[0]", WRONG_PATH),
        ("ADD m.q.r :n", WRONG_PATH),
        ("SET nope.a = a + :n", WRONG_PATH),
    ],
)
def test_an_item_may_not_fit_an_update(text: str, message: str) -> None:
    with pytest.raises(ValidationException) as caught:
        updated(text)
    assert caught.value.message == message


def test_a_value_may_not_come_to_lie_deeper_than_32() -> None:
    deep: dict[str, Any] = X
    for _ in range(30):
        deep = {"M": {"a": deep}}
    assert updated("SET m.q = :deep", deep=deep)["m"]["M"]["q"] == deep
    with pytest.raises(ValidationException, match="Nesting Levels have exceeded"):
        updated("SET m.m.q = :deep", deep=deep)


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        ("SET a = :x", {"a": ITEM["a"]}, {"a": X}),
        ("SET q = :x", {}, {"q": X}),
        ("REMOVE a", {"a": ITEM["a"]}, {}),
        ("SET m.b = :x", {"m": {"M": {"b": ITEM["m"]["M"]["b"]}}}, {"m": {"M": {"b": X}}}),
        ("SET m.q = :x", {}, {"m": {"M": {"q": X}}}),
        ("REMOVE m.b", {"m": {"M": {"b": ITEM["m"]["M"]["b"]}}}, {}),
        ("SET l[9] = :x", {}, {}),
        ("REMOVE l[2]", {"l": {"L": [ITEM["l"]["L"][2]]}}, {}),
        ("REMOVE l[1]", {"l": {"L": [ITEM["l"]["L"][1]]}}, {"l": {"L": [ITEM["l"]["L"][2]]}}),
    ],
)
def test_the_parts_that_the_update_names_are_touched(
    text: str, old: dict[str, Any], new: dict[str, Any]
) -> None:
    update = bound(text, UPDATE, values={":x": X}).update
    assert update is not None
    assert update.touched(ITEM) == old
    assert update.touched(update.apply(ITEM)) == new
