"""Numbers keep 38 digits, have one canonical text, and their key bytes order as they do."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.errors import ValidationException
from singletable.values import format_number, parse_number
from singletable.values.numbers import canonical_number, number_key, number_size, read_number_key

DIGITS = st.text("0123456789", min_size=1, max_size=38)


@st.composite
def numbers(draw: st.DrawFn) -> str:
    sign = draw(st.sampled_from(["", "-", "+"]))
    digits = draw(DIGITS)
    exponent = draw(st.integers(-130, 125 - len(digits)))
    return f"{sign}{digits}e{exponent}"


@given(numbers())
def test_canonical_text_keeps_the_value(text: str) -> None:
    assert Decimal(canonical_number(text)) == Decimal(text)


@given(numbers())
def test_canonical_text_is_a_fixed_point(text: str) -> None:
    once = canonical_number(text)
    assert canonical_number(once) == once
    assert "e" not in once.lower()


@given(numbers(), numbers())
def test_key_bytes_order_as_numbers_do(one: str, other: str) -> None:
    keys = [number_key(canonical_number(text)) for text in (one, other)]
    assert (keys[0] < keys[1]) == (Decimal(one) < Decimal(other))
    assert (keys[0] == keys[1]) == (Decimal(one) == Decimal(other))


@given(numbers(), st.binary(max_size=4))
def test_a_number_is_read_off_its_key_bytes_again(text: str, rest: bytes) -> None:
    number = canonical_number(text)
    encoded = number_key(number)
    assert read_number_key(b"head" + encoded + rest, 4) == (number, 4 + len(encoded))


@given(numbers(), numbers())
def test_no_key_is_the_beginning_of_another(one: str, other: str) -> None:
    keys = [number_key(canonical_number(text)) for text in (one, other)]
    assert keys[0] == keys[1] or not keys[0].startswith(keys[1])


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("0", "0"), ("-0", "0"), ("00.00", "0"), ("+5", "5"), (".5", "0.5"), ("5.", "5"),
        ("007", "7"), ("1.50", "1.5"), ("1e3", "1000"), ("1E-3", "0.001"), ("-1.0e+2", "-100"),
    ],
)  # fmt: skip
def test_canonical_texts(text: str, canonical: str) -> None:
    assert canonical_number(text) == canonical


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "The parameter cannot be converted to a numeric value"),
        ("abc", "The parameter cannot be converted to a numeric value: abc"),
        ("NaN", "The parameter cannot be converted to a numeric value: NaN"),
        ("Infinity", "The parameter cannot be converted to a numeric value: Infinity"),
        (" 1", "The parameter cannot be converted to a numeric value:  1"),
        ("1_0", "The parameter cannot be converted to a numeric value: 1_0"),
        ("٣", "The parameter cannot be converted to a numeric value: ٣"),
        ("0x10", "The parameter cannot be converted to a numeric value: 0x10"),
        ("1e126", ("Number overflow. Attempting to store a number with magnitude larger than "
                  "supported range")),
        ("-1e126", ("Number overflow. Attempting to store a number with magnitude larger than "
                   "supported range")),
        ("1e-131", ("Number underflow. Attempting to store a number with magnitude smaller than "
                   "supported range")),
        ("1" * 39, "Attempting to store more than 38 significant digits in a Number"),
        ("0." + "1" * 39, "Attempting to store more than 38 significant digits in a Number"),
    ],
)  # fmt: skip
def test_refused_texts(text: str, message: str) -> None:
    with pytest.raises(ValidationException) as refused:
        canonical_number(text)
    assert refused.value.message == message


def test_38_digits_may_be_followed_by_zeros() -> None:
    assert canonical_number("1" * 38 + "0" * 80) == "1" * 38 + "0" * 80


@pytest.mark.parametrize(
    ("text", "size"),
    [("0", 1), ("1", 2), ("-1", 3), ("10", 2), ("123", 3), ("1.5", 3), ("0.001", 2),
     ("100.5", 4), ("-123.456", 6), ("1" * 38, 20)],
)  # fmt: skip
def test_sizes(text: str, size: int) -> None:
    assert number_size(text) == size


def test_parse_and_format_are_inverse() -> None:
    assert format_number(parse_number("-12.340")) == "-12.34"
