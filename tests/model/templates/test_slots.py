"""Slots: what they tell about shards and buckets."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import pytest

from singletable.errors import KeyValueError, UsageError
from singletable.model.templates import Slot, Template

TYPES = {"a": str, "t": datetime}


def slot(text: str) -> Slot:
    [part] = Template.compile(text, TYPES, owner="E.pk").parts
    assert isinstance(part, Slot)
    return part


def test_a_sharded_slot_scatters() -> None:
    assert slot("{a:shard 12}").scatters
    assert slot("{a:shard 12}").shards == tuple(f"{number:02d}" for number in range(12))


def test_a_plain_slot_does_not_scatter() -> None:
    assert not slot("{a}").scatters
    assert slot("{a}").shards == ()
    assert not slot("{a}").is_bucket
    with pytest.raises(UsageError, match=r"E.pk '\{a\}': a is not written as a time bucket"):
        slot("{a}").buckets(1, 2)


def test_a_bucket_lists_what_a_range_of_time_touches() -> None:
    month = slot("{t:%Y-%m}")
    assert month.is_bucket
    last = datetime(2026, 2, 1, tzinfo=UTC)
    assert month.buckets(date(2025, 12, 31), last) == ("2025-12", "2026-01", "2026-02")


def test_a_thousand_buckets_are_the_most() -> None:
    year = slot("{t:%Y}")
    assert len(year.buckets(date(1001, 1, 1), date(2000, 12, 31))) == 1000
    with pytest.raises(UsageError, match="more than 1000 buckets of t: ask for less"):
        year.buckets(date(1000, 12, 31), date(2000, 12, 31))


@pytest.mark.parametrize(
    ("low", "high", "message"),
    [
        (date(2026, 2, 2), date(2026, 1, 1), "2026-02-02 is after 2026-01-01: give the earlier"),
        ("2026-01", date(2026, 1, 1), "t='2026-01' is refused: it is of type str"),
        (date(2026, 1, 1), datetime(2026, 1, 1), "no time zone"),  # noqa: DTZ001  # the fault
    ],
)
def test_ends_that_are_no_range_of_time_are_refused(low: Any, high: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        slot("{t:%Y-%m-%d}").buckets(low, high)


def test_a_refusal_shows_only_the_beginning_of_a_long_value() -> None:
    with pytest.raises(KeyValueError) as refused:
        slot("{a}").write("#" * 5000)
    assert len(str(refused.value)) < 300
