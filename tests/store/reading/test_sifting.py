"""The sieve: what is given, what is gone, and what is reported with a reason."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from singletable.model.entity import Entity
from singletable.model.pages import Skipped
from singletable.model.table import Table
from singletable.store.reading.sifting import Sieve
from singletable.values import Item

table = Table("sieves", type_attribute="kind", ttl="gone", sk=None)
NOW = datetime(2026, 1, 1, tzinfo=UTC)


class Base(Entity, table=table):
    """What both have."""

    name: str


class One(Base, pk="ONE#{name}"):
    """One kind."""


class Two(Base, pk="TWO#{name}"):
    """Another."""


def item(**more: Any) -> Item:
    return {"PK": {"S": "ONE#a"}, "kind": {"S": "One"}, "name": {"S": "a"}, **more}


SIFTED: dict[str, tuple[Item, Any]] = {
    "an item": (item(), One(name="a")),
    "not yet expired": (item(gone={"N": str(NOW.timestamp() + 1)}), One(name="a")),
    "expired": (item(gone={"N": str(int(NOW.timestamp()))}), None),
    "no type": ({"PK": {"S": "ONE#a"}, "name": {"S": "a"}}, One(name="a")),
    "another type": (item(kind={"S": "Two"}), "is of the type Two, not of One"),
    "an unknown type": (item(kind={"S": "X"}), "is of the unknown type X"),
    "a type that is no text": (item(kind={"N": "1"}), "has no kind, and no key of One"),
    "no type, another key": ({"PK": {"S": "TWO#a"}}, "has no kind, and no key of One"),
    "no type, a key that is no text": ({"PK": {"N": "1"}}, "has no kind, and no key of One"),
    "broken": (item(name={"N": "1"}), "is no valid One: name: Input should be a valid string"),
    "broken, of a newer schema": (
        item(name={"N": "1"}, SchemaVersion={"N": "3"}),
        (
            "is no valid One: name: Input should be a valid string "
            "(schema 3 is newer than the 1 that this code knows)"
        ),
    ),
    "broken, of a schema that is no number": (
        item(name={"N": "1"}, SchemaVersion={"S": "x"}),
        "is no valid One: name: Input should be a valid string",
    ),
    "of a newer schema": (item(SchemaVersion={"N": "3"}), One(name="a")),
    "of the library": (item(kind={"S": "Unique"}), None),
}


@pytest.mark.parametrize("case", SIFTED)
def test_each_item_is_given_gone_or_reported(case: str) -> None:
    one, expected = SIFTED[case]
    sieve = Sieve.of(One.__schema__, NOW)
    found = sieve.read(one)
    if isinstance(expected, str):
        assert found is None
        assert sieve.skipped == [Skipped({"PK": one["PK"]}, expected)]
    else:
        assert found == expected
        assert sieve.skipped == []


def test_a_base_takes_all_that_is_derived_from_it() -> None:
    sieve = Sieve.of(Base.__schema__, NOW)
    found = sieve.all([item(), item(kind={"S": "Two"}, name={"S": "b"}), item(kind={"S": "X"})])
    assert found == [One(name="a"), Two(name="b")]
    assert len(sieve.skipped) == 1
