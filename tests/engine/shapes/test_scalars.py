"""Single values: what is taken, what is refused, and in which words."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Any

import pytest

from singletable.engine.shapes import (
    IN_PROCESS,
    WIRE,
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


def test_a_moment_without_a_zone_is_in_utc_wherever_the_machine_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "America/New_York")
        time.tzset()
        moment = datetime(1970, 1, 2, tzinfo=UTC).replace(tzinfo=None)
        assert Timestamp().read(moment, IN_PROCESS) == 86400.0
    time.tzset()


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
