"""DynamoDB numbers: 38 significant digits, magnitudes from 1E-130 to 9.9…E+125.

A number travels as text. Its canonical text has no exponent, no leading or trailing zeros and no
minus zero, so that equal numbers are equal strings.
"""

from __future__ import annotations

import re
from decimal import Context, Decimal
from functools import lru_cache

from singletable.errors import ValidationException

DIGITS_MAX = 38
"""How many significant digits a number can have."""
EXPONENT_MAX = 125
EXPONENT_MIN = -130

NEGATIVE, ZERO, POSITIVE = b"\x00", b"\x01", b"\x02"
"""How the bytes of a number begin in a key."""

EXACT = Context(prec=400, Emin=-999_999, Emax=999_999)
"""Adds any two numbers in range without rounding; the sum is then checked."""

_CANONICAL = re.compile(r"-?(?:[1-9]\d{0,18}|0)(?:\.\d{0,18}[1-9])?", re.ASCII)
"""Most numbers as they come; others are made canonical the long way."""
_FORM = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,9})?", re.ASCII)
"""No two parts of it can match the same digits: a text of any length is read once."""


def parse_number(text: str) -> Decimal:
    """Read a number's text, or raise as the service does when it is none or out of range."""
    if not _FORM.fullmatch(text):
        suffix = f": {text}" if text else ""
        raise ValidationException(f"The parameter cannot be converted to a numeric value{suffix}")
    return check_number(Decimal(text))


def check_number(number: Decimal) -> Decimal:
    """Return the number, or raise when it has too many digits or is out of range."""
    if not number:
        return Decimal(0)
    exponent = number.adjusted()
    if exponent > EXPONENT_MAX:
        raise ValidationException(
            "Number overflow. Attempting to store a number with magnitude larger than "
            "supported range"
        )
    if exponent < EXPONENT_MIN:
        raise ValidationException(
            "Number underflow. Attempting to store a number with magnitude smaller than "
            "supported range"
        )
    if len(significant_digits(number)) > DIGITS_MAX:
        raise ValidationException("Attempting to store more than 38 significant digits in a Number")
    return number


def significant_digits(number: Decimal) -> str:
    """Give the digits without leading and trailing zeros; the empty string for zero."""
    return "".join(map(str, number.as_tuple().digits)).strip("0")


def format_number(number: Decimal) -> str:
    """Give the canonical text of a number."""
    if not number:
        return "0"
    text = format(number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def canonical_number(text: str) -> str:
    """Give the canonical text of a number's text."""
    if _CANONICAL.fullmatch(text) and text != "-0":
        return text
    return format_number(parse_number(text))


@lru_cache(maxsize=4096)
def number_size(text: str) -> int:
    """Give the stored size in bytes of a canonical number."""
    negative = text[0] == "-"
    whole, _, fraction = text[negative:].partition(".")
    if not fraction:
        whole = whole.rstrip("0")
    elif whole == "0":
        whole, fraction = "", fraction.lstrip("0")
    return 1 + (len(whole) + 1) // 2 + (len(fraction) + 1) // 2 + negative


def number_key(text: str) -> bytes:
    """Give bytes that order as numbers do and end by themselves.

    Sign, exponent, then the digits in pairs; a negative number has all of it complemented.
    """
    number = Decimal(text)
    if not number:
        return ZERO
    digits = significant_digits(number)
    pairs = [int(digits[i : i + 2].ljust(2, "0")) + 1 for i in range(0, len(digits), 2)]
    body = bytes([number.adjusted() - EXPONENT_MIN, *pairs, 0])
    if number > 0:
        return POSITIVE + body
    return NEGATIVE + bytes(255 - byte for byte in body)


def read_number_key(encoded: bytes, at: int) -> tuple[str, int]:
    """Give the canonical text of the number whose bytes begin there, and where they end."""
    sign = encoded[at : at + 1]
    if sign == ZERO:
        return "0", at + 1
    end_byte = 0 if sign == POSITIVE else 255
    end = encoded.index(end_byte, at + 2)
    exponent, *pairs = (byte ^ end_byte for byte in encoded[at + 1 : end])
    digits = "".join(f"{pair - 1:02}" for pair in pairs)
    minus = "-" if end_byte else ""
    number = Decimal(f"{minus}{digits[0]}.{digits[1:]}E{exponent + EXPONENT_MIN}")
    return format_number(number), end + 1
