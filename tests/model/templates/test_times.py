"""Dates, moments and the buckets that they fall into."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.errors import DesignError
from singletable.model.templates.formats import Format, Refusal, Text
from singletable.model.templates.times import Bucket, Day, Moment, bucket

EAST = timezone(timedelta(hours=5, minutes=30))
NOON = datetime(2026, 2, 6, 12, tzinfo=UTC)
MOMENTS = st.datetimes(timezones=st.just(UTC))


def test_a_moment_is_written_in_utc_and_one_width() -> None:
    assert Moment().render(NOON) == "2026-02-06T12:00:00.000000Z"
    assert Moment().render(NOON.astimezone(EAST)) == "2026-02-06T12:00:00.000000Z"
    assert Moment().render(datetime.min.replace(tzinfo=UTC)) == "0001-01-01T00:00:00.000000Z"


@given(MOMENTS, MOMENTS)
def test_moments_sort_as_their_texts(one: datetime, other: datetime) -> None:
    assert (one < other) == (Moment().render(one) < Moment().render(other))
    assert Moment().read(Moment().render(one)) == one


@pytest.mark.parametrize(
    ("form", "value", "message"),
    [
        (Moment(), NOON.replace(tzinfo=None), r"no time zone: give it one, e.g. datetime.now\(UTC"),
        (Moment(), NOON.date(), "it is of type date, and the field is of type datetime"),
        (Moment(), "2026-02-06", "it is of type str"),
        (
            Moment(),
            datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=5))),
            "it is outside of the years 1 to 9999 in UTC",
        ),
        (Day(), NOON, r"it is of type datetime, and the field is of type date: give its .date\(\)"),
        (Day(), None, "it has no value"),
    ],
)
def test_what_is_no_moment_or_date_is_refused(form: Format, value: Any, message: str) -> None:
    with pytest.raises(Refusal, match=message):
        form.render(value)


def test_a_date_is_written_as_iso_does() -> None:
    assert Day().render(date(2026, 2, 6)) == "2026-02-06"
    assert Day().read("2026-02-06") == date(2026, 2, 6)


def test_the_text_before_is_that_of_the_value_before() -> None:
    assert Day().previous("2026-03-01") == "2026-02-28"
    assert Moment().previous("2026-01-01T00:00:00.000000Z") == "2025-12-31T23:59:59.999999Z"
    assert Day().previous("0001-01-01") is None
    assert Moment().previous("0001-01-01T00:00:00.000000Z") is None


def test_a_date_compared_with_moments_is_the_whole_day() -> None:
    day = date(2026, 2, 6)
    assert Moment().first(day) == datetime(2026, 2, 6, tzinfo=UTC)
    assert Moment().last(day) == datetime(2026, 2, 6, 23, 59, 59, 999999, tzinfo=UTC)
    assert Moment().first(NOON) == Moment().last(NOON) == NOON


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ("%Y", "2026"),
        ("%Y-%m", "2026-02"),
        ("%Y%m%d", "20260206"),
        ("week of %Y/%m", "week of 2026/02"),
        ("%Y-%m-%dT%H:%M:%S", "2026-02-06T12:00:00"),
    ],
)
def test_a_bucket_is_written_as_specified(spec: str, text: str) -> None:
    made = bucket(Moment(), spec)
    assert made.render(NOON) == text
    assert made.width == len(text)
    assert made.matches(text)
    assert not made.matches(text.replace("2026", "202x"))


def test_a_bucket_is_that_of_utc() -> None:
    late = datetime(2026, 3, 1, 2, tzinfo=EAST)
    assert bucket(Moment(), "%Y-%m").render(late) == "2026-02"


def test_no_moment_is_in_a_bucket_that_the_calendar_lacks() -> None:
    assert not bucket(Day(), "%Y-%m-%d").matches("2026-02-30")
    assert not bucket(Day(), "%Y-%m").matches("2026-13")


@pytest.mark.parametrize(
    "spec", ["%d-%m-%Y", "%m", "%Y-%d", "%Y-%m-%m", "%y", "%Y-%", "%Y%%", "%Y-%b", "%Y-W%W"]
)
def test_a_bucket_that_would_not_sort_is_refused(spec: str) -> None:
    with pytest.raises(DesignError, match="does not sort: it may have %Y %m %d %H %M %S"):
        bucket(Moment(), spec)


def test_a_bucket_must_fit_the_type() -> None:
    with pytest.raises(DesignError, match="it may have %Y %m %d, in this order"):
        bucket(Day(), "%Y-%m-%dT%H")
    with pytest.raises(DesignError, match="does not fit str"):
        bucket(Text(), "%Y")


def test_buckets_are_listed_from_the_first_to_the_last() -> None:
    months = bucket(Moment(), "%Y-%m")
    assert list(months.texts(date(2025, 11, 30), NOON)) == [
        "2025-11",
        "2025-12",
        "2026-01",
        "2026-02",
    ]
    assert list(months.texts(NOON, NOON)) == ["2026-02"]
    assert list(months.texts(date(9999, 11, 1), date.max)) == ["9999-11", "9999-12"]
    days = bucket(Day(), "%Y-%m-%d")
    assert list(days.texts(date(2024, 2, 28), date(2024, 3, 1))) == [
        "2024-02-28",
        "2024-02-29",
        "2024-03-01",
    ]


def test_a_day_has_all_of_its_hours() -> None:
    hours = list(bucket(Moment(), "%Y%m%d%H").texts(NOON.date(), NOON.date()))
    assert (len(hours), hours[0], hours[-1]) == (24, "2026020600", "2026020623")


@given(
    MOMENTS,
    st.timedeltas(timedelta(0), timedelta(days=500)),
    st.sampled_from(["%Y", "%Y%m", "%Y%m%d"]),
)
def test_every_moment_between_is_in_a_listed_bucket(
    low: datetime, length: timedelta, spec: str
) -> None:
    made = bucket(Moment(), spec)
    high = min(low, datetime.max.replace(tzinfo=UTC) - length) + length
    texts = list(made.texts(low, high))
    assert texts == sorted(set(texts))
    assert (texts[0], texts[-1]) == (made.render(low), made.render(high))
    assert made.render(low + (high - low) / 2) in texts


def test_a_comparison_with_buckets_must_be_at_their_ends() -> None:
    month = bucket(Moment(), "%Y-%m")
    assert isinstance(month, Bucket)
    assert month.render(month.first(date(2026, 2, 1))) == "2026-02"
    assert month.render(month.last(date(2026, 2, 28))) == "2026-02"
    assert month.render(month.last(date.max)) == "9999-12"
    for inside in (month.first, month.last):
        with pytest.raises(Refusal, match="the key tells only its bucket"):
            inside(date(2026, 2, 6))
