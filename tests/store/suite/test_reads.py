"""Reads, on every backend and in both ways."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import chain
from typing import Any

import pytest

from singletable import (
    F,
    InvalidCursor,
    MoreThanOne,
    NotFound,
    OutOfScope,
    UsageError,
    get_many,
)

from .conftest import Clock
from .design import NOW, Basket, Label, Measure, Offer, Order, Review, Shop, Shops
from .ways import Way

DAY = date(2040, 3, 1)
PAGE = 4  # of what sensors measured
NAMES = ["apple", "bread", "cheese", "dates", "eggs"]


@dataclass
class Named:
    """The name alone."""

    name: str


@dataclass
class Warmth:
    """What the index of all sensors holds."""

    sensor_id: str
    celsius: int


def _offers(shop_id: str, names: list[str]) -> list[Offer]:
    return [
        Offer(
            shop_id=shop_id,
            offer_id=str(number),
            name=name,
            cents=(7 * number) % 10 + 90,
            cheap=number % 2 == 0,
            recall=number == 3,
            maker="mill" if number < 3 else "farm",
            year=2030 - number,
        )
        for number, name in enumerate(names, 1)
    ]


@pytest.fixture
def stocked(opened: Callable[..., Shops]) -> Shops:
    """Give two shops whose ids begin alike, with what they sell."""
    return opened(
        Shops,
        [
            Shop(shop_id="s1", name="One"),
            Shop(shop_id="s10", name="Ten"),
            *_offers("s1", NAMES),
            *_offers("s10", ["fig"]),
            *(
                Review(shop_id="s1", offer_id=offer, day=DAY + timedelta(days), text=offer * 3)
                for offer, days in [("1", 0), ("2", 1), ("1", 2)]
            ),
        ],
    )


def test_an_item_is_read_by_its_key(stocked: Shops, do: Way) -> None:
    shop = do(stocked.shop("s1").one)
    assert (shop.name, shop.version, shop.created_at) == ("One", 1, shop.created_at)
    assert do(stocked.shop("s1").strong().first) == shop
    assert do(stocked.shop("s2").first) is None
    with pytest.raises(NotFound):
        do(stocked.shop("s2").one)


def test_a_query_gives_its_own_entity_of_its_own_partition(stocked: Shops, do: Way) -> None:
    offers = stocked.offers("s1")
    assert [each.name for each in do(offers.all)] == NAMES
    assert [each.name for each in do(offers.descending().all)] == NAMES[::-1]
    assert [each.name for each in do(offers.strong().all)] == NAMES
    assert [each.name for each in do.each(stocked.offers("s10"))] == ["fig"]
    assert do(offers.count) == len(NAMES)
    first = do(offers.first)
    assert first is not None
    assert first.name == "apple"
    with pytest.raises(MoreThanOne):
        do(offers.one)


def test_pages_follow_each_other_by_cursors(stocked: Shops, do: Way) -> None:
    """Each page is asked for a number of items, of which some may be of another entity."""
    offers = stocked.offers("s1").limit(2)
    page = do(offers.page)
    names = [each.name for each in page]
    while page.next:
        page = do(offers.page, page.next)
        names += [each.name for each in page]
    assert names == NAMES
    assert [each.name for each in do.each(offers)] == NAMES[:2]
    assert [each.name for each in do.each(stocked.offers("s1").but(page_size=2))] == NAMES


def test_a_cursor_is_of_one_query(stocked: Shops, do: Way) -> None:
    cursor = do(stocked.offers("s1").limit(2).page).next
    assert cursor is not None
    for wrong in (cursor[:-4] + "AAAA", cursor[:-2], "nonsense"):
        with pytest.raises(InvalidCursor):
            do(stocked.offers("s1").limit(2).page, wrong)
    with pytest.raises(InvalidCursor):
        do(stocked.offers("s10").limit(2).page, cursor)


def test_a_signed_cursor_is_of_one_secret(opened: Callable[..., Shops], do: Way) -> None:
    items = [Shop(shop_id="s1", name="One"), *_offers("s1", NAMES)]
    signed = opened(Shops, items, cursor_secret="a secret that is long enough to be one")
    offers = signed.offers("s1").but(page_size=2)
    assert [each.name for each in do.each(offers)] == NAMES
    unsigned = Shops(signed.backend, table_name=offers.request()["TableName"])
    cursor = do(unsigned.offers("s1").limit(2).page).next
    with pytest.raises(InvalidCursor):
        do(offers.page, cursor)


def test_ranges_compare_the_next_part_of_the_key(stocked: Shops, do: Way) -> None:
    offers = Offer.query(shop_id="s1")
    ranges = {
        "lt": offers.lt("3"),
        "le": offers.le("3"),
        "gt": offers.gt("3"),
        "ge": offers.ge("3"),
        "between": offers.between("2", "4"),
        "begins_with": offers.begins_with("4"),
    }
    found = {
        name: "".join(each.offer_id for each in do(stocked.bind(query).all))
        for name, query in ranges.items()
    }
    assert found == {
        "lt": "12",
        "le": "123",
        "gt": "45",
        "ge": "345",
        "between": "234",
        "begins_with": "4",
    }


def test_a_range_of_days_has_its_last_day(stocked: Shops, do: Way) -> None:
    reviews = stocked.reviews_between("s1", DAY, DAY + timedelta(1))
    assert [each.text for each in do(reviews.all)] == ["111", "222"]


def test_filters_leave_out_what_was_read(stocked: Shops, do: Way) -> None:
    offers = stocked.offers("s1")
    conditions: list[Any] = [
        F("cheap") == True,  # noqa: E712 - a condition
        F("name").contains("e") & ~(F("name") == "eggs"),
        F("name").is_in(["apple", "eggs"]) | F("cents").between(94, 95),
    ]
    found = [[each.name for each in do(offers.filter(one).all)] for one in conditions]
    assert found == [
        ["bread", "dates"],
        ["apple", "bread", "cheese", "dates"],
        ["apple", "bread", "eggs"],
    ]
    assert do(offers.filter(conditions[0]).count) == 2


def test_a_projection_reads_some_fields(stocked: Shops, do: Way) -> None:
    labels = do(stocked.offers("s10").only(Label).all)
    assert labels == [Label("fig", 97)]
    assert do(stocked.shop("s1").only(Named).one) == Named("One")


def test_a_local_index_has_another_order_and_strong_reads(stocked: Shops, do: Way) -> None:
    cheapest = stocked.cheapest("s1").only(Label)
    assert [each.cents for each in do(cheapest.strong().all)] == [91, 94, 95, 97, 98]
    assert [each.cents for each in do(cheapest.between(94, 95).all)] == [94, 95]


def test_a_key_of_several_attributes_is_asked_for_by_its_first_ones(
    stocked: Shops, do: Way
) -> None:
    made = stocked.made_by("farm", "DK")
    assert [each.name for each in do(made.all)] == ["eggs", "dates", "cheese"]
    assert [each.name for each in do(made.ge(2027).all)] == ["cheese"]
    with pytest.raises(UsageError):
        do(made.strong().all)


def test_a_sparse_index_leads_to_whole_items(stocked: Shops, do: Way) -> None:
    [recalled] = do(stocked.recalled("s1").all)
    assert recalled == do(stocked.bind(Offer.get(shop_id="s1", offer_id="3")).one)
    do(stocked.update, recalled, recall=False)
    assert do(stocked.recalled("s1").all) == []


def test_a_view_puts_together_what_stands_together(stocked: Shops, do: Way) -> None:
    view = do(stocked.whole_shop("s1").one)
    assert view.shop.name == "One"
    told = {each.offer.name: [review.day for review in each.reviews] for each in view.offers}
    days = [DAY + timedelta(days) for days in range(3)]
    assert told == {
        "apple": [days[0], days[2]],
        "bread": [days[1]],
        "cheese": [],
        "dates": [],
        "eggs": [],
    }
    assert do(stocked.whole_shop("s2").first) is None


def test_a_batch_of_any_length_keeps_its_order(opened: Callable[..., Shops], do: Way) -> None:
    """More than the 100 keys of a request and the 25 writes; one that is missing is left out."""
    store = opened(Shops)
    reviews = [
        Review(shop_id="s1", offer_id=str(number), day=DAY, text=str(number))
        for number in range(130)
    ]
    done: list[tuple[int, int]] = []
    do(store.put_many, reviews, progress=lambda *each: done.append(each))
    assert done[0] == (25, 130)
    assert done[-1] == (130, 130)
    numbers = [*range(129, -1, -1), 500, 7]
    gets = [Review.get(shop_id="s1", offer_id=str(number), day=DAY) for number in numbers]
    found = do(store.bind(get_many(gets)).strong().all)
    assert [int(each.text) for each in found] == [*range(129, -1, -1), 7]
    snapshot = store.bind(get_many(gets[60:]).snapshot())
    assert [int(each.text) for each in do(snapshot.all)] == [*range(69, -1, -1), 7]
    do(store.delete_many, reviews[:120])
    assert do(store.bind(Review.by_day.query(shop_id="s1")).count) == 10


def test_a_scan_finds_every_item_of_its_entity(stocked: Shops, do: Way) -> None:
    everything = stocked.everything()
    names = sorted([*NAMES, "fig"])
    assert sorted(each.name for each in do(everything.all)) == names
    assert sorted(each.name for each in do(everything.parallel(3).all)) == names
    assert sorted(each.name for each in do.each(everything.but(page_size=3))) == names
    assert sorted(each.name for each in do.each(everything.parallel(3).but(page_size=1))) == names
    assert do(everything.parallel(2).count) == len(names)
    assert do(everything.parallel(2).filter(F("name") == "fig").one).shop_id == "s10"
    assert do(everything.filter(F("shop_id") == "s10").count) == 1


@pytest.fixture
def measured(opened: Callable[..., Shops], do: Way) -> Shops:
    """Give a store with what four sensors measured in three days."""
    store = opened(Shops)
    do(store.put_many, _measures())
    return store


def _measures() -> list[Measure]:
    start = datetime(2040, 2, 28, tzinfo=UTC)  # the 29th is a day of that year
    return [
        Measure(
            shop_id="s1",
            sensor_id=f"n{number % 4}",
            at=start + timedelta(hours=3 * number),
            celsius=number,
        )
        for number in range(24)
    ]


def test_buckets_are_read_one_after_the_other(measured: Shops, do: Way) -> None:
    """A page ends where it is full, in whichever bucket that is."""
    mine = measured.measured("s1", "n1", date(2040, 2, 28), date(2040, 3, 1))
    wanted = [1, 5, 9, 13, 17, 21]
    assert [each.celsius for each in do(mine.all)] == wanted
    assert [each.celsius for each in do.each(mine)] == wanted
    assert [each.celsius for each in do(mine.descending().all)] == wanted[::-1]
    assert do(mine.count) == len(wanted)


def test_shards_are_merged_page_by_page(measured: Shops, do: Way) -> None:
    everywhere = measured.measured_everywhere(date(2040, 2, 29), date(2040, 3, 1)).only(Warmth)
    page = do(everywhere.page)
    pages = [[each.celsius for each in page]]
    while page.next:
        page = do(everywhere.page, page.next)
        pages.append([each.celsius for each in page])
    assert list(chain(*pages)) == list(range(23, 7, -1))
    assert max(map(len, pages)) <= PAGE
    assert do(everywhere.count) == 16


def test_what_is_expired_is_gone(shops: Shops, do: Way, clock: Clock) -> None:
    """Whether or not the service has deleted it yet."""
    basket = do(shops.create, Basket(shop_id="s1", owner="ann", until=NOW + timedelta(hours=1)))
    read = shops.bind(Basket.get(shop_id="s1", owner="ann"))
    every = shops.bind(Basket.query(shop_id="s1"))
    assert (do(read.one), do(every.all), do(every.count)) == (basket, [basket], 1)
    clock.now += timedelta(hours=1)
    assert (do(read.first), do(every.all), do(every.count)) == (None, [], 0)
    do(shops.create, Basket(shop_id="s1", owner="ann", until=NOW + timedelta(hours=2)))
    assert do(every.count) == 1


def test_an_older_item_is_upgraded_and_a_broken_one_reported(shops: Shops, do: Way) -> None:
    do(shops.create, Order(shop_id="s1", cents=5))
    table_name = shops.orders("s1").request()["TableName"]
    for number, more in [(2, {"euros": {"N": "3"}}), (3, {"state": {"S": "LOST"}, **NEW})]:
        key = {"PK": {"S": "SHOP#s1"}, "SK": {"S": f"ORDER#{number:05d}"}}
        named = {"shopId": {"S": "s1"}, "number": {"N": str(number)}, "kind": {"S": "Order"}}
        request = {"TableName": table_name, "Item": {**key, **named, **more}}
        do(shops.backend.call, "PutItem", request)
    page = do(shops.orders("s1").page)
    assert [(each.number, each.cents) for each in page] == [(2, 300), (1, 5)]
    assert [each.key["SK"]["S"] for each in page.skipped] == ["ORDER#00003"]


NEW = {"SchemaVersion": {"N": "2"}}


def test_a_confined_store_reads_and_writes_in_its_scope_alone(stocked: Shops, do: Way) -> None:
    mine = stocked.confined(shop_id="s1")
    assert [each.name for each in do(mine.offers("s1").all)] == NAMES
    assert do(mine.create, Order(shop_id="s1")).number == 1
    with pytest.raises(OutOfScope):
        do(mine.offers("s10").all)
    with pytest.raises(OutOfScope):
        do(mine.everything().all)
    with pytest.raises(OutOfScope):
        do(mine.create, Order(shop_id="s10"))
    with do.transaction(stocked) as transaction:
        transaction.create(Order(shop_id="s10"))
    assert [each.number for each in do(stocked.orders("s10").all)] == [1]


def test_a_read_shows_its_requests_without_sending_them(stocked: Shops) -> None:
    request = stocked.offers("s1").request()
    texts = [value["S"] for value in request["ExpressionAttributeValues"].values()]
    assert texts == ["SHOP#s1", "OFFER#"]
    assert len(stocked.measured_everywhere(DAY, DAY).only(Warmth).requests()) == 3
