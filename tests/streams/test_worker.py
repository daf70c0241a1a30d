"""A worker delivers every change in order, and notes how far it came."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from singletable import DesignError, Engine, Entity, Store, Table, UsageError
from singletable.backends import Backend
from singletable.errors import TableMissing, Unreachable
from singletable.server import Settings
from singletable.server import running as serving
from singletable.store.retries import Retries
from singletable.streams import Change, Expired, Handlers, RecordsLost, Worker, handler, lag
from singletable.streams.bookkeeping import Books
from tests import components
from tests.streams.design import Basket, Shop
from tests.streams.support import HOUR, Clock, Seen, put, running, wait_for


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


def test_a_running_worker_tells_how_many_records_were_delivered(store: Shop) -> None:
    put(store, range(5))
    worker = Worker(store, Seen(), batch=2)
    told: list[int] = []

    def tell(done: int) -> None:
        told.append(done)
        if done == 5:
            worker.stop()

    assert (worker.run(progress=tell), told) == (5, [2, 4, 5])


def test_an_outage_does_not_end_a_worker_that_is_running(
    engine: Engine, store: Shop, caplog: pytest.LogCaptureFixture
) -> None:
    settings = Settings(port=components.free_port())
    with serving(engine, settings) as url:
        remote = Shop.connect(url, retries=Retries(attempts=1))
        seen = Seen()
        worker = Worker(remote, seen, poll_s=0.01, lease_s=0.3, create=True)
        thread = threading.Thread(target=worker.run)
        thread.start()
        [first] = put(store, range(1))
        wait_for(lambda: seen.order_ids == [first])
    wait_for(lambda: "keeps the shards that it has" in caplog.text)
    wait_for(lambda: " waits" in caplog.text)
    with serving(engine, settings):
        numbers = put(store, range(1, 5))
        wait_for(lambda: seen.order_ids[-4:] == numbers)
        worker.stop()
        thread.join(50)
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


def test_a_worker_says_what_it_needs(store: Shop) -> None:
    with pytest.raises(UsageError, match="needs a consumer"):
        Worker(store)
    with pytest.raises(UsageError, match="Two consumers are named seen"):
        Worker(store, Seen(), Seen())
    with pytest.raises(UsageError, match="1 to 1000 records, not 0"):
        Worker(store, Seen(), batch=0)
    with pytest.raises(UsageError, match=r"Seen is a class: give the worker one of it, Seen\("):
        Worker(store, Seen)  # type: ignore[arg-type] # the mistake
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


def test_a_change_is_delivered_whatever_else_the_table_holds(store: Shop, engine: Engine) -> None:
    engine.put_item(TableName="shop", Item={"PK": {"S": "X"}, "SK": {"S": "Y"}})
    put(store, range(1))
    seen = Seen()
    assert Worker(store, seen).drain() == 2
    assert seen.order_ids == ["0000"]
    assert all(isinstance(one, Change) for batch in seen.batches for one in batch.changes)
