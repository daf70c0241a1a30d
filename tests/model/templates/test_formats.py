"""Formats: each type's text, read back, and what is refused."""

from __future__ import annotations

from decimal import Decimal
from enum import StrEnum
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.model.templates.formats import (
    Choice,
    Flag,
    Format,
    Integer,
    Number,
    Refusal,
    Text,
    Uuid,
)

ONE = UUID("0190f3a1-0000-7000-8000-00000000000a")


class Color(StrEnum):
    """Text, and a member of an Enum."""

    RED = "red"


@pytest.mark.parametrize(
    ("form", "value", "text"),
    [
        (Text(), "a b", "a b"),
        (Text(), Color.RED, "red"),
        (Integer(), 0, "0"),
        (Integer(), -12, "-12"),
        (Flag(), True, "true"),
        (Flag(), False, "false"),
        (Number(), Decimal("1.50"), "1.5"),
        (Number(), Decimal("-0.00"), "0"),
        (Number(), Decimal("1E+3"), "1000"),
        (Number(), Decimal("1E-3"), "0.001"),
        (Uuid(), ONE, "0190f3a1-0000-7000-8000-00000000000a"),
    ],
)
def test_a_value_has_one_text_and_comes_back(form: Format, value: Any, text: str) -> None:
    assert form.render(value) == text
    assert type(form.render(value)) is str
    assert form.read(text) == value


@pytest.mark.parametrize(
    ("form", "value", "message"),
    [
        (Text(), 3, "it is of type int, and the field is of type str"),
        (Text(), None, "it has no value, and the key needs one of type str"),
        (Text(), b"a", "bytes"),
        (Integer(), "3", "it is of type str, and the field is of type int"),
        (Integer(), True, "it is of type bool, and the field is of type int"),
        (Integer(), 3.0, "float"),
        (Integer(), 10**38, "38 digits"),
        (Flag(), 1, "int"),
        (Number(), 1, "int"),
        (Number(), Decimal("NaN"), "not a finite number"),
        (Number(), Decimal("-Infinity"), "not a finite number"),
        (Number(), Decimal("1E+100"), "38 digits"),
        (Number(), Decimal("1" * 39), "38 digits"),
        (Uuid(), str(ONE), "it is of type str, and the field is of type UUID"),
    ],
)
def test_another_type_is_refused_and_never_converted(
    form: Format, value: Any, message: str
) -> None:
    with pytest.raises(Refusal, match=message):
        form.render(value)


@given(st.decimals(allow_nan=False, allow_infinity=False, places=6))
def test_decimals_that_are_equal_have_one_text(number: Decimal) -> None:
    number = number % 10**20
    text = Number().render(number)
    assert Number().read(text) == number
    assert "E" not in text
    assert text == Number().render(number * Decimal("1.000"))


def test_only_text_has_a_beginning() -> None:
    assert Text().opening("ab") == "ab"
    assert Choice(Text(), ("abc",)).opening("ab") == "ab"
    with pytest.raises(Refusal, match="begins_with needs text, and the field is int: use between"):
        Integer().opening("1")


def test_values_that_would_be_written_alike_are_refused() -> None:
    with pytest.raises(Refusal, match="written alike"):
        Choice(Text(), ("red", Color.RED))
