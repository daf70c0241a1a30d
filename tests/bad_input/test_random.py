"""Random JSON as requests of every operation: an answer or an error of the service, never else."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from singletable.engine import Engine
from singletable.engine.operations import OPERATIONS
from singletable.errors import ServiceError
from singletable.server.sigv4 import Verifier
from tests.bad_input.samples import ARN, TABLE, Request, samples
from tests.bad_input.support import found, over_the_wire, paths, replaced, survives
from tests.crash.audit import audit

MEMBERS = sorted({member for each in OPERATIONS.values() for member in each.shape.members})
TYPES = ["S", "N", "B", "BOOL", "NULL", "SS", "NS", "BS", "L", "M"]
WORDS = [
    TABLE, ARN, "pk", "sk", "g", "p", "word", "by-g", "#t", ":v", "ALL_NEW", "NONE", "SIZE", "EQ",
    "IN", "ADD", "PUT", "HASH", "RANGE", "1", "-1.5e3", "", "eA==", "a = :v", "SET a = :v",
    "pk = :p", f"SELECT * FROM {TABLE}", f"DELETE FROM {TABLE} WHERE pk = ? AND sk = ?",
]  # fmt: skip

texts = st.sampled_from(WORDS) | st.text(max_size=8)
numbers = st.integers(-2, 2**33) | st.floats(allow_nan=False, allow_infinity=False)
scalars = st.none() | st.booleans() | numbers | texts
names = st.sampled_from(TYPES) | st.sampled_from(MEMBERS) | texts
trees = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=12,
)
values = st.recursive(
    st.fixed_dictionaries({}, optional=dict.fromkeys(TYPES[:5], scalars)),
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            **dict.fromkeys(TYPES[5:8], st.lists(scalars, max_size=3)),
            "L": st.lists(inner, max_size=2),
            "M": st.dictionaries(texts, inner, max_size=2),
        },
    ),
    max_leaves=6,
)


def check(engine: Engine, operation: str, request: Any) -> None:
    survives(engine.call, operation, request)
    survives(over_the_wire(engine), operation, request)
    audit(engine)


@st.composite
def spoilt(draw: st.DrawFn, calls: list[tuple[str, Request]]) -> tuple[str, Request]:
    """Draw a request that is right but for one to three members."""
    operation, request = draw(st.sampled_from(calls))
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.sampled_from(list(paths(request))))
        left_out = draw(st.booleans())
        if at and left_out and isinstance(found(request, at[:-1]), dict):
            holder = {
                name: each for name, each in found(request, at[:-1]).items() if name != at[-1]
            }
            request = replaced(request, at[:-1], holder)
        else:
            request = replaced(request, at, draw(values | trees))
    return operation, request


@given(st.data())
@settings(max_examples=max(600, settings().max_examples))
def test_a_request_that_is_almost_right(world: Engine, data: st.DataObject) -> None:
    call = data.draw(spoilt(samples(world)))
    with world.fork() as engine:
        check(engine, *call)


@given(
    st.sampled_from(sorted(OPERATIONS)), st.dictionaries(st.sampled_from(MEMBERS), trees) | trees
)
@settings(max_examples=max(200, settings().max_examples))
def test_a_request_that_is_nothing_like_one(world: Engine, operation: str, request: Any) -> None:
    with world.fork() as engine:
        check(engine, operation, request)


@given(st.sampled_from(sorted(OPERATIONS)), st.binary(max_size=60))
@settings(max_examples=max(100, settings().max_examples))
def test_a_body_of_any_bytes(world: Engine, operation: str, body: bytes) -> None:
    with world.fork() as engine:
        survives(engine.call_json, operation, body)


SIGNED = "AWS4-HMAC-SHA256 SignedHeaders=host;x-amz-target, Signature=abc,"
header = st.binary(max_size=30) | st.sampled_from(
    [
        f"{SIGNED} Credential=known/20260101/us-east-1/dynamodb/aws4_request".encode(),
        f"{SIGNED} Credential=known/////".encode(),
        SIGNED.replace("host", "\xff;host").encode("latin-1") + b"Credential=known/a/b/c/d",
        b"20260101T000000Z",
        b"00000101T000000Z",
        b"99991231T235959Z",
        b"known",
    ]
)


@given(
    st.dictionaries(
        st.sampled_from([b"authorization", b"x-amz-date", b"x-amz-security-token", b"host"]), header
    ),
    st.binary(max_size=20),
)
@settings(max_examples=max(300, settings().max_examples))
def test_a_signature_of_any_bytes_is_refused(headers: dict[bytes, bytes], body: bytes) -> None:
    with pytest.raises(ServiceError) as caught:
        Verifier({"known": "secret"}).screen(headers)(body)
    assert caught.value.status < 500


ALPHABET = ["a", "#t", ":v", "(", ")", "=", "<>", " AND ", " OR ", " NOT ", " IN ", " BETWEEN ",
            ",", ".", "[", "]", "0", "1", "+", "-", "size(", "contains(", "if_not_exists(",
            "SET ", "REMOVE ", "ADD ", "DELETE ", " ", "'", '"', "?", "{", "}", "<<", ">>",
            "SELECT ", "FROM ", TABLE, " WHERE ", "pk", "*", "EXISTS(", "\n", "é"]  # fmt: skip


@given(st.lists(st.sampled_from(ALPHABET), max_size=25).map("".join))
@settings(max_examples=max(400, settings().max_examples))
def test_an_expression_of_any_words(world: Engine, text: str) -> None:
    given_names = {"#t": "word"} if "#t" in text else None
    given_values = {":v": {"N": "1"}} if ":v" in text else None
    placeholders = {
        "ExpressionAttributeNames": given_names,
        "ExpressionAttributeValues": given_values,
    }
    key = {"pk": {"S": "p"}, "sk": {"N": "1"}}
    with world.fork() as engine:
        for prefix in ("", "SET a = "):
            request = {"TableName": TABLE, "Key": key, "UpdateExpression": prefix + text}
            survives(engine.call, "UpdateItem", request | placeholders)
        for member in ("FilterExpression", "ProjectionExpression"):
            survives(engine.call, "Scan", {"TableName": TABLE, member: text, **placeholders})
        wanted = {"TableName": TABLE, "KeyConditionExpression": text, **placeholders}
        survives(engine.call, "Query", wanted)
        for prefix in ("", f"SELECT * FROM {TABLE} WHERE ", f"INSERT INTO {TABLE} VALUE "):
            survives(engine.call, "ExecuteStatement", {"Statement": prefix + text})
        audit(engine)
