"""Limits: at most so many items, however they are read, in few requests and with none in vain."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from singletable.errors import MoreThanOne, UsageError
from singletable.model.conditions import F
from singletable.model.entity import Entity
from singletable.model.paging import Paged
from singletable.model.patterns import pattern
from singletable.model.reads import Query
from singletable.model.table import Table
from singletable.model.views import collect
from singletable.store.observing.events import RequestEvent
from singletable.store.store import Store

table = Table("limits")


class Step(Entity, table=table, pk="WALK#{walk}", sk="STEP#{number:03d}"):
    """One of many that follow each other."""

    walk: str = "w"
    number: int


class Stone(Entity, table=table, pk="STONE#{number:shard 4}", sk="{number:03d}"):
    """One of many that are scattered."""

    number: int


@dataclass
class Walk:
    """All steps of a walk."""

    steps: list[Step]


class Limits(Store, table=table):
    """Has a pattern with a page size."""

    @pattern(page=4)
    def steps(self) -> Query[Step]:
        """Go on, four at a time."""
        return Step.query(walk="w")


@pytest.fixture
def events() -> list[RequestEvent]:
    return []


@pytest.fixture
def store(events: list[RequestEvent]) -> Iterator[Limits]:
    """Twenty of each."""
    with Limits.connect(":memory:", observers=[events.append]) as made:
        made.put_many(Step(number=at) for at in range(20))
        made.put_many(Stone(number=at) for at in range(20))
        events.clear()
        yield made


async def _each(read: Paged[Any]) -> list[Any]:
    return [one async for one in read]


WAYS: dict[str, Callable[[Paged[Any]], list[Any]]] = {
    "all": lambda read: read.all(),
    "aall": lambda read: asyncio.run(read.aall()),
    "for": list,
    "async for": lambda read: asyncio.run(_each(read)),
}
every_way = pytest.mark.parametrize("way", WAYS)


def numbers(found: list[Any]) -> list[int]:
    return [one.number for one in found]


@every_way
@pytest.mark.parametrize("items", [1, 3, 4, 5, 19, 20, 21, 1000])
def test_no_more_items_are_given_and_none_is_read_in_vain(
    store: Limits, events: list[RequestEvent], way: str, items: int
) -> None:
    """Whatever the size of a page is."""
    for read in (store.bind(Step.query(walk="w")), store.steps()):
        events.clear()
        assert numbers(WAYS[way](read.limit(items))) == [*range(20)][:items]
        assert len(events) == 1


@every_way
def test_what_a_filter_leaves_out_is_not_counted(
    store: Limits, events: list[RequestEvent], way: str
) -> None:
    """Pages grow while there are not enough: one by one would take too long."""
    late = F("number") >= 9
    for read in (store.bind(Step.query(walk="w")), store.steps()):
        events.clear()
        assert numbers(WAYS[way](read.filter(late).limit(2))) == [9, 10]
        assert len(events) == 3
    assert numbers(WAYS[way](store.steps().filter(F("number") >= 19).limit(2))) == [19]


@every_way
@pytest.mark.parametrize("items", [1, 3, 7, 40])
def test_shards_and_segments_give_no_more_together(store: Limits, way: str, items: int) -> None:
    assert numbers(WAYS[way](store.bind(Stone.query().limit(items)))) == [*range(20)][:items]
    for segments in (1, 3, 8):
        scan = store.bind(Step.scan().parallel(segments).limit(items))
        found = numbers(WAYS[way](scan))
        assert len(found) == len(set(found)) == min(items, 20)


@pytest.mark.parametrize("items", [1, 3, 7])
@pytest.mark.parametrize(
    "read",
    [Step.query(walk="w"), Stone.query(), Stone.scan(), Stone.scan().parallel(5)],
    ids=["partition", "shards", "scan", "segments"],
)
def test_pages_of_a_limit_follow_each_other(store: Limits, read: Paged[Any], items: int) -> None:
    """A page has at most so many items, and the next page as many again."""
    bound = store.bind(read).limit(items)
    page = bound.page()
    found = numbers(page.items)
    while page.next:
        page = bound.page(page.next)
        assert len(page) <= items
        found += numbers(page.items)
    assert sorted(found) == [*range(20)]


def test_the_page_size_of_a_pattern_ends_nothing(store: Limits) -> None:
    assert len(store.steps().page()) == 4
    assert len(store.steps().all()) == len(list(store.steps())) == 20


def test_first_one_and_count_keep_the_limit(store: Limits) -> None:
    steps = store.steps()
    assert steps.limit(1).one() == steps.limit(5).first() == Step(number=0)
    with pytest.raises(MoreThanOne):
        steps.limit(2).one()
    assert (steps.limit(7).count(), steps.limit(70).count(), steps.count()) == (7, 20, 20)
    scan = store.bind(Step.scan().parallel(2))
    assert (scan.limit(7).count(), scan.limit(70).count()) == (7, 20)
    assert scan.limit(1).one().walk == "w"


@pytest.mark.parametrize("items", [0, -1, 10**12, 2**31, 1.0, "1", None, True])
def test_a_limit_is_a_whole_number_that_a_request_can_have(items: Any) -> None:
    for read in (Step.query(walk="w"), Step.scan(), collect(Walk, walk="w")):
        with pytest.raises(UsageError, match=r"whole number from 1 to 2,147,483,647, not"):
            read.limit(items)
