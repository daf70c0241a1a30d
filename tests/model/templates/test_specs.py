"""Format specifications: padding, falling order, escapes, lower case and shards."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, date, datetime
from enum import IntEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.errors import DesignError
from singletable.model.templates.annotations import format_of
from singletable.model.templates.formats import Format, Refusal
from singletable.model.templates.specs import Shard, specified


class Level(IntEnum):
    """A number."""

    LOW = 1
    HIGH = 20


def made(annotation: Any, spec: str) -> Format:
    return specified(format_of(annotation), spec, "%#")


@pytest.mark.parametrize(
    ("annotation", "spec", "value", "text"),
    [
        (int, "05d", 42, "00042"),
        (int, "05d", 99999, "99999"),
        (int, "05d desc", 42, "99957"),
        (int, "01d desc", 0, "9"),
        (Level, "03d", Level.HIGH, "020"),
        (date, "desc", date(2026, 2, 6), "9260346"),
        (datetime, "desc", datetime(1, 1, 1, tzinfo=UTC), "9" * 18),
        (datetime, "desc", datetime.max.replace(tzinfo=UTC), "684462102400000000"),
        (str, "escaped", "50% #1", "50%25 %231"),
    ],
)
def test_a_value_is_written_as_specified_and_comes_back(
    annotation: Any, spec: str, value: Any, text: str
) -> None:
    form = made(annotation, spec)
    assert form.render(value) == text
    assert form.read(text) == value
    assert form.width in {0, len(text)}


@pytest.mark.parametrize(
    ("value", "message"),
    [(-1, "it is negative"), (100_000, "more than 5 digits: widen"), (True, "bool"), ("1", "str")],
)
def test_a_number_that_does_not_fit_its_digits_is_refused(value: Any, message: str) -> None:
    for spec in ("05d", "05d desc"):
        with pytest.raises(Refusal, match=message):
            made(int, spec).render(value)


@given(st.datetimes(timezones=st.just(UTC)), st.datetimes(timezones=st.just(UTC)))
def test_falling_moments_sort_from_the_last_to_the_first(one: datetime, other: datetime) -> None:
    form = made(datetime, "desc")
    assert form.descends
    assert (one < other) == (form.render(one) > form.render(other))
    assert form.read(form.render(one)) == one


def test_a_falling_date_is_the_whole_day() -> None:
    form = made(datetime, "desc")
    assert form.first(date(2026, 2, 6)) == datetime(2026, 2, 6, tzinfo=UTC)
    assert form.last(date(2026, 2, 6)) == datetime(2026, 2, 6, 23, 59, 59, 999999, tzinfo=UTC)


def test_the_digits_before_are_one_less() -> None:
    assert made(int, "03d").previous("100") == "099"
    assert made(int, "03d desc").previous("000") is None


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_can_be_escaped(text: str) -> None:
    form = made(str, "escaped")
    assert "#" not in form.render(text)
    assert form.read(form.render(text)) == text


@given(st.text("a%#2é"), st.text("a%#2é"))
def test_escaped_text_begins_as_the_text_does(text: str, prefix: str) -> None:
    form = made(str, "escaped")
    assert form.render(text).startswith(form.opening(prefix)) == text.startswith(prefix)


def test_marks_that_urls_leave_alone_are_escaped_too() -> None:
    form = specified(format_of(str), "escaped", "%._~-é")
    assert form.render("a.b_c~d-é") == "a%2Eb%5Fc%7Ed%2D%C3%A9"
    assert form.read("a%2Eb%5Fc%7Ed%2D%C3%A9") == "a.b_c~d-é"


def test_lower_case_is_lossy() -> None:
    form = made(str, "lower")
    assert (form.render("Ada"), form.opening("AD"), form.lossy) == ("ada", "ad", True)
    assert form.matches("ada")
    assert not form.matches("Ada")


def test_a_shard_never_changes() -> None:
    """The numbers are in users' tables: a change here loses their items."""
    # CRC-32 is defined by its value for these nine digits: 0xCBF43926.
    assert made(str, "shard 10").render("123456789") == "2"
    assert made(str, "shard 100").render("123456789") == made(int, "shard 100").render(123456789)
    assert made(str, "shard 1000").render("123456789") == "262"


def test_shards_are_padded_and_evenly_used() -> None:
    form = made(str, "shard 15")
    assert isinstance(form, Shard)
    counts = Counter(form.render(f"user-{number}") for number in range(3000))
    assert tuple(sorted(counts)) == form.texts() == tuple(f"{n:02d}" for n in range(15))
    assert min(counts.values()) > 120
    assert form.matches("14")
    assert not form.matches("15")


@pytest.mark.parametrize(
    ("annotation", "spec", "message"),
    [
        (int, "5d", "there is no format '5d': there are 05d"),
        (int, "d", "there is no format"),
        (int, "05ddesc", "there is no format"),
        (int, ">10", "there is no format"),
        (int, "desc", "the format 'desc' does not fit int"),
        (int, "39d", "there is no format"),
        (int, "039d", "up to 38 digits, not 39"),
        (datetime, "05d", "does not fit datetime"),
        (str, "05d", "does not fit str"),
        (str, "desc", "does not fit str"),
        (str, "upper", "there is no format 'upper'"),
        (int, "lower", "'lower' is for str, and the field is int"),
        (date, "escaped", "'escaped' is for str, and the field is date"),
        (str, "shard", "there is no format 'shard'"),
        (str, "shard 0", "there is no format"),
        (str, "shard 1", "there are 2 to 1000 shards, not 1"),
        (str, "shard 1001", "there are 2 to 1000 shards"),
    ],
)
def test_a_specification_that_does_not_exist_or_fit_is_refused(
    annotation: Any, spec: str, message: str
) -> None:
    with pytest.raises(DesignError, match=message):
        made(annotation, spec)
