"""Descriptions of reads: values that are changed by being made anew, and sent by a store alone."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from singletable.errors import UsageError
from singletable.model.conditions import F
from singletable.model.entity import Entity
from singletable.model.indexes import Index
from singletable.model.reads import Key, get_many
from singletable.model.table import Table

table = Table("reads", indexes=["GSI1"])


class Base(Entity, table=table, pk="LIST#{list_id}"):
    """Has no items."""

    list_id: str


class Task(Base, sk="TASK#{task_id}"):
    """Has a key of two fields."""

    by_name = Index("GSI1", pk="NAME#{name}", sk="{task_id}")

    task_id: str
    name: str = ""


class Hot(Entity, table=table, pk="HOT#{name}#{copy}", sk="HOT", copies=3):
    """There three times."""

    name: str


def test_every_method_gives_another_description() -> None:
    query = Task.query(list_id="l")
    changed = query.newest_first().limit(3).strong().ge("a").filter(F("name") == "x")
    assert (query.forward, query.most, query.consistent) == (True, None, False)
    assert (changed.forward, changed.most, changed.consistent) == (False, 3, True)
    assert query == Task.query(list_id="l")
    assert changed != query


def test_filters_add_up() -> None:
    one, two = F("name") == "x", F("name") != "y"
    assert Task.query(list_id="l").filter(one).filter(two).condition == (one & two)


def test_one_comparison_is_all_there_is() -> None:
    with pytest.raises(UsageError, match="one comparison"):
        Task.query(list_id="l").ge("a").lt("b")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"list_id": "l"}, "lacks task_id"),
        ({"list_id": "l", "task_id": "t", "name": "n"}, "has no use for name"),
        ({"list": "l", "task_id": "t"}, "lacks list_id and has no use for list"),
    ],
)
def test_a_key_is_whole_and_no_more(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=f"The key of Task is made of list_id, task_id.*{message}"):
        Task.key(**fields)


def test_a_base_has_no_keys() -> None:
    with pytest.raises(UsageError, match="Base is a base for other entities, as its key has no sk"):
        Base.get(list_id="l")


def test_a_key_is_as_dynamodb_has_it() -> None:
    assert Task.key(list_id="l", task_id="t").item_key == {
        "PK": {"S": "LIST#l"},
        "SK": {"S": "TASK#t"},
    }
    assert Hot.key(name="h").item_key["PK"] == {"S": "HOT#h#0"}
    assert Task.key(list_id="l", task_id="t") == Key(
        Task.__schema__, {"list_id": "l", "task_id": "t"}
    )


def test_nothing_runs_without_a_store() -> None:
    reads: list[Any] = [
        Task.query(list_id="l"),
        Task.get(list_id="l", task_id="t"),
        Task.scan(),
        Task.by_name.query(name="n"),
        get_many([Task.get(list_id="l", task_id="t")]),
    ]
    for read in reads:
        with pytest.raises(UsageError, match="runs through a store"):
            read.first()
        with pytest.raises(UsageError, match="runs through a store"):
            asyncio.run(read.afirst())


def test_a_strong_batch_is_strong_throughout() -> None:
    gets = get_many(Task.get(list_id="l", task_id=one) for one in "ab")
    assert [get.consistent for get in gets.strong().gets] == [True, True]
    assert [get.consistent for get in gets.gets] == [False, False]


def test_what_is_no_read_is_refused_among_many() -> None:
    key: Any = Hot.key(name="n")
    with pytest.raises(UsageError, match=r"get_many\(\[.*\]\): give reads, as in get_many"):
        get_many([key])


@pytest.mark.parametrize(
    ("read", "ways"),
    [
        (Task.get(list_id="l", task_id="t"), r"first\(\) gives the item or None, one\(\) raises"),
        (Task.query(list_id="l"), r"all\(\) gives a list, first\(\) an item or None"),
        (Task.by_name.query(name="n"), r"all\(\) gives a list"),
        (Task.scan(), r"all\(\) gives a list"),
        (get_many([Task.get(list_id="l", task_id="t")]), r"all\(\) gives a list"),
    ],
)
def test_no_read_is_true_or_false_before_it_has_run(read: Any, ways: str) -> None:
    with pytest.raises(UsageError, match=f"neither true nor false before it has run: {ways}") as no:
        bool(read)
    assert str(no.value).startswith(repr(read))
