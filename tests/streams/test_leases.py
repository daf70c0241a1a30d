"""Workers share the shards: each has one owner, who is followed by another when it is gone."""

from __future__ import annotations

import time
from collections.abc import Iterable
from contextlib import suppress

import pytest

from singletable.streams import Batch, Failures, Worker
from singletable.streams.bookkeeping import Books, Lease
from singletable.streams.leases import Balance, LeaseLost, Leases, ready_leases
from singletable.streams.shards import Shard, find_shards
from tests.streams.design import Shop
from tests.streams.support import HOUR, Clock, Seen, put, running, wait_for


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
    balance = dead.balance(find_shards(store))
    assert len(balance.held) == 1
    seen = Seen()
    began = time.monotonic()
    Worker(store, seen, lease_s=0.1).drain()
    assert seen.order_ids == numbers
    assert time.monotonic() - began >= 0.1
    with pytest.raises(LeaseLost):
        dead.release(next(iter(balance.held.values())))


def test_nobody_is_taken_for_dead_because_a_look_took_long(
    store: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(store, range(3))
    alive, other = (Leases(Books.beside(store), "worker", name, 5) for name in ("alive", "other"))
    alive.beat()
    assert len(alive.balance(find_shards(store)).held) == 1
    times = iter([100, 110, 111, 111])  # the first look takes ten seconds, the next comes soon
    monkeypatch.setattr("singletable.streams.leases.monotonic", lambda: next(times))
    for _ in range(2):
        balance = other.balance(find_shards(store))
        assert (len(balance.held), balance.others) == (0, 1)


def test_a_drain_that_is_held_up_still_waits_to_see_whether_another_worker_is_alive(
    store: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers = put(store, range(3))
    dead = Leases(Books.beside(store), "worker", "dead", 0.1)
    dead.beat()
    dead.balance(find_shards(store))
    real, is_first = Leases.balance, iter([True])

    def slow(self: Leases, shards: Iterable[Shard]) -> Balance:
        balance = real(self, shards)
        time.sleep(0.3 if next(is_first, False) else 0)
        return balance

    monkeypatch.setattr(Leases, "balance", slow)
    seen = Seen()
    Worker(store, seen, lease_s=0.1).drain()
    assert seen.order_ids == numbers


def test_workers_of_one_name_never_hold_the_same_shard(store: Shop) -> None:
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
