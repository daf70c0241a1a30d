"""The order in which names are listed in messages."""

from __future__ import annotations

from singletable.expressions.order import first_element, hash_order


def test_few_names_are_listed_by_java_hash_in_16_slots() -> None:
    assert hash_order([":a", ":b", ":n"]) == [":n", ":a", ":b"]
    assert hash_order(["#a", "#z", "#y", "#long", "#w"]) == ["#long", "#w", "#y", "#z", "#a"]


def test_more_names_have_more_slots() -> None:
    names = [f":v{number}" for number in range(14)]
    assert hash_order(names) == [":v11", ":v12", ":v13", ":v10", *names[:10]]


def test_indexes_are_their_own_hash() -> None:
    assert hash_order([17, 3, 1]) == [17, 1, 3]


def test_the_first_element_of_paths_is_that_of_the_lowest_slot() -> None:
    assert first_element(["a", "b", "n", "o"]) == "n"
    assert first_element([3, 15, 14]) == 14


def test_of_elements_in_one_slot_the_earliest_is_first() -> None:
    assert first_element(["a", "q"]) == "a"
    assert first_element(["q", "a"]) == "q"


def test_more_than_12_elements_have_more_slots() -> None:
    assert first_element(range(20)) == 14
    assert first_element(f"w{number}" for number in range(20)) == "w10"
