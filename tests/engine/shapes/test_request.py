"""Requests: one like an earlier one is accepted, or refused, as if it were the first."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import pytest
from hypothesis import given
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
NAMES = [{"#a": "x"}, {"#a": "y"}, {"#a": "x" * 70_000}, {"#a": 1}, {1: "x"}, {}, "#a", None]
REQUESTS = st.fixed_dictionaries(
    {"TableName": st.sampled_from(["abc", "abd", "a", "", "a b", *Name, 1, True, None])},
    optional={
        "Key": st.sampled_from([*KEYS, None]),
        "UpdateExpression": st.sampled_from(["SET a = :a", "SET", "\ud800", 1, None]),
        "ExpressionAttributeNames": st.sampled_from(NAMES),
        "ExpressionAttributeValues": st.sampled_from([{":a": {"S": "x"}}, {":a": {}}, [], None]),
        "ReturnValues": st.sampled_from(["NONE", "ALL_NEW", "all", None]),
        "Expected": st.sampled_from([{"a": {"Exists": True}}, {"a": {"Exists": 1}}, {}, None]),
        "Unknown": st.sampled_from(["a", 1, None]),
    },
)


def outcome(shape: Request, request: Any, source: Source) -> object:
    try:
        return shape.accept(request, source)
    except (ServiceError, TypeError) as error:
        return repr(error)


SEASONED = Request(MEMBERS)


@given(st.lists(st.tuples(REQUESTS, st.sampled_from([IN_PROCESS, WIRE])), max_size=5))
def test_a_shape_that_saw_others_answers_as_one_that_saw_none(
    requests: list[tuple[dict[str, Any], Source]],
) -> None:
    for request, source in requests:
        found = outcome(SEASONED, request, source)
        assert found == outcome(Request(MEMBERS), request, source)
        if isinstance(found, dict):
            assert type(found["TableName"]) is str


@pytest.mark.parametrize("body", [[], [{}], "abc", 1, None])
def test_what_is_no_object_is_refused(body: object) -> None:
    assert outcome(SEASONED, body, WIRE) == outcome(SEASONED, body, IN_PROCESS)
    assert "SerializationException" in repr(outcome(SEASONED, body, WIRE))


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
