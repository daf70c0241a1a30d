"""Single values: what is taken, what is refused, and in which words."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from singletable.engine.shapes import (
    IN_PROCESS,
    WIRE,
    Blob,
    Boolean,
    Integer,
    Long,
    Shape,
    String,
    Timestamp,
)
from singletable.errors import SerializationException


@pytest.mark.parametrize(
    ("shape", "value", "message"),
    [
        (String(), 1, "NUMBER_VALUE cannot be converted to String"),
        (String(), 1.5, "DECIMAL_VALUE cannot be converted to String"),
        (String(), True, "TRUE_VALUE cannot be converted to String"),
        (String(), False, "FALSE_VALUE cannot be converted to String"),
        (String(), [], "Start of list found where not expected"),
        (String(), {}, "Start of structure or map found where not expected"),
        (Boolean(), "true", "Unexpected token received from parser"),
        (Boolean(), 1, "Unexpected token received from parser"),
        (Integer(), "1", "STRING_VALUE cannot be converted to Integer"),
        (Integer(), True, "TRUE_VALUE cannot be converted to Integer"),
        (Integer(), 2**31, "NUMBER_VALUE cannot be converted to Integer"),
        (Long(), 2**63, "NUMBER_VALUE cannot be converted to Long"),
        (Long(), float("inf"), "DECIMAL_VALUE cannot be converted to Long"),
        (Timestamp(), "today", "STRING_VALUE cannot be converted to Date"),
    ],
)
def test_a_value_of_another_type_is_refused(shape: Shape, value: Any, message: str) -> None:
    with pytest.raises(SerializationException) as caught:
        shape.read(value, WIRE)
    assert caught.value.message == message


def test_a_fraction_is_cut_off() -> None:
    assert Integer().read(1.9, WIRE) == 1


def test_a_moment_is_read_as_epoch_seconds_from_both_of_its_forms() -> None:
    assert Timestamp().read(1.5, WIRE) == 1.5
    assert Timestamp().read(datetime(1970, 1, 2, tzinfo=UTC), IN_PROCESS) == 86400.0


def test_bytes_are_base64_on_the_wire_and_themselves_in_process() -> None:
    assert Blob().read("AP8=", WIRE) == b"\x00\xff"
    assert Blob().read(b"\x00\xff", IN_PROCESS) == b"\x00\xff"
    assert Blob().read(bytearray(b"\x00"), IN_PROCESS) == b"\x00"


def test_text_for_bytes_in_process_stands_for_its_utf_8_as_in_boto3() -> None:
    assert Blob().read("é", IN_PROCESS) == b"\xc3\xa9"


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (
            "abc",
            (
                "'abc' can not be converted to a Blob: "
                "Base64 encoded length is expected a multiple of 4 bytes but found: 3"
            ),
        ),
        ("ab*=", "'ab*=' can not be converted to a Blob: Invalid Base64 character: '*'"),
        ("a=bc", "'a=bc' can not be converted to a Blob: Invalid Base64 character: '='"),
        (1, "only base64-encoded strings are convertible to bytes"),
        ([], "Start of list found where not expected"),
    ],
)
def test_what_is_not_base64_is_refused_on_the_wire(value: Any, message: str) -> None:
    with pytest.raises(SerializationException) as caught:
        Blob().read(value, WIRE)
    assert caught.value.message == message


@pytest.mark.parametrize(
    ("shape", "value", "constraints"),
    [
        (String(min=3), "ab", ["Member must have length greater than or equal to 3"]),
        (String(max=1), "ab", ["Member must have length less than or equal to 1"]),
        (
            String(min=3, max=255, pattern="[a-z]+"),
            "A",
            [
                "Member must satisfy regular expression pattern: [a-z]+",
                "Member must have length greater than or equal to 3",
            ],
        ),
        (String(enum=("B", "A")), "C", ["Member must satisfy enum value set: [B, A]"]),
        (Integer(min=1), 0, ["Member must have value greater than or equal to 1"]),
        (Integer(max=9), 10, ["Member must have value less than or equal to 9"]),
        (String(min=1, max=2, pattern="[a-z]+"), "ab", []),
        (Integer(min=1, max=1), 1, []),
    ],
)
def test_every_broken_constraint_is_named(shape: Shape, value: Any, constraints: list[str]) -> None:
    assert [fault.constraint for fault in shape.faults(value)] == constraints
