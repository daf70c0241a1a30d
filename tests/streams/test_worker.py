"""A worker delivers every change in order, notes how far it came, and shares the shards."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, ClassVar

import pytest

from singletable import DesignError, Engine, Entity, Store, Table, UsageError
from singletable.backends import Backend
from singletable.errors import TableMissing, Unreachable
from singletable.server import Settings
from singletable.server import running as serving
from singletable.store.retries import Retries
from singletable.streams import (
    Batch,
    Change,
    Created,
    Expired,
    Failures,
    Handlers,
    Modified,
    RecordsLost,
    Worker,
    handler,
    lag,
    replay,
    retry,
)
from singletable.streams.bookkeeping import Books, Lease
from singletable.streams.leases import LeaseLost, Leases, ready_leases

from .design import Basket, Order, Shop

QUICK = Retries(attempts=3, base_s=0.001)
HOUR = 3600.0


class Clock:
    """Is a clock that is moved by hand."""

    def __init__(self) -> None:
        self.time = 1_772_366_400.0

    def __call__(self) -> float:
        return self.time


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def engine(clock: Clock) -> Iterator[Engine]:
    with Engine(clock=clock) as made:
        yield made


@pytest.fixture
def store(engine: Engine) -> Shop:
    return Shop.connect(engine, create=True)


class Seen:
    """Is a consumer that keeps what it is given."""

    def __init__(self, name: str = "seen") -> None:
        self.name = name
        self.batches: list[Batch] = []
        self.fails = 0

    @property
    def order_ids(self) -> list[str]:
        return [str(one.key.fields["order_id"]) for batch in self.batches for one in batch.changes]

    def deliver(self, batch: Batch, failures: Failures) -> None:
        if self.fails:
            self.fails -= 1
            raise ConnectionError("the consumer is out of reach")
        self.batches.append(batch)


def order(number: int) -> Order:
    return Order(customer_id="c1", order_id=f"{number:04}")


def put(store: Shop, numbers: range) -> list[str]:
    for number in numbers:
        store.put(order(number))
    return [f"{number:04}" for number in numbers]


@contextmanager
def running(worker: Worker) -> Iterator[None]:
    """Have a worker run in a thread."""
    thread = threading.Thread(target=worker.run)
    thread.start()
    try:
        yield
    finally:
        worker.stop()
        thread.join(10)
        assert not thread.is_alive()


def wait_for(condition: Any, seconds: float = 10) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.005)


def test_a_worker_delivers_what_there_is_in_order_and_only_once(store: Shop) -> None:
    seen = Seen()
    numbers = put(store, range(25))
    assert Worker(store, seen, batch=10).drain() == 25
    assert seen.order_ids == numbers
    assert [len(batch.changes) for batch in seen.batches] == [10, 10, 5]
    assert Worker(store, seen).drain() == 0
    more = put(store, range(25, 30))
    assert Worker(store, seen).drain() == 5
    assert seen.order_ids == numbers + more


def test_a_drain_looks_more_than_once_where_reads_may_be_empty_in_between(store: Shop) -> None:
    class Hesitant:
        """Gives an empty page before each that has records, as AWS may."""

        def __init__(self, backend: Backend) -> None:
            self._backend = backend
            self._empty = False

        def call(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
            self._empty = not self._empty if operation == "GetRecords" else self._empty
            if operation == "GetRecords" and self._empty:
                return {"Records": [], "NextShardIterator": request["ShardIterator"]}
            return self._backend.call(operation, request)

        async def acall(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
            return self.call(operation, request)

        def close(self) -> None:
            pass

        async def aclose(self) -> None:
            pass

    put(store, range(5))
    hesitant = store.through(Hesitant(store.backend))
    seen = Seen()
    assert Worker(hesitant, seen, batch=2, poll_s=0.001, create=True).drain() == 5


def test_a_worker_can_be_drained_again_and_again(store: Shop) -> None:
    seen = Seen()
    worker = Worker(store, seen)
    numbers = []
    for turn in range(3):
        numbers += put(store, range(turn * 2, turn * 2 + 2))
        assert worker.drain() == 2
    assert seen.order_ids == numbers


def test_a_running_worker_sees_what_is_written(store: Shop) -> None:
    seen = Seen()
    worker = Worker(store, seen)
    with running(worker):
        numbers = put(store, range(5))
        wait_for(lambda: seen.order_ids == numbers)
    assert lag(store)[0].behind is None


def test_an_outage_does_not_end_a_worker_that_is_running(
    engine: Engine, store: Shop, caplog: pytest.LogCaptureFixture
) -> None:
    with serving(engine) as url:
        remote = Shop.connect(url, retries=Retries(attempts=1))
        seen = Seen()
        worker = Worker(remote, seen, poll_s=0.01, lease_s=0.3, create=True)
        thread = threading.Thread(target=worker.run)
        thread.start()
        [first] = put(store, range(1))
        wait_for(lambda: seen.order_ids == [first])
    wait_for(lambda: "keeps the shards that it has" in caplog.text)
    wait_for(lambda: " waits" in caplog.text)
    with serving(engine, Settings(port=int(url.rpartition(":")[2]))):
        numbers = put(store, range(1, 5))
        wait_for(lambda: seen.order_ids[-4:] == numbers)
        worker.stop()
        thread.join(10)
        assert not thread.is_alive()


def test_a_worker_that_reaches_nothing_at_its_start_says_so(engine: Engine, store: Shop) -> None:
    with serving(engine) as url:
        remote = Shop.connect(url, retries=Retries(attempts=1))
        worker = Worker(remote, Seen(), create=True)
    with pytest.raises(Unreachable):
        worker.run()


def test_groups_of_another_name_get_everything_too(store: Shop) -> None:
    one, other = Seen(), Seen()
    numbers = put(store, range(3))
    Worker(store, one).drain()
    Worker(store, other, name="other").drain()
    assert one.order_ids == other.order_ids == numbers


def test_a_group_can_begin_now_or_at_a_time(store: Shop, clock: Clock) -> None:
    put(store, range(3))
    clock.time += 60
    then = datetime.fromtimestamp(clock.time, UTC)
    at_a_time, from_now = Seen(), Seen()
    late = Worker(
        store, from_now, name="now", start="now", clock=lambda: then + timedelta(minutes=1)
    )
    assert late.drain() == 3
    numbers = put(store, range(3, 5))
    Worker(store, at_a_time, name="then", start=then).drain()
    assert at_a_time.order_ids == numbers
    clock.time += 60
    later = put(store, range(5, 7))
    Worker(store, from_now, name="now").drain()  # where the group began is kept
    assert from_now.order_ids == later


def test_shards_are_read_after_their_parents(store: Shop, clock: Clock) -> None:
    numbers = []
    for turn in range(4):
        numbers += put(store, range(turn * 10, turn * 10 + 10))
        clock.time += 4.5 * HOUR
    seen = Seen()
    Worker(store, seen, batch=7).drain()
    assert seen.order_ids == numbers
    assert len({batch.shard for batch in seen.batches}) == 4


def test_a_stream_that_was_turned_off_and_on_is_read_to_its_end_first(
    store: Shop, engine: Engine, clock: Clock
) -> None:
    numbers = put(store, range(3))
    for enabled in (False, True):
        specification: dict[str, Any] = {"StreamEnabled": enabled}
        if enabled:
            specification["StreamViewType"] = "NEW_AND_OLD_IMAGES"
        clock.time += 1
        engine.update_table(TableName="shop", StreamSpecification=specification)
    numbers += put(store, range(3, 6))
    seen = Seen()
    Worker(store, seen).drain()
    assert seen.order_ids == numbers


def test_records_that_were_gone_before_they_were_read_are_told(store: Shop, clock: Clock) -> None:
    put(store, range(2))
    seen = Seen()
    Worker(store, seen, batch=1).drain()
    put(store, range(2, 4))
    clock.time += 30 * HOUR
    left = put(store, range(4, 5))
    with pytest.raises(RecordsLost, match="a stream keeps them for 24 hours"):
        Worker(store, seen).drain()
    Worker(store, seen, gaps="accept").drain()
    assert seen.order_ids == ["0000", "0001", *left]


def test_a_consumer_that_fails_as_a_whole_is_given_the_batch_again_and_others_are_not(
    store: Shop,
) -> None:
    good, bad = Seen("good"), Seen("bad")
    bad.fails = 3
    numbers = put(store, range(3))
    worker = Worker(store, good, bad, poll_s=0.001)
    with running(worker):
        wait_for(lambda: bad.order_ids == numbers)
    assert good.order_ids == numbers
    bad.fails = 1
    put(store, range(3, 4))
    with pytest.raises(ConnectionError):
        Worker(store, good, bad).drain()


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


def test_ttl_deletions_are_told_apart(store: Shop, engine: Engine, clock: Clock) -> None:
    gone = []

    class Gone(Handlers[Shop]):
        @handler
        def gone(self, change: Expired[Basket]) -> None:
            gone.append(change.old.basket_id)

    soon = datetime.fromtimestamp(clock.time + 5, UTC)
    store.put(Basket(basket_id="a", expires_at=soon))
    store.put(Basket(basket_id="b", expires_at=soon))
    store.delete(Basket.key(basket_id="b"))
    clock.time += HOUR
    engine.expire()
    Worker(store, Gone(store)).drain()
    assert gone == ["a"]


def test_lag_is_the_age_of_the_oldest_change_that_is_not_done(store: Shop) -> None:
    put(store, range(3))
    [before] = lag(store)
    assert before.behind is not None
    assert before.behind > timedelta(hours=1)  # by the engine's clock it was long ago
    Worker(store, Seen()).drain()
    [after] = lag(store)
    assert after.behind is None


def test_a_replay_delivers_again_from_a_time_on_and_takes_no_lease(
    store: Shop, clock: Clock
) -> None:
    put(store, range(3))
    Worker(store, Seen()).drain()
    clock.time += 60
    then = datetime.fromtimestamp(clock.time, UTC)
    numbers = put(store, range(3, 5))
    seen = Seen()
    assert replay(store, seen, since=then) == 2
    assert seen.order_ids == numbers
    assert replay(store, seen) == 5
    assert lag(store)[0].behind is not None


def test_a_worker_says_what_it_needs(store: Shop) -> None:
    with pytest.raises(UsageError, match="needs a consumer"):
        Worker(store)
    with pytest.raises(UsageError, match="Two consumers are named seen"):
        Worker(store, Seen(), Seen())
    with pytest.raises(UsageError, match="1 to 1000 records, not 0"):
        Worker(store, Seen(), batch=0)
    with pytest.raises(UsageError, match=r"Picky is a class: give the worker one of it, Picky\("):
        Worker(store, Picky)  # type: ignore[arg-type] # the mistake
    with pytest.raises(UsageError, match=r"retries=3: write retries=Retries\(attempts=3\)"):
        Worker(store, Seen(), retries=3)  # type: ignore[arg-type] # the mistake
    silent = Table("silent")

    class Note(Entity, table=silent, pk="NOTE#{note_id}", sk="NOTE"):
        note_id: str

    class Notes(Store, table=silent):
        pass

    with pytest.raises(DesignError, match=r"has no stream: declare .* on with UpdateTable .* name"):
        Worker(Notes.connect(":memory:"), Seen()).drain()


def test_the_bookkeeping_of_a_table_elsewhere_is_made_when_asked_for(tmp_path: Path) -> None:
    store = Shop.connect(tmp_path / "shop.db")
    Worker(store, Seen()).drain()
    tables = store.backend.call("ListTables", {})["TableNames"]
    assert tables == ["shop", "shop-streams"]


def test_where_the_bookkeeping_is_missing_it_is_told_what_makes_it() -> None:
    with Engine() as engine:
        store = Shop.connect(engine, create=True)
        Books.beside(store)  # which makes it, on an engine
        engine.delete_table(TableName="shop-streams")
        with pytest.raises(TableMissing, match=r"'shop-streams': create it with Worker\(…, create"):
            Books(engine, table_name="shop-streams").dead_letters("x").all()


def test_a_worker_whose_lease_was_taken_stops_at_its_next_checkpoint(store: Shop) -> None:
    put(store, range(4))
    books = Books.beside(store)

    class Thief(Seen):
        def deliver(self, batch: Batch, failures: Failures) -> None:
            super().deliver(batch, failures)
            [lease] = books.leases("worker").all()
            books.update(lease, owner="somebody else")

    thief = Thief()
    worker = Worker(store, thief, batch=2, lease_s=60)
    with running(worker):
        wait_for(lambda: len(thief.batches) == 1)
        time.sleep(0.1)
        assert len(thief.batches) == 1
    [lease] = books.leases("worker").all()
    assert (lease.owner, lease.sequence_number) == ("somebody else", None)


def test_shards_of_a_dead_worker_are_taken_over_after_the_time_of_a_lease(store: Shop) -> None:
    numbers = put(store, range(3))
    books = Books.beside(store)
    dead = Leases(books, "worker", "dead", 0.1)
    dead.beat()
    from singletable.streams.shards import find_shards

    balance = dead.balance(find_shards(store))
    assert len(balance.held) == 1
    seen = Seen()
    began = time.monotonic()
    Worker(store, seen, lease_s=0.1).drain()
    assert seen.order_ids == numbers
    assert time.monotonic() - began >= 0.1
    with pytest.raises(LeaseLost):
        dead.release(next(iter(balance.held.values())))


def test_workers_of_one_name_never_hold_the_same_shard(store: Shop) -> None:
    from singletable.streams.shards import Shard

    books = Books.beside(store)
    shards = [Shard("arn/label", f"shard-{number}") for number in range(6)]
    workers = [Leases(books, "group", f"w{number}", 60) for number in range(3)]
    for worker in workers:
        worker.beat()
    held: list[set[str]] = []
    for _ in range(3):
        held = [set(worker.balance(shards).held) for worker in workers]
    assert [len(one) for one in held] == [2, 2, 2]
    assert set.union(*held) == {shard.name for shard in shards}
    workers[0].leave(books.leases("group").all()[:0])
    with suppress(LeaseLost):
        for lease in books.leases("group"):
            if lease.owner == "w0":
                workers[0].release(lease)
    held = [set(worker.balance(shards).held) for worker in workers[1:]]
    assert [len(one) for one in held] == [3, 3]


def test_a_lease_is_ready_once_its_parent_and_older_streams_are_done() -> None:
    def lease(shard: str, parent: str | None = None, *, finished: bool = False) -> Lease:
        return Lease(group="g", shard=shard, parent=parent, finished=finished)

    leases = {
        one.shard: one
        for one in (
            lease("1/a", finished=True),
            lease("1/b", "1/a"),
            lease("1/c", "1/b"),
            lease("2/a"),
        )
    }
    assert [one.shard for one in ready_leases(leases)] == ["1/b"]
    leases["1/b"].finished = True
    assert [one.shard for one in ready_leases(leases)] == ["1/c"]
    leases["1/c"].finished = True
    assert [one.shard for one in ready_leases(leases)] == ["2/a"]


def test_leases_of_shards_that_are_done_and_past_are_forgotten(store: Shop, clock: Clock) -> None:
    for turn in range(4):
        put(store, range(turn, turn + 1))
        clock.time += 4.5 * HOUR
        Worker(store, Seen()).drain()
    books = Books.beside(store)
    assert len(books.leases("worker").all()) == 4
    clock.time += 20 * HOUR
    put(store, range(4, 5))
    Worker(store, Seen()).drain()
    assert len(books.leases("worker").all()) < 4


def test_a_change_is_delivered_whatever_else_the_table_holds(store: Shop, engine: Engine) -> None:
    engine.put_item(TableName="shop", Item={"PK": {"S": "X"}, "SK": {"S": "Y"}})
    put(store, range(1))
    seen = Seen()
    assert Worker(store, seen).drain() == 2
    assert seen.order_ids == ["0000"]
    assert all(isinstance(one, Change) for batch in seen.batches for one in batch.changes)
