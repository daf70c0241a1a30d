"""Every member of every operation with something in it that does not belong there."""

from __future__ import annotations

from collections import OrderedDict
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import IntEnum, StrEnum
from typing import Any

import pytest

from singletable.engine import Engine
from singletable.engine.operations import OPERATIONS
from tests.bad_input.samples import KEY, TABLE, Request, sample_names, samples
from tests.bad_input.support import (
    contents,
    found,
    nested,
    over_the_wire,
    paths,
    refusal,
    replaced,
    survives,
    ways,
)
from tests.crash.audit import audit

WRONG: dict[type, list[Any]] = {
    str: [7, 1.5, True, [], {}],
    bytes: [7, True, [], {}],
    int: ["7", True, [], {}],
    float: ["7", True, [], {}],
    bool: ["true", 1, 0.0, [], {}],
    list: ["x", 7, False, {}],
    dict: ["x", 7, False, []],
}


class Text(str):
    """A text with a class of its own."""

    __slots__ = ()


class Number(IntEnum):
    """An enumeration of numbers."""

    TWO = 2


class Word(StrEnum):
    """An enumeration of texts."""

    TYPE = "S"
    NAME = "word"
    TABLE = TABLE


STRANGE_JSON: list[Any] = [
    None, False, -1, 2**31, 2**64, 1e300, -1e11, "", "x", "\0", "x" * 300, "x" * 65536,
    [], {}, [None], [[]], [{}], {"": ""}, {"": {"S": "x"}}, {"x": None},
    {"S": ""}, {"S": None}, {"N": ""}, {"N": "NaN"}, {"N": "1e400"}, {"N": "1" * 39}, {"B": "!"},
    {"SS": []}, {"NS": ["1", "1.0"]}, {"NULL": False}, {"S": "a", "N": "1"}, {"X": 1},
    nested(31), nested(32), nested(300), nested(300, "M"), nested(300, S="x"),
    {"x" * 65536: nested(300)}, ["x"] * 200, [{}] * 2000, {str(n): {} for n in range(200)},
    "'; DROP TABLE tables; --", '"', "arn:", "#", ":", "\U0001f600", "\u0663",
]  # fmt: skip
STRANGE: list[Any] = [
    *STRANGE_JSON,
    float("nan"), float("inf"), 10**5000, -(10**400), 1j, Decimal(1), Decimal("NaN"), Number.TWO,
    b"", b"\xff", bytearray(b"x"), memoryview(b"x"), (), ("x",), {1}, range(3), object(), int,
    datetime.now(UTC), datetime.max.replace(tzinfo=UTC), date(2026, 1, 1), Text("x"), Word.NAME,
    {Text("S"): Text("x")}, {Text("x"): {"S": "x"}}, {1: 2}, {None: {"S": "x"}}, OrderedDict(S="x"),
    {"L": ({"S": "x"},)}, {"N": 1}, {"N": 1.5}, {"N": Decimal(1)}, {"S": b"x"}, {"SS": {"x"}},
    {"BS": [b"a", bytearray(b"a")]}, {"B": memoryview(b"abcd")[::2]}, {"B": 1},
    "\ud800", {"S": "\ud800"}, {"\ud800": {"S": "x"}}, {"N": "\ud800"}, {"SS": ["\ud800"]},
    {"B": "\ud800"}, {"M": {"\ud800": {"S": "x"}}}, {"\ud800": 1},
    nested(20_000), nested(20_000, "M"), nested(20_000, S="x"),
]  # fmt: skip


SAMPLES = sample_names()


@pytest.fixture
def sample(world: Engine, request: pytest.FixtureRequest) -> tuple[str, Request]:
    """Give an operation and a request that is right."""
    number: int = request.param
    return samples(world)[number]


every_sample = pytest.mark.parametrize("sample", range(len(SAMPLES)), ids=SAMPLES, indirect=True)


def test_there_is_a_sample_of_every_operation_that_takes_anything(world: Engine) -> None:
    sampled = {operation for operation, _ in samples(world)}
    assert {name for name, each in OPERATIONS.items() if each.shape.members} <= sampled


@every_sample
def test_a_value_of_the_wrong_type_is_a_serialization_exception(
    engine: Engine, sample: tuple[str, Request]
) -> None:
    operation, request = sample
    before = contents(engine)
    for ask in ways(engine):
        for at in paths(request):
            for wrong in WRONG[type(found(request, at))]:
                error = refusal(ask, operation, replaced(request, at, wrong))
                assert error.code == "SerializationException", (at, wrong)
    assert contents(engine) == before


@every_sample
def test_a_strange_value_is_answered_with_an_error_of_the_service_or_taken(
    engine: Engine, sample: tuple[str, Request]
) -> None:
    operation, request = sample
    for ask, strange in ((engine.call, STRANGE), (over_the_wire(engine), STRANGE_JSON)):
        for at in paths(request):
            for value in strange:
                survives(ask, operation, replaced(request, at, value))
    audit(engine)


@every_sample
def test_a_member_that_does_not_exist_is_named_in_process_and_ignored_on_the_wire(
    engine: Engine, sample: tuple[str, Request]
) -> None:
    operation, request = sample
    before = contents(engine)
    members = ", ".join(OPERATIONS[operation].shape.members)
    with pytest.raises(TypeError) as caught:
        engine.call(operation, request | {"Tablename": "x"})
    assert str(caught.value) == f"unknown parameter 'Tablename', must be one of {members}"
    assert contents(engine) == before
    survives(over_the_wire(engine), operation, request | {"Tablename": nested(100)})


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"N": 1}, "NUMBER_VALUE cannot be converted to String"),
        ({"N": 1.5}, "DECIMAL_VALUE cannot be converted to String"),
        ({"N": Decimal(1)}, "Decimal cannot be converted to String"),
        ({"S": b"x"}, "bytes cannot be converted to String"),
        ({"S": datetime.now(UTC)}, "datetime cannot be converted to String"),
        ({"SS": {"x"}}, "Unexpected field type"),
        ({"S": "\ud800"}, "A string is not valid Unicode: surrogates not allowed"),
    ],
)
def test_what_boto3_refuses_too_is_named(engine: Engine, value: Any, message: str) -> None:
    error = refusal(engine.call, "PutItem", {"TableName": TABLE, "Item": KEY | {"v": value}})
    assert (error.code, error.message) == ("SerializationException", message)


def test_what_is_almost_of_a_type_is_taken_for_it(engine: Engine) -> None:
    item = {
        Text("pk"): {Word.TYPE: Text("p")},
        "sk": {"N": Text("9.0")},
        Word.NAME: OrderedDict(S=Word.TABLE),
        "blobs": {"BS": (bytearray(b"b"), memoryview(b"abc")[::2])},
        "steps": {"L": ({"B": bytearray(b"x")},)},
    }
    engine.call("PutItem", {Text("TableName"): Word.TABLE, "Item": item})
    key = {"pk": {"S": "p"}, "sk": {"N": "9"}}
    assert engine.call("GetItem", {"TableName": TABLE, "Key": key})["Item"] == key | {
        "word": {"S": TABLE},
        "blobs": {"BS": [b"ac", b"b"]},
        "steps": {"L": [{"B": b"x"}]},
    }
    page = engine.call("Scan", {"TableName": TABLE, "Limit": Number.TWO, "Select": None})
    assert page["Count"] == 2
