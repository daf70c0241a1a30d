"""Python values and attribute values, each of which is the other's."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum, StrEnum
from typing import Any
from uuid import UUID

import pytest
from pydantic import BaseModel, RootModel, SecretBytes

from singletable.errors import UsageError
from singletable.model.codec import decode, decode_epoch, encode, encode_epoch


class Word(StrEnum):
    """Text."""

    A = "a"


class Number(Enum):
    """A number."""

    ONE = 1


class Names(RootModel[list[str]]):
    """A list."""


class Inner(BaseModel):
    """Keeps None where it is not the default."""

    one: int | None = 1
    two: int | None = None


@dataclass
class Plain:
    """No model."""

    one: int | None = None


ENCODED: list[tuple[Any, dict[str, Any]]] = [
    ("text", {"S": "text"}),
    (True, {"BOOL": True}),
    (7, {"N": "7"}),
    (0.1, {"N": "0.1"}),
    (Decimal("1.50"), {"N": "1.50"}),
    (None, {"NULL": True}),
    (b"x", {"B": b"x"}),
    (bytearray(b"x"), {"B": b"x"}),
    ([1, "a"], {"L": [{"N": "1"}, {"S": "a"}]}),
    ((1,), {"L": [{"N": "1"}]}),
    ({"a": 1, 2: None}, {"M": {"a": {"N": "1"}, "2": {"NULL": True}}}),
    ({2, 1}, {"NS": ["1", "2"]}),
    (frozenset({"b", "a"}), {"SS": ["a", "b"]}),
    ({b"x"}, {"BS": [b"x"]}),
    (set(), {"L": []}),
    (Word.A, {"S": "a"}),
    (Number.ONE, {"N": "1"}),
    (UUID(int=0), {"S": "00000000-0000-0000-0000-000000000000"}),
    (date(2026, 1, 2), {"S": "2026-01-02"}),
    (datetime(2026, 1, 2, tzinfo=UTC), {"S": "2026-01-02T00:00:00.000000Z"}),
    (timedelta(hours=1), {"S": "PT1H"}),
    (Names(["a"]), {"L": [{"S": "a"}]}),
    (SecretBytes(b"x"), {"B": b"x"}),
    (Inner(one=None), {"M": {"one": {"NULL": True}}}),
    (Plain(), {"M": {"one": {"NULL": True}}}),
]


@pytest.mark.parametrize(("value", "encoded"), ENCODED, ids=range(len(ENCODED)))
def test_every_value_has_its_attribute_value(value: Any, encoded: dict[str, Any]) -> None:
    assert encode(value) == encoded


@pytest.mark.parametrize("value", [float("inf"), Decimal("nan"), {1, "a"}, {None}, {True}])
def test_what_dynamodb_cannot_hold_is_refused(value: Any) -> None:
    with pytest.raises(UsageError):
        encode(value)


@pytest.mark.parametrize(
    "value",
    ["a", 7, Decimal("0.5"), None, b"x", [1, ["a"]], {"a": {"b": 1}}, {1, 2}, {"a"}, {b"x"}],
)
def test_plain_values_are_decoded_as_they_were(value: Any) -> None:
    assert decode(encode(value)) == value


def test_an_attribute_value_has_a_type() -> None:
    with pytest.raises(UsageError):
        decode({})


def test_expiries_are_seconds_rounded_up_however_late() -> None:
    moment = datetime(9999, 12, 31, 23, 59, 58, 500_000, tzinfo=UTC)
    assert encode_epoch(moment) == {"N": "253402300799"}
    assert decode_epoch(253402300799) == datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)


def test_the_last_moment_of_all_is_an_expiry_that_can_be_read() -> None:
    last = datetime.max.replace(tzinfo=UTC)
    assert encode_epoch(last) == {"N": "253402300799"}
    assert decode_epoch(253402300799) == last.replace(microsecond=0)
    assert decode_epoch(253402300800) == last.replace(microsecond=0)


def test_an_expiry_needs_a_time_zone() -> None:
    with pytest.raises(UsageError, match="has no time zone"):
        encode_epoch(datetime(2030, 1, 1))  # noqa: DTZ001 - that is the point


def test_a_moment_outside_of_the_calendar_is_refused() -> None:
    with pytest.raises(UsageError, match="outside of the years 1 to 9999"):
        encode(datetime.min.replace(tzinfo=timezone(timedelta(hours=5))))
