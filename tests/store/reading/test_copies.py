"""Hot items: any copy will do for one, and lists have each once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from singletable.errors import UsageError
from singletable.model.entity import Entity
from singletable.model.indexes import Index
from singletable.model.reads import get_many
from singletable.model.table import GlobalIndex, Table
from singletable.model.views import collect
from singletable.store.store import Store

table = Table("copies", indexes=["GSI1", GlobalIndex("keys", projection="KEYS_ONLY")])


class Hot(Entity, table=table, pk="HOT#{name}#{copy}", sk="HOT", copies=3):
    """There three times."""

    by_name = Index("GSI1", pk="HOTS", sk="{name}")
    in_part = Index("keys", pk="HOTS", sk="{name}")

    name: str


class Listed(Entity, table=table, pk="LISTED", sk="{name}#{copy}#{rank:02d}", copies=2):
    """There twice in one partition."""

    name: str
    rank: int


@dataclass
class Named:
    """A smaller shape of what is hot."""

    name: str


@dataclass
class HotOnes:
    """What is hot."""

    hot: list[Hot]


@dataclass
class Ranking:
    """What is listed."""

    listed: list[Listed]


class Copies(Store, table=table):
    """Has no patterns."""


@pytest.fixture
def store() -> Iterator[Copies]:
    """Two of each kind."""
    with Copies.connect(":memory:") as made:
        for name in "ab":
            made.put(Hot(name=name))
            made.put(Listed(name=name, rank=1))
        yield made


def test_any_copy_of_a_hot_item_will_do(store: Copies) -> None:
    for _ in range(9):
        assert store.bind(Hot.get(name="a")).one() == Hot(name="a")
        assert store.bind(get_many([Hot.get(name="a")])).one() == Hot(name="a")


HOT: list[tuple[Any, str]] = [
    (Hot.query(name="a"), "a"),
    (Hot.scan(), "ab"),
    (Hot.scan().parallel(3), "ab"),
    (Hot.by_name.query(), "ab"),
    (Hot.by_name.scan(), "ab"),
    (Hot.by_name.query().only(Named), "ab"),
    (Hot.in_part.query().fetch(Hot), "ab"),
    (Listed.query(), "ab"),
    (Listed.query().ge("b"), "b"),
    (Listed.query(name="b"), "b"),
    (Listed.query(name="b").ge(2), ""),
]


@pytest.mark.parametrize(("read", "wanted"), HOT, ids=[repr(read) for read, _ in HOT])
def test_lists_have_a_hot_item_once(store: Copies, read: Any, wanted: str) -> None:
    page = store.bind(read).page()
    assert sorted(one.name for one in page) == sorted(wanted)
    assert page.skipped == []
    assert sorted(one.name for one in store.bind(read).all()) == sorted(wanted)
    assert store.bind(read).count() == len(wanted)


def test_a_view_has_a_hot_item_once(store: Copies) -> None:
    assert store.bind(collect(HotOnes, name="a")).one() == HotOnes([Hot(name="a")])
    assert store.bind(collect(Ranking)).one() == Ranking([Listed(name=one, rank=1) for one in "ab"])


def test_nobody_chooses_the_copy(store: Copies) -> None:
    with pytest.raises(UsageError, match="leave out copy"):
        store.bind(Hot.query(name="a", copy=1)).all()
