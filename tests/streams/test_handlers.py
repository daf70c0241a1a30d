"""Handlers are called for what their annotations name; what they return is seen to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from singletable import DesignError, Entity, Store, Table, Transaction, UsageError, add, upgrade
from singletable.errors import Unreachable
from singletable.streams import (
    Batch,
    Change,
    Created,
    Deleted,
    DeliveryFailed,
    Expired,
    Handlers,
    Modified,
    Removed,
    Worker,
    handler,
)
from singletable.streams.events.event import Event, NotSent
from singletable.streams.failing import Report
from singletable.streams.records import Record

from .design import Basket, Customer, FrontPage, Order, Shop, changes, record

NEW = Order(customer_id="c1", order_id="1", total=5)
PAID = Order(customer_id="c1", order_id="1", total=5, status="PAID")
BASKET = Basket(basket_id="b")


@pytest.fixture
def store() -> Shop:
    return Shop.connect(":memory:")


def deliver(handlers: Handlers[Shop], *records: Record) -> None:
    handlers.deliver(Batch(changes(*records), "1"), Report())


class Everything(Handlers[Shop]):
    """Notes what it is called for."""

    def __init__(self, store: Shop) -> None:
        super().__init__(store)
        self.seen: list[tuple[str, type[Change[Any]]]] = []

    @handler
    def created(self, change: Created[Order]) -> None:
        self.seen.append(("created", type(change)))

    @handler
    def either(self, change: Modified[Order] | Deleted[Order]) -> None:
        self.seen.append(("either", type(change)))

    @handler
    def expired(self, change: Expired[Basket]) -> None:
        self.seen.append(("expired", type(change)))

    @handler
    def removed(self, change: Removed[Basket | Order]) -> None:
        self.seen.append(("removed", type(change)))

    @handler
    def all_of_a_batch(self, changes: list[Change[Order]]) -> None:
        self.seen.append((f"{len(changes)} orders", Change))

    @handler
    def anything(self, change: Change[Any]) -> None:
        self.seen.append(("anything", type(change)))


def test_the_annotation_says_what_a_handler_is_called_for(store: Shop) -> None:
    handlers = Everything(store)
    deliver(
        handlers,
        record(None, NEW),
        record(NEW, PAID),
        record(PAID, None),
        record(BASKET, None, expired=True),
        record(BASKET, None),
    )
    assert handlers.seen == [
        ("created", Created),
        ("anything", Created),
        ("either", Modified),
        ("anything", Modified),
        ("either", Deleted),
        ("removed", Deleted),
        ("anything", Deleted),
        ("expired", Expired),
        ("removed", Expired),
        ("anything", Expired),
        ("removed", Deleted),
        ("anything", Deleted),
        ("3 orders", Change),
    ]


def test_handlers_are_inherited_and_replaced(store: Shop) -> None:
    class Quiet(Everything):
        @handler
        def anything(self, change: Change[Any]) -> None:
            self.seen.append(("quiet", type(change)))

    handlers = Quiet(store)
    deliver(handlers, record(None, NEW))
    assert handlers.seen == [("created", Created), ("quiet", Created), ("1 orders", Change)]


class Tally(Handlers[Shop]):
    """Adds up what customers spend, once for each order."""

    @handler
    def add_up(self, change: Created[Order], once: Transaction) -> None:
        once.upsert(Customer.key(customer_id=change.new.customer_id), spent=add(change.new.total))


def test_what_is_done_in_the_transaction_is_done_once(store: Shop) -> None:
    told = record(None, NEW)
    for _ in range(3):
        deliver(Tally(store), told)
    deliver(Tally(store), record(None, Order(customer_id="c1", order_id="2", total=7)))
    assert store.bind(Customer.get(customer_id="c1")).one().spent == 12


def test_each_handler_and_each_class_of_handlers_has_its_own_marks(store: Shop) -> None:
    class Other(Tally):
        @handler
        def also(self, change: Created[Order], once: Transaction) -> None:
            once.upsert(Customer.key(customer_id="all"), spent=add(change.new.total))

    told = record(None, NEW)
    deliver(Tally(store), told)
    deliver(Other(store), told)
    assert store.bind(Customer.get(customer_id="c1")).one().spent == 10
    assert store.bind(Customer.get(customer_id="all")).one().spent == 5


def test_a_transaction_that_fails_is_no_mark(store: Shop) -> None:
    class Strict(Handlers[Shop]):
        @handler
        def add_up(self, change: Created[Order], once: Transaction) -> None:
            once.update(Customer.key(customer_id="c1"), spent=add(change.new.total))

    told = record(None, NEW)
    with pytest.raises(DeliveryFailed, match="there is no such item"):
        deliver(Strict(store), told)
    store.put(Customer(customer_id="c1"))
    deliver(Strict(store), told)
    deliver(Strict(store), told)
    assert store.bind(Customer.get(customer_id="c1")).one().spent == 5


def test_what_a_handler_returns_is_put_with_all_its_copies(store: Shop) -> None:
    class Cache(Handlers[Shop]):
        @handler
        def front_page(self, changes: list[Change[Order]]) -> FrontPage:
            return FrontPage(order_ids=[str(change.key.fields["order_id"]) for change in changes])

        @handler
        def several(self, change: Created[Order]) -> list[Entity]:
            return [Basket(basket_id="x"), Basket(basket_id="y")]

    deliver(Cache(store), record(None, NEW))
    for _ in range(10):  # any copy
        assert store.bind(FrontPage.get()).one().order_ids == ["1"]
    assert store.bind(Basket.get(basket_id="y")).first() is not None


def test_async_handlers_are_awaited_in_one_event_loop(store: Shop) -> None:
    import asyncio

    loops = set()

    class Later(Handlers[Shop]):
        @handler
        async def pay(self, change: Created[Order]) -> Basket:
            await asyncio.sleep(0)
            loops.add(asyncio.get_running_loop())
            return Basket(basket_id=change.new.order_id)

    deliver(Later(store), record(None, NEW), record(None, PAID))
    assert store.bind(Basket.get(basket_id="1")).first() is not None
    assert len(loops) == 1

    async def inside() -> None:
        deliver(Later(store), record(None, NEW))

    with pytest.raises(UsageError, match=r"in an event loop already: deliver in a thread"):
        asyncio.run(inside())


class Box:
    """A sink that takes what it is told to take."""

    def __init__(self, refused: Sequence[str] = ()) -> None:
        self.sent: list[Event] = []
        self.refused = list(refused)
        self.calls = 0

    def send(self, events: Sequence[Event], /) -> None:
        self.calls += 1
        failed = [event for event in events if event.name in self.refused]
        self.sent += [event for event in events if event not in failed]
        if failed:
            raise NotSent("refused", [(event, "no") for event in failed])


def _sending(box: Box) -> type[Handlers[Shop]]:
    class Sending(Handlers[Shop]):
        @handler(to=box)
        def paid(self, change: Change[Order]) -> list[Event]:
            order_id = str(change.key.fields["order_id"])
            return [Event(f"First{order_id}", {"id": order_id}), Event("Second")]

    return Sending


def test_events_go_to_the_sink_together_and_have_ids_of_their_own(store: Shop) -> None:
    box = Box()
    told = record(None, NEW), record(NEW, PAID)
    deliver(_sending(box)(store), *told)
    assert box.calls == 1
    assert [event.name for event in box.sent] == ["First1", "Second"] * 2
    ids = [event.id for event in box.sent]
    assert len(set(ids)) == 4
    assert {event.at for event in box.sent} == {told[0].at}
    assert box.sent[0].subject == "Order/c1/1"
    deliver(_sending(box)(store), *told)
    assert [event.id for event in box.sent[4:]] == ids


def test_events_that_were_not_sent_are_tried_again_without_the_others(store: Shop) -> None:
    box = Box(refused=["Second"])
    tries = []

    class Twice(Report):
        def attempt(self, work: Callable[[], None], change: Change[Any], label: str) -> None:
            try:
                work()
            except NotSent:
                tries.append(label)
                box.refused.clear()
                work()

    handlers = _sending(box)(store)
    handlers.deliver(Batch(changes(record(None, NEW)), "1"), Twice())
    assert tries == ["Sending.paid"]
    assert [event.name for event in box.sent] == ["First1", "Second"]


def test_a_change_that_a_batch_fails_at_is_found_among_the_others(store: Shop) -> None:
    done: list[str] = []

    class Picky(Handlers[Shop]):
        @handler
        def all_orders(self, changes: list[Created[Order]]) -> None:
            if any(change.new.total == 13 for change in changes):
                raise ValueError("unlucky")
            done.extend(change.new.order_id for change in changes)

    orders = [Order(customer_id="c", order_id=str(n), total=13 if n == 1 else 0) for n in range(3)]
    with pytest.raises(DeliveryFailed, match="unlucky") as failure:
        deliver(Picky(store), *(record(None, order) for order in orders))
    assert failure.value.change.key == Order.key(customer_id="c", order_id="1")
    assert done == ["0"]


def test_what_is_no_changes_fault_is_not_reported_as_one(store: Shop) -> None:
    class Offline(Handlers[Shop]):
        @handler
        def call(self, change: Created[Order]) -> None:
            raise Unreachable("down")

        @handler
        def call_for_all(self, changes: list[Created[Order]]) -> None:
            raise Unreachable("down")

    with pytest.raises(Unreachable):
        deliver(Offline(store), record(None, NEW))


def test_a_result_that_nobody_can_see_to_is_refused(store: Shop) -> None:
    class Odd(Handlers[Shop]):
        @handler
        def odd(self, change: Created[Order]) -> Any:
            return results[change.new.total]

    results = [["odd"], "odd", True, {"odd": 1}]
    for number, shown in enumerate(["'odd'", "'odd'", "True", "{'odd': 1}"]):
        order = Order(customer_id="c1", order_id="1", total=number)
        with pytest.raises(DeliveryFailed, match=f"odd returned {shown}: a handler returns ent"):
            deliver(Odd(store), record(None, order))


def test_annotations_that_say_nothing_are_refused_when_the_class_is_made() -> None:
    with pytest.raises(DesignError, match=r"Silent\.listen does not say which changes it is for"):

        class Silent(Handlers[Shop]):
            @handler
            def listen(self, change) -> None:  # type: ignore[no-untyped-def] # noqa: ANN001 - the mistake
                pass

    with pytest.raises(DesignError, match=r"Wrong\.listen is for .*Order.*, which is no change"):

        class Wrong(Handlers[Shop]):
            @handler
            def listen(self, change: Order) -> None:
                pass

    with pytest.raises(DesignError, match="no entity"):

        class NoEntity(Handlers[Shop]):
            @handler
            def listen(self, change: Created[int]) -> None:  # type: ignore[type-var] # the mistake
                pass

    with pytest.raises(DesignError, match="asks for more than it can be given"):

        class Greedy(Handlers[Shop]):
            @handler
            def listen(self, changes: list[Created[Order]], once: Transaction) -> None:
                pass

    with pytest.raises(DesignError, match="cannot name handlers"):

        class Named(Handlers[Shop], name="a|b"):
            pass


def test_handlers_that_would_never_be_called_are_refused(store: Shop) -> None:
    other = Table("other", stream="NEW_AND_OLD_IMAGES")

    class Note(Entity, table=other, pk="NOTE#{note_id}", sk="NOTE"):
        note_id: str

    class Elsewhere(Handlers[Shop]):
        @handler
        def listen(self, change: Created[Order] | Created[Note]) -> None:
            pass

    class Forgotten(Handlers[Shop]):
        def listen(self, change: Created[Order]) -> None:
            pass

    with pytest.raises(DesignError, match=r"Elsewhere\.listen is for changes of Note, of which"):
        Elsewhere(store)
    with pytest.raises(DesignError, match="Forgotten has no handler: mark its methods @handler"):
        Forgotten(store)
    with pytest.raises(DesignError, match=r"'https://example\.com'\): events go to a sink"):
        handler(to="https://example.com")  # type: ignore[call-overload] # the mistake


def test_handlers_keep_the_name_that_they_are_given(store: Shop) -> None:
    class Renamed(Everything):
        name = "everything"

    class AsKeyword(Everything, name="all-of-it"):
        pass

    class Further(Renamed):
        pass

    names = [each.name for each in (Everything, Renamed, AsKeyword, Further)]
    assert names == ["Everything", "everything", "all-of-it", "Further"]
    assert "everything.created" in Renamed(store).labels


def test_a_change_that_cannot_be_read_is_its_handlers_failure(store: Shop) -> None:
    broken = {
        "PK": {"S": "CUSTOMER#c"},
        "SK": {"S": "ORDER#o"},
        "Type": {"S": "Order"},
        "total": {"S": "many"},
    }
    with pytest.raises(DeliveryFailed, match=r"Tally\.add_up failed at Created"):
        deliver(Tally(store), record(None, broken))


signs = Table("signs", stream="NEW_AND_OLD_IMAGES")


class Sign(Entity, table=signs, pk="SIGN#{sign_id}#{copy}", sk="SIGN", schema=2, copies=2):
    sign_id: str
    text: str
    seen: int = 0

    @upgrade(1)
    def _(values: dict[str, Any]) -> dict[str, Any]:  # noqa: N805 - is given values, no self
        return {**values, "text": values.pop("words")}


class Look(Entity, table=signs, pk="LOOK#{look_id}", sk="LOOK"):
    look_id: str


class Signs(Store, table=signs):
    """Signs, of an older schema."""


class Looks(Handlers[Signs]):
    @handler
    def see(self, change: Created[Look], once: Transaction) -> None:
        once.update(Sign.key(sign_id="s1"), seen=add(1))


def test_the_upgrade_of_an_older_item_is_not_taken_for_the_effect() -> None:
    """It is a transaction, too, before the one that the handler asks for."""
    with Signs.connect(":memory:") as store:
        store.put(Sign(sign_id="s1", text="Mind the gap"))
        for item in store.send("Scan", {"TableName": "signs"})["Items"]:
            item["words"] = item.pop("text")
            item["SchemaVersion"] = {"N": "1"}
            store.send("PutItem", {"TableName": "signs", "Item": item})
        store.put(Look(look_id="l1"))
        Worker(store, Looks(store)).drain()
        assert store.bind(Sign.get(sign_id="s1")).one().seen == 1
