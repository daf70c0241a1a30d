"""Which rows a condition is looked for in."""

from __future__ import annotations

import pytest

from singletable.engine.key_schemas import KeyAttribute, KeySchema
from singletable.engine.partiql.parser import parse
from singletable.engine.partiql.where import Search, Where, check_single, search, whole_key
from singletable.engine.ranges import Range, restricted
from singletable.errors import ValidationException
from singletable.values import Item, key_bytes

SCHEMA = KeySchema((KeyAttribute("p", "S"),), (KeyAttribute("s", "N"),))
WIDE = KeySchema(
    (KeyAttribute("p", "S"), KeyAttribute("q", "S")),
    (KeyAttribute("s", "N"), KeyAttribute("t", "S")),
)


def where(condition: str) -> Where:
    return Where.read(parse(f"SELECT * FROM notes WHERE {condition}").where, {})


def looked_for(condition: str, schema: KeySchema = SCHEMA) -> Search | None:
    return search(schema, where(condition))


def partition(text: str) -> bytes:
    return SCHEMA.partition({"p": {"S": text}})


def whole(text: str) -> Range:
    return Range.beginning(partition(text))


@pytest.mark.parametrize(
    ("condition", "ranges"),
    [
        ("p = 'a'", [whole("a")]),
        ("'a' = p AND v = 1", [whole("a")]),
        ("p IN ['b', 'a', 'b']", [whole("a"), whole("b")]),
        ("p = 'b' OR p = 'a'", [whole("a"), whole("b")]),
        ("p = 'b' AND v = 1 OR p = 'a' AND w = 2", [whole("a"), whole("b")]),
        ("p IN ['a', 'b'] AND p IN ['b', 'c']", [whole("b")]),
        ("p = 'a' AND p = 'b'", []),
    ],
)
def test_a_pinned_partition_key_is_searched_in_the_order_of_its_values(
    condition: str, ranges: list[Range]
) -> None:
    found = looked_for(condition)
    assert found is not None
    assert list(found.ranges) == ranges


@pytest.mark.parametrize(
    "condition",
    ["s = 1", "p > 'a'", "p <> 'a'", "NOT p = 'a'", "p = 'a' OR v = 1", "p = v", "p.x = 'a'"],
)
def test_a_partition_key_that_is_not_pinned_needs_a_scan(condition: str) -> None:
    assert looked_for(condition) is None


@pytest.mark.parametrize(
    ("condition", "operator", "values"),
    [
        ("s = 1", "=", ["1"]),
        ("s < 2", "<", ["2"]),
        ("2 < s", ">", ["2"]),
        ("s >= 2 AND v = 1", ">=", ["2"]),
        ("s BETWEEN 1 AND 3", "BETWEEN", ["1", "3"]),
        ("s >= 1 AND s <= 3", "BETWEEN", ["1", "3"]),
    ],
)
def test_tests_of_the_sort_key_narrow_the_range(
    condition: str, operator: str, values: list[str]
) -> None:
    found = looked_for(f"p = 'a' AND {condition}")
    assert found is not None
    assert found.ranges == (
        restricted(partition("a"), operator, [{"N": value} for value in values]),
    )


@pytest.mark.parametrize("condition", ["s = 1 OR v = 1", "NOT s = 1", "s IN [1]", "s <> 1"])
def test_what_may_hold_beyond_one_range_of_the_sort_key_is_a_filter(condition: str) -> None:
    found = looked_for(f"p = 'a' AND ({condition})")
    assert found == Search((whole("a"),), where(condition).tree)


def test_only_what_the_ranges_do_not_see_to_is_left_as_a_filter() -> None:
    found = looked_for("p = 'a' AND s > 1 AND v = 1 AND s < 9 AND w = 2")
    assert found is not None
    assert found.rest == where("v = 1 AND w = 2").tree


def test_a_key_of_several_attributes_is_pinned_by_all_and_narrowed_from_the_left() -> None:
    assert looked_for("p = 'a'", WIDE) is None
    found = looked_for("q IN ['x', 'y'] AND p = 'a' AND s = 1 AND begins_with(t, 'm')", WIDE)
    assert found is not None
    prefixes = [
        WIDE.partition({"p": {"S": "a"}, "q": {"S": each}}) + key_bytes({"N": "1"})
        for each in ("x", "y")
    ]
    beginning = [restricted(prefix, "begins_with", [{"S": "m"}]) for prefix in prefixes]
    assert list(found.ranges) == beginning
    assert found.rest is None


def test_more_partitions_than_are_worth_it_are_not_looked_up_one_by_one() -> None:
    def listed(count: int) -> str:
        return ", ".join(f"'{each}'" for each in range(count))

    found = looked_for(f"p IN [{listed(50)}] AND q IN [{listed(50)}]", WIDE)
    assert found is not None
    assert len(found.ranges) == 2500
    more = f"p IN [{listed(50)}] AND (q IN [{listed(50)}] OR q = 'x')"
    assert looked_for(more, WIDE) is None


@pytest.mark.parametrize(
    ("condition", "key"),
    [
        ("p = 'a' AND s = 1", {"p": {"S": "a"}, "s": {"N": "1"}}),
        ("(v = 1 AND (s = 1)) AND p = 'a' AND p = 'a'", {"p": {"S": "a"}, "s": {"N": "1"}}),
        ("p = 'a'", None),
        ("p = 'a' AND s IN [1]", None),
        ("p = 'a' AND s = 1 OR v = 1", None),
        ("p = 'a' AND p = 'b' AND s = 1", None),
        ("p = 'a' AND s = NULL", None),
    ],
)
def test_a_whole_key_is_an_equality_on_each_of_its_attributes(
    condition: str, key: Item | None
) -> None:
    found = whole_key(SCHEMA, where(condition))
    assert (found and found.key) == key


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("p = 1 AND s = 1", "Key attribute's data type should match its data type in table's"),
        ("p = '' AND s = 1", "cannot contain an empty string value. Key: p"),
    ],
)
def test_a_key_that_no_item_can_have_is_refused(condition: str, message: str) -> None:
    with pytest.raises(ValidationException, match=message):
        whole_key(SCHEMA, where(condition))


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("p = 'a' AND p = 'b' AND s = 1", "Multiple conditions on same key p"),
        ("s = 1 AND s = 2", "Multiple conditions on same key s"),
        ("p = 'a' AND s = [1]", "must be of type S, N, or B. Key name: s, Key type: L"),
    ],
)
def test_a_write_needs_one_value_of_each_key_attribute(condition: str, message: str) -> None:
    with pytest.raises(ValidationException, match=message):
        check_single(SCHEMA, where(condition))
