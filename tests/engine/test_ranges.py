"""A key condition's range holds exactly the rows that satisfy it."""

from __future__ import annotations

import operator
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.engine.ranges import Range, restricted
from singletable.values import key_bytes

PREFIX = b"partition"
COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
NUMBERS = st.decimals(-1000, 1000, places=2).map(lambda number: f"{number:f}")
BLOBS = st.binary(min_size=1, max_size=4)


def row(value: dict[str, Any]) -> bytes:
    """Give a row key of the partition, with a table's key behind it."""
    return PREFIX + key_bytes(value) + b"\xff behind"


@pytest.mark.parametrize("comparator", COMPARISONS)
@given(BLOBS, BLOBS)
def test_binaries_compare(comparator: str, value: bytes, bound: bytes) -> None:
    found = row({"B": value}) in restricted(PREFIX, comparator, [{"B": bound}])
    assert found == COMPARISONS[comparator](value, bound)


@pytest.mark.parametrize("comparator", COMPARISONS)
@given(NUMBERS, NUMBERS)
def test_numbers_compare(comparator: str, value: str, bound: str) -> None:
    found = row({"N": value}) in restricted(PREFIX, comparator, [{"N": bound}])
    assert found == COMPARISONS[comparator](Decimal(value), Decimal(bound))


@given(NUMBERS, NUMBERS, NUMBERS)
def test_between_includes_both_ends(value: str, low: str, high: str) -> None:
    found = row({"N": value}) in restricted(PREFIX, "BETWEEN", [{"N": low}, {"N": high}])
    assert found == (Decimal(low) <= Decimal(value) <= Decimal(high))


@given(BLOBS, BLOBS)
def test_begins_with(value: bytes, prefix: bytes) -> None:
    found = row({"B": value}) in restricted(PREFIX, "begins_with", [{"B": prefix}])
    assert found == value.startswith(prefix)


@given(BLOBS)
def test_a_prefix_holds_its_rows_and_no_others(value: bytes) -> None:
    assert row({"B": value}) in Range.beginning(PREFIX)
    assert b"partitioo" not in Range.beginning(PREFIX)
    assert b"partitio" not in Range.beginning(PREFIX)
