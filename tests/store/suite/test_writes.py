"""Writes, and what a store keeps true, on every backend and in both ways."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from singletable import (
    REMOVE,
    AlreadyExists,
    ConditionFailed,
    F,
    Large,
    NotFound,
    TransactionCancelled,
    UniqueViolation,
    UsageError,
    VersionConflict,
    add,
    append,
    exclude,
    if_missing,
    include,
    prepend,
    subtract,
)

from .conftest import Clock
from .design import NOW, Basket, Manual, Offer, Opening, Order, Poster, Review, Shop, Shops
from .ways import Way

S1 = Shop.key(shop_id="s1")
APPLE = Offer.key(shop_id="s1", offer_id="1")


def _shop(shop_id: str = "s1", name: str = "One", **fields: Any) -> Shop:
    return Shop(shop_id=shop_id, name=name, **fields)


def _offer(offer_id: str = "1", **fields: Any) -> Offer:
    return Offer(shop_id="s1", offer_id=offer_id, name="apple", **fields)


def test_put_replaces_and_create_does_not(shops: Shops, do: Way) -> None:
    do(shops.create, _shop())
    do(shops.put, _offer(cents=5))
    assert do(shops.put, _offer(cents=6)).cents == 6
    with pytest.raises(AlreadyExists) as raised:
        do(shops.create, _offer(cents=7))
    assert raised.value.found.cents == 6
    assert do(shops.shop("s1").one).offer_count == 1


def test_an_update_changes_parts(shops: Shops, do: Way) -> None:
    """In a map, in a list, in a set, by adding; what it is not told of stays."""
    opening = Opening(hours=["9", "10"], visitors=3)
    do(shops.create, _shop(opening=opening, labels={"a"}, notes={"x": "1", "y": "2"}))
    changed = do(
        shops.update,
        S1,
        {
            "opening.visitors": add(2),
            "opening.hours": append(["11"]),
            "notes.x": REMOVE,
            "notes.z": "3",
        },
        labels=include({"b"}),
    )
    assert changed.opening == Opening(hours=["9", "10", "11"], visitors=5)
    assert (changed.labels, changed.notes) == ({"a", "b"}, {"y": "2", "z": "3"})
    again = do(
        shops.update,
        S1,
        {
            "opening.hours": prepend(["8"]),
            "opening.visitors": subtract(1),
            "notes.y": if_missing("9"),
        },
        labels=exclude({"a", "b"}),
    )
    assert again.opening == Opening(hours=["8", "9", "10", "11"], visitors=4)
    assert (again.labels, again.notes["y"]) == (set(), "2")
    assert do(shops.shop("s1").strong().one) == again


def test_an_update_keeps_index_keys_true(shops: Shops, do: Way) -> None:
    do(shops.create, _shop())
    do(shops.create, _offer())
    do(shops.update, APPLE, recall=True, cents=1)
    assert [each.offer_id for each in do(shops.recalled("s1").all)] == ["1"]
    do(shops.update, APPLE, recall=False)
    assert do(shops.recalled("s1").all) == []
    with pytest.raises(NotFound):
        do(shops.update, Offer.key(shop_id="s1", offer_id="2"), cents=1)


def test_conditions_decide(shops: Shops, do: Way) -> None:
    do(shops.create, _shop())
    do(shops.create, _offer(cents=5))
    with pytest.raises(ConditionFailed) as raised:
        do(shops.update, APPLE, cents=1, only_if=F("cents") > 5)
    assert raised.value.found.cents == 5
    with pytest.raises(ConditionFailed):
        do(shops.delete, APPLE, only_if=F("name") == "pear")
    with pytest.raises(ConditionFailed):
        do(shops.put, _offer(), only_if=F("name").begins_with("p"))
    do(shops.update, APPLE, cents=add(1), only_if=F("name").exists())
    do(shops.delete, APPLE, only_if=F("cents") == 6)
    do(shops.delete, APPLE)
    assert do(shops.offers("s1").all) == []


def test_upsert_makes_and_changes(shops: Shops, do: Way, clock: Clock) -> None:
    made = do(shops.upsert, _shop(created_at=NOW))
    clock.now += timedelta(hours=1)
    changed = do(shops.upsert, _shop(name="Uno", created_at=clock.now))
    assert (made.version, changed.version, changed.name) == (1, 2, "Uno")
    assert (changed.created_at, changed.updated_at) == (NOW, clock.now)


def test_upsert_by_key_begins_and_changes(shops: Shops, do: Way) -> None:
    do(shops.create, _shop())
    for cents in (2, 4):
        changed = do(shops.upsert, APPLE, name="apple", cheap=True, cents=cents)
        assert (changed.cents, changed.maker) == (cents, "nobody")
    assert do(shops.update, APPLE, cents=add(1)).cents == 5
    assert do(shops.shop("s1").strong().one).cheap_count == 1
    with pytest.raises(ConditionFailed):
        do(shops.upsert, APPLE, name="pear", only_if=F("cents") > 5)


def test_edit_reads_and_writes(shops: Shops, do: Way) -> None:
    do(shops.create, _shop())

    def rename(shop: Shop) -> None:
        shop.name = shop.name * 2

    assert do(shops.edit, S1, rename).name == "OneOne"
    assert do(shops.shop("s1").strong().one).version == 2
    with pytest.raises(NotFound):
        do(shops.edit, Shop.key(shop_id="s2"), rename)


def test_an_older_version_is_refused(shops: Shops, do: Way) -> None:
    old = do(shops.create, _shop())
    new = do(shops.put, old.model_copy(update={"name": "Uno"}))
    assert new.version == 2
    for write in (
        lambda: do(shops.put, old),
        lambda: do(shops.update, old, name="Eins"),
        lambda: do(shops.delete, old),
    ):
        with pytest.raises(VersionConflict) as raised:
            write()
        assert (raised.value.mine, raised.value.theirs) == (1, 2)
    do(shops.delete, new)


def test_a_unique_value_has_one_owner(shops: Shops, do: Way) -> None:
    """Everywhere, or within a partition; it is free again when its owner gives it up."""
    do(shops.create, _shop())
    do(shops.create, _shop("s2", "Two"))
    with pytest.raises(UniqueViolation) as raised:
        do(shops.update, Shop.key(shop_id="s2"), name="One")
    assert raised.value.attribute == "name"
    do(shops.update, S1, name="Uno")
    do(shops.update, Shop.key(shop_id="s2"), name="One")
    do(shops.create, _offer(code="c"))
    do(shops.create, Offer(shop_id="s2", offer_id="1", name="pear", code="c"))
    with pytest.raises(UniqueViolation):
        do(shops.upsert, _offer("2", code="c"))
    do(shops.delete, APPLE)
    do(shops.upsert, _offer("2", code="c"))


def test_values_from_before_they_were_unique_are_claimed(shops: Shops, do: Way) -> None:
    for shop_id in ("s1", "s2"):
        item = Shop.__schema__.items.write(_shop(shop_id).__dict__)
        do(shops.send, "PutItem", {"TableName": shops.table_name, "Item": item})
    first, again = (do(shops.claim_unique, Shop) for _ in range(2))
    assert (first.items, first.taken, again.taken) == (2, 1, 0)
    assert [one.value for one in first.conflicts] == ["One"]
    assert again.conflicts == first.conflicts
    with pytest.raises(UniqueViolation):
        do(shops.create, _shop("s3"))


def test_a_parent_stays_with_its_children(shops: Shops, do: Way) -> None:
    do(shops.create, _shop())
    do(shops.create, _offer())
    with pytest.raises(ConditionFailed, match="offer_count is 1") as raised:
        do(shops.delete, S1)
    assert raised.value.found.offer_count == 1
    do(shops.delete_many, [S1, APPLE])
    do(shops.delete, S1)
    assert do(shops.shop("s1").first) is None


def test_a_count_follows_what_it_counts(shops: Shops, do: Way) -> None:
    do(shops.create, _shop())

    def counts() -> tuple[int, int]:
        shop = do(shops.shop("s1").strong().one)
        return shop.offer_count, shop.cheap_count

    do(shops.create, _offer("1"))
    do(shops.put, _offer("2", cheap=True))
    do(shops.upsert, _offer("3", cheap=True))
    assert counts() == (3, 2)
    do(shops.update, APPLE, cheap=True)
    do(shops.delete, Offer.key(shop_id="s1", offer_id="3"))
    assert counts() == (2, 2)
    do(shops.delete_many, [APPLE, Offer.key(shop_id="s1", offer_id="2")])
    assert counts() == (0, 0)
    with pytest.raises(NotFound):
        do(shops.create, Offer(shop_id="s9", name="pear"))


def test_numbers_follow_each_other(shops: Shops, do: Way) -> None:
    numbers = [do(shops.create, Order(shop_id="s1")).number for _ in range(3)]
    numbers.append(do(shops.put, Order(shop_id="s1", cents=7)).number)
    assert numbers == [1, 2, 3, 4]
    assert do(shops.create, Order(shop_id="s2")).number == 1
    assert [each.number for each in do(shops.waiting("s1").all)] == numbers
    do(shops.update, Order.key(shop_id="s1", number=2), state="SENT")
    assert [each.number for each in do(shops.waiting("s1").all)] == [1, 3, 4]


def test_what_is_expired_makes_way(shops: Shops, do: Way, clock: Clock) -> None:
    do(shops.create, Basket(shop_id="s1", owner="ann", offers=["1"], until=NOW + timedelta(1)))
    with pytest.raises(AlreadyExists):
        do(shops.create, Basket(shop_id="s1", owner="ann", until=NOW + timedelta(2)))
    clock.now += timedelta(1)
    do(shops.create, Basket(shop_id="s1", owner="ann", until=NOW + timedelta(2)))
    assert do(shops.bind(Basket.get(shop_id="s1", owner="ann")).one).offers == []


def test_all_copies_are_written(shops: Shops, do: Way) -> None:
    """A read takes any of them: after many, each was read with near certainty."""
    do(shops.create, Poster(shop_id="s1", text="old"))
    do(shops.update, Poster.key(shop_id="s1"), text="new")
    assert {do(shops.poster("s1").strong().one).text for _ in range(20)} == {"new"}
    do(shops.delete, Poster.key(shop_id="s1"))
    assert {do(shops.poster("s1").strong().first) for _ in range(20)} == {None}


def test_long_content_is_kept_elsewhere_and_loaded_when_asked_for(
    opened: Callable[..., Shops], do: Way, tmp_path: Path
) -> None:
    store = opened(Shops, objects=tmp_path)
    text, drawing = "page " * 100_000, bytes(range(256)) * 40
    manual = Manual(shop_id="s1", title="saw", text=Large(text), drawing=Large(drawing))
    do(store.create, manual)
    read = do(store.bind(Manual.get(shop_id="s1", title="saw")).strong().one)
    assert read.drawing is not None
    assert (read.text.content, read.drawing.content) == (None, None)
    assert (read.text.length, read.text.preview) == (len(text), text[:200])
    assert do(store.load, read.text) == text
    assert do(store.load, read.drawing) == drawing
    do(store.update, read, text=Large("short"))
    assert do(store.sweep, timedelta(0)).parts == 0
    do(store.delete, Manual.key(shop_id="s1", title="saw"))
    assert do(store.sweep, timedelta(0)).objects == 0
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_transaction_does_all_of_it(shops: Shops, do: Way) -> None:
    """A parent with its children, their unique values and numbers, in one request."""
    do(shops.create, _shop("s2", "Two"))
    with do.transaction(shops) as transaction:
        transaction.create(_shop())
        transaction.create(_offer("1", code="a"))
        transaction.put(_offer("2", code="b", cheap=True))
        transaction.create(Order(shop_id="s1"))
        transaction.create(Order(shop_id="s1"))
        transaction.update(Shop.key(shop_id="s2"), {"opening.visitors": add(1)})
        transaction.check(Shop.key(shop_id="s3"), F("name").missing())
    shop, *_, first, second, _, _ = transaction.results
    assert (shop.offer_count, shop.cheap_count) == (2, 1)
    assert (first.number, second.number) == (1, 2)
    assert do(shops.shop("s2").strong().one).opening.visitors == 1
    with do.transaction(shops) as transaction:
        transaction.edit(S1, lambda shop: shop.model_copy(update={"name": "Uno"}))
        transaction.upsert(_offer("1", code="b"))
        transaction.upsert(_offer("2", code="a"))
        transaction.delete(Order.key(shop_id="s1", number=1))
    codes = {each.offer_id: each.code for each in do(shops.offers("s1").all)}
    assert codes == {"1": "b", "2": "a"}


def test_a_transaction_does_nothing_where_one_part_fails(shops: Shops, do: Way) -> None:
    do(shops.create, _shop())
    do(shops.create, _offer())
    faults: list[tuple[Any, type[Exception]]] = [
        (lambda one: one.create(_offer()), AlreadyExists),
        (lambda one: one.create(_shop("s2", "One")), UniqueViolation),
        (lambda one: one.update(Offer.key(shop_id="s1", offer_id="9"), cents=1), NotFound),
        (lambda one: one.delete(_shop(version=7)), VersionConflict),
        (lambda one: one.update(S1, name="Uno", only_if=F("name") == "Due"), ConditionFailed),
        (lambda one: one.check(Shop.key(shop_id="s9")), NotFound),
    ]

    def attempt(*faults: Any) -> None:
        with do.transaction(shops) as transaction:
            transaction.create(Order(shop_id="s1"))
            for fault in faults:
                fault(transaction)

    for fault, error in faults:
        with pytest.raises(error):
            attempt(fault)
    with pytest.raises(TransactionCancelled) as raised:
        attempt(faults[0][0], faults[1][0])
    kinds = [type(failure.error) for failure in raised.value.failures]
    assert kinds == [AlreadyExists, UniqueViolation]
    assert do(shops.orders("s1").all) == []


def test_a_transaction_with_a_token_is_done_once(shops: Shops, do: Way) -> None:
    do(shops.create, _shop())
    token = uuid4().hex
    for _ in range(3):
        with do.transaction(shops, token) as transaction:
            transaction.update(S1, {"opening.visitors": add(1)})
            transaction.put(Review(shop_id="s1", offer_id="1", day=NOW.date()))
    assert do(shops.shop("s1").strong().one).opening.visitors == 1


def test_a_transaction_holds_100_writes(shops: Shops, do: Way) -> None:
    reviews = [Review(shop_id="s1", offer_id=str(each), day=NOW.date()) for each in range(101)]

    def put(many: list[Review]) -> None:
        with do.transaction(shops) as transaction:
            for review in many:
                transaction.put(review)

    put(reviews[:100])
    assert do(shops.bind(Review.by_day.query(shop_id="s1")).count) == 100
    with pytest.raises(UsageError, match="100"):
        put(reviews)


def test_a_block_that_raises_sends_nothing(shops: Shops) -> None:
    def interrupted() -> None:
        with shops.transaction() as transaction:
            transaction.create(_shop())
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert shops.shop("s1").first() is None
