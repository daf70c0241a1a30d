"""Scans: page by page, in segments, of tables and indexes, without what is not asked for."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any

import pytest

from singletable.errors import InvalidCursor, MoreThanOne, NotFound, UsageError
from singletable.model.conditions import F
from singletable.model.entity import Entity
from singletable.model.fields import Unique
from singletable.model.indexes import Index
from singletable.model.pages import Page
from singletable.model.reads import Scan
from singletable.model.table import Table
from singletable.store.observing.events import RequestEvent
from singletable.store.store import Store

table = Table("scans", indexes=["GSI1"])


class Base(Entity, table=table):
    """What both kinds have."""

    name: str


class Small(Base, pk="SMALL#{name}", sk="SMALL"):
    """One kind."""

    lit = Index("GSI1", pk="LIT", sk="{name}", when={"on": True})

    size: int = 0
    on: bool = False


class Great(Base, pk="GREAT#{name}", sk="GREAT"):
    """Another, with items that keep its promise."""

    nick: Annotated[str, Unique()]


class Childless(Entity, table=table):
    """A base of nothing."""

    name: str


class Scans(Store, table=table):
    """Has no patterns."""


@dataclass
class Size:
    """A smaller shape."""

    size: int


@pytest.fixture
def store() -> Iterator[Scans]:
    """Twenty small things, three great ones."""
    with Scans.connect(":memory:") as made:
        made.put_many(Small(name=f"{at:02d}", size=at, on=at % 5 == 0) for at in range(20))
        for at in range(3):
            made.put(Great(name=f"g{at}", nick=f"n{at}"))
        yield made


def names(found: Any) -> list[str]:
    return sorted(one.name for one in found)


def test_a_scan_gives_its_own_kind_and_all_derived_from_it(store: Scans) -> None:
    assert len(store.bind(Small.scan()).all()) == 20
    assert names(store.bind(Great.scan())) == ["g0", "g1", "g2"]
    assert len(store.bind(Base.scan()).all()) == store.bind(Base.scan()).count() == 23


def test_pages_of_a_scan_give_each_item_once(store: Scans) -> None:
    scan = store.bind(Small.scan().limit(7))
    found: list[Small] = []
    after: str | None = None
    while True:
        page = scan.page(after)
        assert page.skipped == []
        found += page.items
        after = page.next
        if after is None:
            break
        with pytest.raises(InvalidCursor):
            store.bind(Great.scan()).page(after)
    assert names(found) == [f"{at:02d}" for at in range(20)]


@pytest.mark.parametrize("segments", [1, 2, 5])
def test_segments_together_are_the_whole(store: Scans, segments: int) -> None:
    scan = store.bind(Small.scan().parallel(segments).but(page_size=4))
    assert names(scan.all()) == [f"{at:02d}" for at in range(20)]
    assert names(asyncio.run(scan.aall())) == names(scan.all())
    assert scan.count() == 20
    assert scan.first() is not None
    assert len(scan.requests()) == segments


def pages(scan: Scan[Small]) -> Iterator[Page[Small]]:
    page = scan.page()
    yield page
    while page.next:
        page = scan.page(page.next)
        yield page


@pytest.mark.parametrize("segments", [2, 5, 40])
def test_a_page_of_a_parallel_scan_has_a_page_of_each_unfinished_segment(
    store: Scans, segments: int
) -> None:
    events: list[RequestEvent] = []
    watching = Scans(store.backend, observers=[events.append])
    found: list[Small] = []
    asked = []
    for page in pages(watching.bind(Small.scan().parallel(segments).but(page_size=2))):
        asked.append(len(events))
        events.clear()
        assert len(page) <= 2 * asked[-1]
        found += page.items
    assert names(found) == [f"{at:02d}" for at in range(20)]
    assert asked[0] == segments
    assert asked == sorted(asked, reverse=True)


def test_a_parallel_scan_is_iterated_page_by_page(store: Scans) -> None:
    scan = store.bind(Small.scan().parallel(3).but(page_size=2))
    assert names(scan) == [f"{at:02d}" for at in range(20)]

    async def everything() -> list[Small]:
        return [one async for one in scan]

    assert names(asyncio.run(everything())) == names(scan)


def test_a_cursor_is_of_so_many_segments(store: Scans) -> None:
    cursor = store.bind(Small.scan().parallel(2).limit(2)).page().next
    for other in (Small.scan(), Small.scan().parallel(3)):
        with pytest.raises(InvalidCursor):
            store.bind(other).page(cursor)


def test_a_scan_has_at_least_one_segment() -> None:
    with pytest.raises(UsageError, match="at least 1 segment"):
        Small.scan().parallel(0)


@pytest.mark.parametrize("segments", [1, 3])
def test_one_is_the_only_one_of_a_scan(store: Scans, segments: int) -> None:
    scan = store.bind(Small.scan().parallel(segments).but(page_size=1))
    assert scan.filter(F("size") == 7).one().name == "07"
    with pytest.raises(MoreThanOne, match="more than one Small"):
        scan.filter(F("size") >= 18).one()
    with pytest.raises(NotFound, match="There is no Small"):
        scan.filter(F("size") > 99).one()
    assert asyncio.run(scan.filter(F("size") == 7).aone()).name == "07"


def test_a_scan_can_be_filtered_projected_and_counted(store: Scans) -> None:
    scan = store.bind(Small.scan().filter(F("size") >= 18).only(Size))
    assert sorted(one.size for one in scan) == [18, 19]
    assert scan.count() == 2


def test_a_scan_of_an_index_reads_what_is_in_it(store: Scans) -> None:
    assert names(store.bind(Small.lit.scan())) == ["00", "05", "10", "15"]
    assert store.bind(Small.lit.scan()).count() == 4


def test_nothing_is_found_in_nothing(store: Scans) -> None:
    scan = store.bind(Small.scan().filter(F("size") > 99).limit(3))
    assert scan.first() is None
    assert scan.all() == []
    assert scan.count() == 0
    with pytest.raises(UsageError, match="no entity is derived"):
        store.bind(Childless.scan()).all()
