"""Pages of shards and buckets: merged in order, each item once, whatever happens in between."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from singletable.errors import InvalidCursor
from singletable.model.conditions import F
from singletable.model.entity import Entity
from singletable.model.indexes import Index
from singletable.model.patterns import pattern
from singletable.model.reads import Query, between
from singletable.model.table import Table
from singletable.store.observing.events import RequestEvent
from singletable.store.reading.plans import GROUPS_MAX
from singletable.store.store import Store

table = Table("events", indexes=["GSI1", "GSI2", "GSI3"])
START = datetime(2026, 1, 30, tzinfo=UTC)


class Event(Entity, table=table):
    """Something that happened; there is one kind for each number of shards."""

    event_id: str
    rank: int = 0
    at: datetime = START
    loud: bool = False


class Two(Event, pk="TWO#{event_id}", sk="EVENT"):
    """In two shards."""

    ranked = Index("GSI1", pk="TWO#{event_id:shard 2}", sk="{rank:02d}")
    dated = Index("GSI2", pk="TWO#{event_id:shard 2}#{at:%Y-%m-%d}", sk="{at}")
    daily = Index("GSI3", pk="TWO#{at:%Y-%m-%d}", sk="{rank:02d}#{event_id}")


class Five(Event, pk="FIVE#{event_id}", sk="EVENT"):
    """In five shards."""

    ranked = Index("GSI1", pk="FIVE#{event_id:shard 5}", sk="{rank:02d}")
    dated = Index("GSI2", pk="FIVE#{at:%Y-%m-%d}#{event_id:shard 5}", sk="{at}")


class Twelve(Event, pk="TWELVE#{event_id}", sk="EVENT"):
    """In twelve shards, most of which are empty."""

    ranked = Index("GSI1", pk="TWELVE#{event_id:shard 12}", sk="{rank:02d}")
    dated = Index("GSI2", pk="TWELVE#{at:%Y-%m}#{event_id:shard 12}", sk="{at}")


KINDS = (Two, Five, Twelve)
Kind = type[Two | Five | Twelve]


class Events(Store, table=table):
    """Reads events."""

    @pattern(page=2)
    def ranked(self, loud: bool) -> Query[Two]:
        """The events by rank."""
        return Two.ranked.query().filter(F("loud") == loud)

    @pattern(page=2)
    def others(self, loud: bool) -> Query[Two]:
        """The same by another name."""
        return Two.ranked.query().filter(F("loud") == loud)


@st.composite
def events(draw: st.DrawFn, at_most: int = 24) -> list[tuple[int, datetime, bool]]:
    """Draw what distinguishes events; few ranks and few moments, so that there are ties."""
    moment = st.integers(0, 40).map(lambda hours: START + timedelta(hours=hours * 3))
    return draw(st.lists(st.tuples(st.integers(0, 3), moment, st.booleans()), max_size=at_most))


def made(kind: Kind, drawn: Iterable[tuple[int, datetime, bool]], name: str = "e") -> list[Any]:
    return [
        kind(event_id=f"{name}{at}", rank=rank, at=moment, loud=loud)
        for at, (rank, moment, loud) in enumerate(drawn)
    ]


def filled(items: Iterable[Entity]) -> Events:
    store = Events.connect(":memory:", cursor_secret="s")
    store.put_many(items)
    return store


def pages(
    query: Query[Any],
    store: Events,
    sizes: Iterator[int],
    between_pages: Callable[[], None] = lambda: None,
) -> Iterator[list[Any]]:
    """Read all pages, each of its own size and with a store of its own."""
    after: str | None = None
    while True:
        again = Events(store.backend, cursor_secret="s")
        size = next(sizes)
        page = again.bind(query).limit(size).page(after)
        assert not page.skipped
        assert len(page) <= size
        yield page.items
        between_pages()
        after = page.next
        if after is None:
            return


def sizes_of(drawn: list[int]) -> Iterator[int]:
    while True:
        yield from drawn


SIZES = st.lists(st.integers(1, 9), min_size=1, max_size=3)


@given(events(), st.sampled_from(KINDS), SIZES, st.booleans(), st.booleans())
@settings(max_examples=150)
def test_merged_shards_are_a_sort_of_all_items(
    drawn: list[tuple[int, datetime, bool]],
    kind: Kind,
    sizes: list[int],
    forward: bool,
    filtered: bool,
) -> None:
    items = made(kind, drawn)
    query = kind.ranked.query() if forward else kind.ranked.query().newest_first()
    if filtered:
        query = query.filter(F("loud") == True)  # noqa: E712 - a condition
    expected = [item for item in items if item.loud or not filtered]
    with filled(items) as store:
        found = [one for page in pages(query, store, sizes_of(sizes)) for one in page]
        assert [one.rank for one in found] == sorted(
            (one.rank for one in expected), reverse=not forward
        )
        assert sorted(found, key=identity) == sorted(expected, key=identity)
        assert store.bind(query).all() == found
        assert store.bind(query).count() == len(expected)


@given(
    events(),
    st.sampled_from(KINDS),
    SIZES,
    st.booleans(),
    st.integers(-30, 150),
    st.integers(0, 100),
)
@settings(max_examples=150)
def test_shards_within_buckets_are_a_sort_of_the_items_in_the_span(
    drawn: list[tuple[int, datetime, bool]],
    kind: Kind,
    sizes: list[int],
    forward: bool,
    first: int,
    length: int,
) -> None:
    items = made(kind, drawn)
    low, high = START + timedelta(hours=first), START + timedelta(hours=first + length)
    query = kind.dated.query(at=between(low, high))
    query = query if forward else query.newest_first()
    expected = [item for item in items if low <= item.at <= high]
    with filled(items) as store:
        found = [one for page in pages(query, store, sizes_of(sizes)) for one in page]
        moments = sorted((one.at for one in expected), reverse=not forward)
        assert [one.at for one in found] == moments
        assert sorted(found, key=identity) == sorted(expected, key=identity)
        assert store.bind(query).count() == len(expected)


@given(events(), events(at_most=12), st.sampled_from(KINDS), SIZES, st.booleans(), st.data())
@settings(max_examples=100)
def test_what_stays_is_given_once_whatever_comes_and_goes(
    drawn: list[tuple[int, datetime, bool]],
    others: list[tuple[int, datetime, bool]],
    kind: Kind,
    sizes: list[int],
    by_rank: bool,
    data: st.DataObject,
) -> None:
    staying, passing = made(kind, drawn), made(kind, others, "p")
    days = between(START, START + timedelta(days=6))
    query = kind.ranked.query() if by_rank else kind.dated.query(at=days)
    with filled(staying) as store:

        def disturb() -> None:
            for one in passing:
                match data.draw(st.sampled_from(["put", "delete", "none"])):
                    case "put":
                        store.put(one)
                    case "delete":
                        store.delete(one)

        found = [one for page in pages(query, store, sizes_of(sizes), disturb) for one in page]
    ids = [one.event_id for one in found]
    assert sorted(one for one in ids if one[0] == "e") == sorted(one.event_id for one in staying)


def identity(event: Event) -> str:
    return event.event_id


def test_each_shard_is_asked_once_a_page_for_no_more_than_the_page_takes() -> None:
    requests: list[Any] = []
    items = made(Two, [(0, START, False)] * 10)
    with filled(items) as store:
        watching = Events(store.backend, observers=[requests.append])
        watching.bind(Two.ranked.query().limit(3)).page()
        assert [(one.operation, one.index, one.items) for one in requests] == [
            ("Query", "GSI1", 3),
            ("Query", "GSI1", 3),
        ]


def test_a_page_goes_on_into_the_next_bucket() -> None:
    items = made(Two, [(1, START + timedelta(days=day), False) for day in (0, 0, 1, 3)])
    query = Two.daily.query(at=between(START.date(), START.date() + timedelta(days=4)))
    with filled(items) as store:
        first = store.bind(query.limit(3)).page()
        assert [one.event_id for one in first] == ["e0", "e1", "e2"]
        second = store.bind(query.limit(3)).page(first.next)
        assert [one.event_id for one in second] == ["e3"]
        assert second.next is None


def test_a_page_ends_after_a_stated_number_of_empty_buckets() -> None:
    events: list[RequestEvent] = []
    far = START + timedelta(days=2 * GROUPS_MAX + 1)
    query = Two.daily.query(at=between(START.date(), far.date()))
    with filled(made(Two, [(1, far, False)])) as store:
        watching = Events(store.backend, observers=[events.append])
        bound = watching.bind(query.limit(3))
        assert len(bound.requests()) == GROUPS_MAX
        page, asked = bound.page(), []
        while page.next:
            assert page.items == []
            assert len(page.next) < 150
            asked.append(len(events))
            page = bound.page(page.next)
        assert asked == [GROUPS_MAX, 2 * GROUPS_MAX]
        assert len(events) == 2 * GROUPS_MAX + 2
        assert [one.event_id for one in page] == ["e0"]
        assert bound.first() == bound.one() == bound.all()[0] == next(iter(bound)) == page[0]
        assert bound.count() == 1

        async def everything() -> list[Two]:
            return [one async for one in bound]

        assert asyncio.run(everything()) == page.items


def test_a_page_that_is_full_at_the_end_of_a_bucket_goes_on_with_the_next() -> None:
    items = made(Five, [(1, START + timedelta(days=day), False) for day in (0, 0, 1)])
    query = Five.dated.query(at=between(START.date(), START.date() + timedelta(days=1)))
    with filled(items) as store:
        found = list(pages(query, store, sizes_of([2])))
        assert [sorted(one.event_id for one in page) for page in found] == [["e0", "e1"], ["e2"]]


@pytest.mark.parametrize("loud", [True, False])
def test_a_cursor_is_of_its_pattern_and_arguments(loud: bool) -> None:
    with filled(made(Two, [(0, START, True), (0, START, False)] * 6)) as store:
        cursor = store.ranked(loud).page().next
        assert cursor is not None
        assert store.ranked(loud).limit(5).page(cursor)
        for other in (store.ranked(not loud), store.others(loud)):
            with pytest.raises(InvalidCursor):
                other.page(cursor)
        with pytest.raises(InvalidCursor):
            Events(store.backend, cursor_secret="t").ranked(loud).page(cursor)


def test_a_cursor_that_was_changed_is_refused() -> None:
    with filled(made(Two, [(0, START, True)] * 6)) as store:
        cursor = store.ranked(True).page().next
        assert cursor is not None
        for at in range(len(cursor)):
            changed = cursor[:at] + ("A" if cursor[at] != "A" else "B") + cursor[at + 1 :]
            with pytest.raises(InvalidCursor):
                store.ranked(True).page(changed)


def test_shards_that_one_request_filters_empty_do_not_end_the_query() -> None:
    quiet = [(rank, START, False) for rank in (0, 0, 0, 1, 1, 1)]
    items = made(Five, [*quiet, (3, START, True)])
    with filled(items) as store:
        query = store.bind(Five.ranked.query().filter(F("loud") == True).limit(1))  # noqa: E712
        first = query.first()
        assert first is not None
        assert first.rank == 3
        assert query.one() == first
