"""Changes of fields: what they compile to, what becomes of an item, what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.engine import Engine
from singletable.errors import UsageError, ValidationException
from singletable.expressions import Set, Update, Value, encode
from singletable.model.changes import (
    REMOVE,
    Change,
    add,
    append,
    change_of,
    exclude,
    if_missing,
    include,
    prepend,
    subtract,
)
from singletable.model.conditions import F
from singletable.values import Item
from tests.engine.support import create
from tests.model.resolving import FIELDS, RESOLVER, encoded, item_of

KEY = {"pk": {"S": "1"}}


def update_of(changes: dict[str, Any]) -> Update:
    """Give the update that makes changes, each under the path of its field."""
    return Update(
        tuple(change_of(value).resolve(path, RESOLVER) for path, value in changes.items())
    )


def text(**changes: Any) -> str:
    """Give the expression of an update with its names and values put in."""
    members = encode({"UpdateExpression": update_of(changes)})
    expression: str = members["UpdateExpression"]
    for alias, name in members["ExpressionAttributeNames"].items():
        expression = expression.replace(alias, name)
    for alias, value in members.get("ExpressionAttributeValues", {}).items():
        [content] = value.values()
        expression = expression.replace(alias, repr(content))
    return expression


@pytest.fixture
def engine() -> Iterator[Engine]:
    """An engine with an empty table."""
    with Engine() as engine:
        create(engine)
        yield engine


def updated(engine: Engine, item: Item, **changes: Any) -> Item:
    """Give what becomes of an item in the engine, which must be what the tree says."""
    update = update_of(changes)
    engine.call("PutItem", {"TableName": "things", "Item": {**KEY, **item}})
    request = {"TableName": "things", "Key": KEY, "ReturnValues": "ALL_NEW"}
    answer = engine.call("UpdateItem", {**request, **encode({"UpdateExpression": update})})
    after: Item = answer["Attributes"]
    assert after == {**KEY, **update.apply(item, {})}
    del after["pk"]
    return after


@pytest.mark.parametrize(
    ("change", "expression"),
    [
        ("New", "SET reads = 'New'"),
        (None, "REMOVE reads"),
        (REMOVE, "REMOVE reads"),
        (F("read_limit"), "SET reads = readLimit"),
        (add(1), "SET reads = if_not_exists(reads, '0') + '1'"),
        (subtract(2), "SET reads = if_not_exists(reads, '0') - '2'"),
        (if_missing(5), "SET reads = if_not_exists(reads, '5')"),
        (if_missing(F("read_limit")), "SET reads = if_not_exists(reads, readLimit)"),
        (append([1]), "SET reads = list_append(if_not_exists(reads, []), [{'N': '1'}])"),
        (prepend([1]), "SET reads = list_append([{'N': '1'}], if_not_exists(reads, []))"),
        (include({"x"}), "ADD reads ['x']"),
        (exclude({"x"}), "DELETE reads ['x']"),
    ],
    ids=str,
)
def test_a_change_becomes_a_clause(change: Any, expression: str) -> None:
    assert text(reads=change) == expression


def test_changes_of_many_kinds_are_one_update() -> None:
    expression = text(name="New", cover=None, tags=include({"x"}), **{"stats.reads": add(1)})
    assert expression == (
        "SET name = 'New', stats.reads = if_not_exists(stats.reads, '0') + '1' "
        "REMOVE cover ADD tags ['x']"
    )


def test_a_value_is_encoded_by_its_field() -> None:
    noon = datetime(2026, 5, 1, 12, tzinfo=UTC)
    assert text(expires_at=noon) == "SET TTL = '1777636800'"
    assert text(created_at=noon) == "SET createdAt = '2026-05-01T12:00:00+00:00'"


WHOLE = {
    "reads": 5,
    "photos": ["b"],
    "tags": {"b", "c"},
    "stats": {"reads": 5, "photos": ["b"], "tags": {"b", "c"}, "a.b": 5},
}
BARE: dict[str, Any] = {"stats": {}}

CHANGES: list[tuple[str, Change, Any, Any]] = [
    ("reads", add(2), 7, 2),
    ("reads", add(Decimal("0.5")), Decimal("5.5"), Decimal("0.5")),
    ("reads", subtract(2), 3, -2),
    ("reads", if_missing(9), 5, 9),
    ("reads", REMOVE, None, None),
    ("photos", append(["c", "d"]), ["b", "c", "d"], ["c", "d"]),
    ("photos", append([]), ["b"], []),
    ("photos", prepend(["c", "d"]), ["c", "d", "b"], ["c", "d"]),
    ("tags", include({"a", "b"}), {"a", "b", "c"}, {"a", "b"}),
    ("tags", exclude({"b", "x"}), {"c"}, None),
    ("tags", exclude({"b", "c"}), None, None),
]
"""A field, a change, and what becomes of the field in the whole item and in the bare one."""


@pytest.mark.parametrize(("field", "change", "whole", "bare"), CHANGES, ids=range(len(CHANGES)))
@pytest.mark.parametrize("prefix", ["", "stats."], ids=["top", "nested"])
def test_a_change_works_on_top_and_nested_whether_the_attribute_is_there_or_not(
    engine: Engine, prefix: str, field: str, change: Change, whole: Any, bare: Any
) -> None:
    for item, expected in ((WHOLE, whole), (BARE, bare)):
        after = updated(engine, item_of(**item), **{prefix + field: change})
        holder = after["stats"]["M"] if prefix else after
        assert holder.get(field) == (None if expected is None else encoded(expected))


def test_an_update_of_no_item_makes_one(engine: Engine) -> None:
    update = update_of({"reads": add(1), "photos": append(["a"])})
    engine.call(
        "UpdateItem", {"TableName": "things", "Key": KEY, **encode({"UpdateExpression": update})}
    )
    answer = engine.call("GetItem", {"TableName": "things", "Key": KEY})
    assert answer["Item"] == {**KEY, **item_of(reads=1, photos=["a"])}


def test_paths_lead_into_lists_and_through_names_with_dots(engine: Engine) -> None:
    after = updated(engine, item_of(**WHOLE), **{"photos[0]": "z", r"stats.a\.b": add(1)})
    assert after["photos"] == encoded(["z"])
    assert after["stats"]["M"]["a.b"] == encoded(6)


def test_fields_are_swapped_since_both_are_read_before(engine: Engine) -> None:
    after = updated(engine, item_of(name="a", status="b"), name=F("status"), status=F("name"))
    assert after == item_of(name="b", status="a")


def test_a_nested_change_needs_what_its_path_leads_through(engine: Engine) -> None:
    with pytest.raises(ValidationException, match=r"document path provided .* is invalid"):
        updated(engine, {}, **{"stats.reads": add(1)})


AMOUNTS = st.integers(-1000, 1000) | st.decimals(-1000, 1000, places=3)


@given(st.none() | AMOUNTS, st.lists(st.tuples(st.sampled_from([add, subtract]), AMOUNTS)))
def test_sums_are_those_of_exact_numbers(start: Any, steps: list[tuple[Any, Any]]) -> None:
    item = {} if start is None else item_of(reads=start)
    expected = Decimal(start or 0)
    for change, amount in steps:
        item = update_of({"reads": change(amount)}).apply(item, {})
        expected += amount if change is add else -amount
    assert Decimal(item.get("reads", {"N": "0"})["N"]) == expected


def test_a_value_that_is_no_change_sets_the_field() -> None:
    action = change_of("x").resolve("name", RESOLVER)
    assert action == Set(RESOLVER.path("name"), Value({"S": "x"}))
    assert change_of(add(1)) == add(1)


def test_changes_are_values() -> None:
    assert include({"a", "b"}) == include({"b", "a"})
    assert hash(append(["a"])) == hash(append(["a"]))
    assert append(["a"]) != prepend(["a"])
    assert repr(REMOVE) == "REMOVE"


def test_an_unknown_field_is_refused_by_the_entity() -> None:
    with pytest.raises(UsageError, match=f"no field 'nmae'; there are: {', '.join(FIELDS)}"):
        update_of({"nmae": "x"})


@pytest.mark.parametrize(
    ("function", "argument", "fault"),
    [
        (append, "xyz", r"\['xyz'\], not 'xyz'"),
        (prepend, {"x"}, "list of members"),
        (include, "xyz", "set of members, {...}, not by 'xyz'"),
        (exclude, ["x"], "set of members"),
        (include, set(), "no empty set"),
        (if_missing, None, "changes nothing"),
    ],
)
def test_what_cannot_be_a_change_is_refused(function: Any, argument: Any, fault: str) -> None:
    with pytest.raises(UsageError, match=fault):
        function(argument)


def test_a_change_that_does_not_fit_what_the_field_stores_is_refused() -> None:
    amount: Any = "1"
    with pytest.raises(
        UsageError, match=r"Field 'reads' cannot be changed by .* '1' is stored as S"
    ):
        update_of({"reads": add(amount)})
