"""Smaller shapes: dataclasses and models whose fields are all fields of the entity."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from pydantic import BaseModel, Field, ValidationError

from singletable.errors import UsageError
from singletable.model.entity import Entity
from singletable.model.projections import projected, projected_fields
from singletable.model.table import Table, camel_case
from singletable.values import Item

table = Table("projections", attribute_names=camel_case)


class Note(Entity, table=table, pk="NOTE#{name}", sk="NOTE"):
    """Something short."""

    name: str
    long_text: str = "none"
    maybe: int | None = None
    tags: set[str] = Field(default_factory=set)


@dataclass
class Plain:
    """Has all that may be absent."""

    long_text: str
    maybe: int | None
    tags: set[str]


class Model(BaseModel):
    """Has an alias of its own."""

    name: str = Field(alias="title")


@dataclass
class Other:
    """No part of a note."""

    colour: str


class Empty(BaseModel):
    """Has no fields."""


def test_the_fields_of_a_shape() -> None:
    assert projected_fields(Plain, Note.__schema__) == ("long_text", "maybe", "tags")
    for shape, message in ((Other, "colour, which Note lacks"), (Empty, "no fields")):
        with pytest.raises(UsageError, match=message):
            projected_fields(shape, Note.__schema__)


def test_what_is_absent_has_the_entitys_default() -> None:
    assert projected(Plain, Note.__schema__, {}) == Plain("none", None, set())
    item: Item = {
        "longText": {"S": "x"},
        "maybe": {"N": "1"},
        "tags": {"SS": ["a"]},
        "name": {"S": "n"},
    }
    assert projected(Plain, Note.__schema__, item) == Plain("x", 1, {"a"})


def test_a_shape_is_made_by_the_names_of_fields_and_checked() -> None:
    assert projected(Model, Note.__schema__, {"name": {"S": "n"}}).name == "n"
    with pytest.raises(ValidationError):
        projected(Model, Note.__schema__, {})
