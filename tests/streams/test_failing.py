"""What a consumer keeps failing at is put aside among the dead letters, and can be tried again."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, ClassVar

import pytest

from singletable.store.retries import Retries
from singletable.streams import Batch, Created, Failures, Handlers, Modified, Worker, handler, retry
from singletable.streams.bookkeeping import Books
from tests.streams.design import Order, Shop
from tests.streams.support import Seen, put, running, wait_for

QUICK = Retries(attempts=3, base_s=0.001)


class Picky(Handlers[Shop]):
    """Fails at some orders."""

    def __init__(self, store: Shop) -> None:
        super().__init__(store)
        self.tried: list[str] = []
        self.done: list[str] = []
        self.refuses = {"0001"}

    @handler
    def take(self, change: Created[Order]) -> None:
        self.tried.append(change.new.order_id)
        if change.new.order_id in self.refuses:
            raise ValueError("not this one")
        self.done.append(change.new.order_id)


def test_what_keeps_failing_becomes_a_dead_letter_and_can_be_tried_again(store: Shop) -> None:
    put(store, range(3))
    picky = Picky(store)
    Worker(store, picky, retries=QUICK).drain()
    assert picky.tried == ["0000", "0001", "0001", "0001", "0002"]
    assert picky.done == ["0000", "0002"]
    [letter] = Books.beside(store).dead_letters("Picky").all()
    assert (letter.label, letter.error) == ("Picky.take", "ValueError: not this one")
    assert letter.attempts == 3
    assert retry(store, picky) == (0, 1)
    [letter] = Books.beside(store).dead_letters("Picky").all()
    assert letter.attempts == 4
    picky.refuses.clear()
    assert retry(store, picky) == (1, 0)
    assert picky.done == ["0000", "0002", "0001"]
    assert Books.beside(store).dead_letters("Picky").all() == []


class Several(Handlers[Shop]):
    """Has handlers that fail, and one that does not."""

    def __init__(self, store: Shop) -> None:
        super().__init__(store)
        self.done: list[str] = []
        self.refuses = {"first", "second"}

    def take(self, name: str) -> None:
        if name in self.refuses:
            raise ValueError(name)
        self.done.append(name)

    @handler
    def first(self, change: Created[Order]) -> None:
        self.take("first")

    @handler
    def second(self, change: Created[Order]) -> None:
        self.take("second")

    @handler
    def third(self, change: Created[Order]) -> None:
        self.take("third")

    @handler
    def all_of_a_batch(self, changes: list[Created[Order]]) -> None:
        self.take("all")


def test_a_dead_letter_is_for_the_handler_that_failed_alone(store: Shop) -> None:
    put(store, range(1))
    several = Several(store)
    Worker(store, several, retries=QUICK).drain()
    assert several.done == ["third", "all"]
    several.refuses = {"first"}
    assert retry(store, several) == (1, 1)
    several.refuses.clear()
    assert retry(store, several) == (1, 0)
    assert several.done == ["third", "all", "second", "first"]


def test_a_dead_letter_of_a_handler_that_is_gone_is_for_all_of_them(store: Shop) -> None:
    class Before(Handlers[Shop], name="Several"):
        @handler
        def older(self, change: Created[Order]) -> None:
            raise ValueError("always")

    put(store, range(1))
    Worker(store, Before(store), retries=QUICK).drain()
    several = Several(store)
    assert retry(store, several) == (0, 1)
    several.refuses.clear()
    assert retry(store, several) == (1, 0)
    assert several.done == ["first", "second", "third", "all"]


def test_the_log_says_why_a_change_was_put_aside(
    store: Shop, caplog: pytest.LogCaptureFixture
) -> None:
    class Aside(Seen):
        def deliver(self, batch: Batch, failures: Failures) -> None:
            failures.put_aside(batch.changes[0], "seen", ValueError("not an order of ours"))

    put(store, range(1))
    Worker(store, Aside()).drain()
    assert caplog.messages[-1].endswith("dead letters now: ValueError: not an order of ours")


def test_the_log_has_one_traceback_for_all_attempts(
    store: Shop, caplog: pytest.LogCaptureFixture
) -> None:
    put(store, range(1, 2))
    Worker(store, Picky(store), retries=QUICK).drain()
    assert [bool(record.exc_info) for record in caplog.records] == [True, False, False, False]
    assert caplog.messages[1].endswith("attempt 2: ValueError: not this one")


def test_a_dead_letter_holds_images_of_any_size_and_kind(store: Shop) -> None:
    big = Order(customer_id="c1", order_id="big", status="x" * 300_000)
    rest = {"raw": {"B": b"\x00\xff"}, "words": {"SS": ["a", "b"]}}
    item = {**Order.__schema__.items.write(big.__dict__), **rest}
    store.backend.call("PutItem", {"TableName": "shop", "Item": item})
    store.update(Order.key(customer_id="c1", order_id="big"), total=1)

    class Huge(Handlers[Shop]):
        seen: ClassVar[list[Any]] = []
        error: ClassVar[Exception | None] = ValueError("y" * 500_000)

        @handler
        def take(self, change: Modified[Order]) -> None:
            if self.error:
                raise self.error
            self.seen.append(change.record)

    Worker(store, Huge(store), retries=Retries(attempts=1)).drain()
    [letter] = Books.beside(store).dead_letters("Huge").all()
    assert letter.item == "Order.key(customer_id='c1', order_id='big')"
    Huge.error = None
    assert retry(store, Huge(store)) == (1, 0)
    [record] = Huge.seen
    assert record.old == item
    assert record.new["total"] == {"N": "1"}
    assert Books.beside(store).sweep(timedelta(0), dry_run=True).parts == 0


def test_a_worker_that_is_stopped_between_two_tries_gives_nothing_up(store: Shop) -> None:
    put(store, range(2))
    picky = Picky(store)
    patient = Retries(attempts=3, base_s=60, cap_s=60, random=lambda: 1.0)
    with running(Worker(store, picky, retries=patient)):
        wait_for(lambda: "0001" in picky.tried)
    assert Books.beside(store).dead_letters("Picky").all() == []
    picky.refuses.clear()
    Worker(store, picky).drain()
    assert picky.done == ["0000", "0000", "0001"]
