"""Requests: one like an earlier one is accepted, or refused, as if it were the first."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from singletable.engine.operations import OPERATIONS
from singletable.engine.shapes import IN_PROCESS, WIRE, Request, Source
from singletable.errors import ServiceError
from singletable.expressions.recent import GENERATION_MAX, SIZE_MAX

MEMBERS = OPERATIONS["UpdateItem"].shape.members


class Name(StrEnum):
    """A text that hashes by the name of its member."""

    TABLE = "abc"
    SHORT = "a"


KEYS = [{"pk": {"S": "a"}}, {"pk": {"S": 1}}, {"pk": {"N": "1.50"}}, {"p" * 70_000: {"S": "a"}}, 1]
TABLES = ["abc", "abd", "a", "", "a b", "\u00e9", "a" * 2000, *Name, 1, True, None]
EXPRESSIONS = ["a = :a", "SET", "\ud800", 1, None]
NAMES = [{"#a": "x"}, {"#a": "y"}, {"#a": "x" * 70_000}, {"#a": 1}, {1: "x"}, {}, "#a", None]

Body = dict[str, Any]
Requests = list[tuple[Body, Source]]


def variants(base: Body, members: dict[str, list[Any]]) -> st.SearchStrategy[Body]:
    """Give a body as it is, or with one or two of its members changed."""
    change = st.one_of(
        [st.tuples(st.just(name), st.sampled_from(members[name])) for name in members]
    )
    return st.lists(change, max_size=2).map(lambda changes: base | dict(changes))


def sessions(requests: st.SearchStrategy[Body]) -> st.SearchStrategy[Requests]:
    """Give requests to send one after another."""
    return st.lists(st.tuples(requests, st.sampled_from([IN_PROCESS, WIRE])), max_size=5)


UPDATES = variants(
    {"TableName": "abc", "Key": {"pk": {"S": "a"}}, "ExpressionAttributeNames": {"#a": "x"}},
    {
        "TableName": TABLES,
        "Key": [*KEYS, None],
        "UpdateExpression": EXPRESSIONS,
        "ExpressionAttributeNames": NAMES,
        "ExpressionAttributeValues": [{":a": {"S": "x"}}, {":a": {}}, [], None],
        "ReturnValues": ["NONE", "ALL_NEW", "all", None],
        "Expected": [{"a": {"Exists": True}}, {"a": {"Exists": 1}}, {}, None],
        "Unknown": ["a", 1, None],
    },
)
PUTS = variants(
    {"TableName": "abc", "Item": {"pk": {"S": "a"}}, "ExpressionAttributeNames": {"#a": "x"}},
    {
        "TableName": TABLES,
        "Item": [*KEYS, None],
        "ConditionExpression": EXPRESSIONS,
        "ExpressionAttributeNames": NAMES,
        "Unknown": ["a", None],
    },
)
NO_ACTIONS: list[Any] = [{}, {"Put": None}, {"Put": []}, {"Unknown": {}}, "Put", None]
ACTIONS = st.one_of(PUTS.map(lambda put: {"Put": put}), st.sampled_from(NO_ACTIONS))
TRANSACTIONS = st.one_of(
    st.lists(ACTIONS, max_size=4), st.sampled_from([{}, [{}] * 101, None])
).map(lambda actions: {"TransactItems": actions})


def outcome(take: Callable[[Any, Source], Any], request: Any, source: Source) -> object:
    try:
        return take(request, source)
    except (ServiceError, TypeError) as error:
        return repr(error)


UPDATE = Request(MEMBERS)
TRANSACT = OPERATIONS["TransactWriteItems"].shape


@given(sessions(UPDATES))
@example([({"TableName": name, "Key": KEYS[0]}, WIRE) for name in Name])
def test_a_shape_that_saw_others_answers_as_one_that_remembers_nothing(requests: Requests) -> None:
    for request, source in requests:
        found = outcome(UPDATE.accept, request, source)
        assert found == outcome(UPDATE.judged, request, source)
        if isinstance(found, dict):
            assert type(found["TableName"]) is str


@given(sessions(TRANSACTIONS))
def test_so_does_one_with_structures_inside(requests: Requests) -> None:
    for request, source in requests:
        found = outcome(TRANSACT.accept, request, source)
        assert found == outcome(TRANSACT.judged, request, source)


@pytest.mark.parametrize("body", [[], [{}], "abc", 1, None])
def test_what_is_no_object_is_refused(body: object) -> None:
    found = outcome(UPDATE.accept, body, WIRE)
    assert found == outcome(UPDATE.accept, body, IN_PROCESS)
    assert "SerializationException" in repr(found)


def test_who_changes_an_accepted_request_changes_no_other() -> None:
    shape = Request(MEMBERS)
    request = {"TableName": "abc", "Key": {"pk": {"S": "a"}}, "ReturnValues": "NONE"}
    for _ in range(2):
        accepted = shape.accept(request, IN_PROCESS)
        assert accepted == request
        accepted["ReturnValues"] = "ALL_NEW"
        del accepted["TableName"]


def test_no_more_is_kept_than_is_bounded() -> None:
    shape = Request(MEMBERS)
    key = {"pk": {"S": "a"}}
    large = {"#a": "x" * SIZE_MAX}
    shape.accept({"TableName": "abc", "Key": key, "ExpressionAttributeNames": large}, IN_PROCESS)
    assert len(shape.passed) == 0
    for number in range(3 * GENERATION_MAX):
        shape.accept({"TableName": f"t-{number:04}", "Key": key}, IN_PROCESS)
    assert GENERATION_MAX <= len(shape.passed) <= 2 * GENERATION_MAX
