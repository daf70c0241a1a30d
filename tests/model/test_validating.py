"""An entity that was changed since it was made is checked as a whole again."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import pytest
from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from singletable.errors import UsageError
from singletable.model.entity import Entity, rest_of
from singletable.model.table import Table
from singletable.model.validating import valid

table = Table("validating")


class Coin(BaseModel):
    """A model inside an entity."""

    value: int = Field(ge=0, alias="worth")


@dataclass
class Place:
    """A dataclass inside an entity."""

    shelf: int


class Purse(Entity, table=table, pk="PURSE#{name}", sk="PURSE"):
    """Has limits of all kinds."""

    model_config = ConfigDict(validate_by_name=True)

    name: str
    balance: int = Field(default=0, ge=0)
    low: int = 0
    high: int = 9
    code: str = Field(default="", alias="kode")
    coins: list[Coin] = Field(default_factory=list)
    place: Place | None = None

    @field_validator("code")
    @classmethod
    def _upper(cls, value: str) -> str:
        return value.upper()

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.low > self.high:
            raise ValueError("low is above high")
        return self

    @cached_property
    def total(self) -> int:
        """Is kept beside the fields."""
        return self.balance


def purse(**changes: Any) -> Purse:
    """Give a purse whose values were never checked."""
    whole = Purse(name="p", coins=[Coin(worth=1)], place=Place(1), kode="a")
    return whole.model_copy(update=changes)


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "a limit": ({"balance": -1}, r"Purse.balance cannot be -1: Input should be greater than"),
    "a type": ({"name": 5}, r"Purse.name cannot be 5: Input should be a valid string"),
    "None": ({"name": None}, r"Purse.name cannot be None"),
    "two fields": ({"low": 10}, r"Purse cannot be .*: Value error, low is above high"),
    "inside a model": (
        {"coins": [Coin.model_construct(value=-1)]},
        r"Purse.coins.0.value cannot be -1",
    ),
    "inside a dataclass": ({"place": Place("x")}, "Purse.place.shelf cannot be 'x'"),  # type: ignore[arg-type]  # refused
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_could_not_be_read_again_is_refused(case: str) -> None:
    changes, message = REFUSED[case]
    with pytest.raises(UsageError, match=message + ".*Nothing was written"):
        valid(purse(**changes))


def test_a_long_value_is_cut_short_in_the_message() -> None:
    with pytest.raises(UsageError) as caught:
        valid(purse(balance="x" * 1000))
    assert len(str(caught.value)) < 400


def test_a_field_that_is_missing_is_named() -> None:
    with pytest.raises(UsageError, match=r"Purse.name cannot be .*: Field required"):
        valid(Purse.model_construct(balance=1))


def test_what_is_valid_is_given_back_itself() -> None:
    whole = purse()
    assert whole.total == 0
    assert valid(whole) is whole


def test_what_pydantic_would_make_otherwise_is_made_so() -> None:
    given = purse(balance="7", code="b")
    object.__setattr__(given, "_rest", {"theirs": {"S": "x"}})
    made = valid(given)
    assert (made.balance, made.code) == (7, "B")
    assert rest_of(made) == {"theirs": {"S": "x"}}
    assert given.__dict__["balance"] == "7"
