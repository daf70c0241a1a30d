"""Annotations: which types can stand in a key, and how they are unwrapped."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from typing import Annotated, Any, Literal, NewType, Optional
from uuid import UUID

import pytest
from pydantic import AwareDatetime, EmailStr, Field, PositiveInt

from singletable.errors import DesignError
from singletable.model.templates.annotations import format_of
from singletable.model.templates.formats import Flag, Integer, Number, Text, Uuid
from singletable.model.templates.times import Day, Moment

UserId = NewType("UserId", str)


class Color(StrEnum):
    """Text."""

    RED = "red"


class Level(IntEnum):
    """A number."""

    LOW = 1


class Mixed(Enum):
    """Text or a number."""

    ONE = 1
    TWO = "two"


class Slug(str):
    """A str with another name."""

    __slots__ = ()


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        (str, Text()),
        (Slug, Text()),
        (EmailStr, Text()),
        (UserId, Text()),
        (int, Integer()),
        (PositiveInt, Integer()),
        (bool, Flag()),
        (Decimal, Number()),
        (UUID, Uuid()),
        (date, Day()),
        (datetime, Moment()),
        (AwareDatetime, Moment()),
        (Optional[str], Text()),  # noqa: UP045  # the old spelling is a case of its own
        (datetime | None, Moment()),
        (Annotated[UserId | None, Field(min_length=1)], Text()),
    ],
)
def test_a_type_is_unwrapped_to_its_format(annotation: Any, expected: object) -> None:
    assert format_of(annotation) == expected


@pytest.mark.parametrize("given", [Color.RED, "red"])
def test_an_enum_takes_members_and_values_and_gives_members(given: object) -> None:
    color = format_of(Color)
    assert color.render(given) == "red"
    assert color.read("red") is Color.RED


def test_an_enum_of_numbers_is_written_by_value() -> None:
    level = format_of(Level | None)
    assert (level.render(Level.LOW), level.render(1)) == ("1", "1")
    assert level.read("1") is Level.LOW


def test_a_literal_takes_its_values_alone() -> None:
    status = format_of(Literal["NEW", "DONE"] | None)
    assert status.render("DONE") == "DONE"
    with pytest.raises(ValueError, match="it is none of 'NEW', 'DONE'"):
        status.render("done")


@pytest.mark.parametrize("value", [True, 1.0, [1]])
def test_a_literal_is_strict_about_types(value: object) -> None:
    with pytest.raises(ValueError, match="it is none of 1, 2"):
        format_of(Literal[1, 2]).render(value)


@pytest.mark.parametrize(
    ("annotation", "message"),
    [
        (float, "a float has no one text: use int or Decimal"),
        (str | int, "cannot stand in a key"),
        (list[str], r"list\[str\] cannot stand in a key: bool, int, str"),
        (bytes, "bytes cannot stand in a key"),
        (Mixed, "not all of one type"),
        (Literal["a", 1], "not all of one type"),
    ],
)
def test_what_has_no_one_text_is_refused(annotation: Any, message: str) -> None:
    with pytest.raises(DesignError, match=message):
        format_of(annotation)
