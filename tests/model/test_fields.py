"""Fields that the library fills: ids that sort by time, times, versions, expiries."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from pydantic import BaseModel

from singletable.model.fields import (
    Attribute,
    Copied,
    created,
    expires,
    ksuid,
    ulid,
    updated,
    uuid7,
    version,
)


class Filled(BaseModel):
    """Has one of each."""

    first: str = ulid()
    second: str = ksuid()
    third: str = uuid7()
    made: datetime = created()
    changed: datetime = updated()
    number: int = version()
    gone: datetime | None = expires(hours=1)
    never: datetime | None = expires()


def test_each_object_has_values_of_its_own() -> None:
    one, two = Filled(), Filled()
    for name, length in (("first", 26), ("second", 27), ("third", 36)):
        assert len(getattr(one, name)) == length
        assert getattr(one, name) != getattr(two, name)
    assert UUID(one.third).version == 7
    assert one.made.tzinfo is UTC
    assert one.number == 0
    assert one.never is None


def test_an_expiry_is_a_full_second_and_not_too_early() -> None:
    before = datetime.now(UTC)
    gone = Filled().gone
    after = datetime.now(UTC)
    assert gone is not None
    assert gone.microsecond == 0
    assert before + timedelta(hours=1) <= gone <= after + timedelta(hours=1, seconds=1)


@pytest.mark.parametrize("name", ["first", "third"])
def test_ids_of_later_milliseconds_sort_behind(name: str) -> None:
    earlier: Any = getattr(Filled(), name)
    start = datetime.now(UTC)
    while datetime.now(UTC) - start < timedelta(milliseconds=2):
        pass
    assert earlier < getattr(Filled(), name)


def test_markers_are_values() -> None:
    assert Attribute("u", "Username") == Attribute("u", "Username")
    assert Attribute("u", "a", "b").older == ("a", "b")
    assert Copied(Filled, "made", user_id="author").match == (("user_id", "author"),)  # type: ignore[arg-type] # any class will do here
