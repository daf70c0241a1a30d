"""The order in which names are listed in messages."""

from __future__ import annotations

from singletable.expressions.order import hash_order


def test_few_names_are_listed_by_java_hash_in_16_slots() -> None:
    assert hash_order([":a", ":b", ":n"]) == [":n", ":a", ":b"]
    assert hash_order(["#a", "#z", "#y", "#long", "#w"]) == ["#long", "#w", "#y", "#z", "#a"]


def test_more_names_have_more_slots() -> None:
    names = [f":v{number}" for number in range(14)]
    assert hash_order(names) == [":v11", ":v12", ":v13", ":v10", *names[:10]]


def test_indexes_are_their_own_hash() -> None:
    assert hash_order([17, 3, 1]) == [17, 1, 3]
