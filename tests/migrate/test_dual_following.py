"""Who follows and who writes to both sides may be at the same row: what is there is put last."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from singletable.backends import Backend
from singletable.backends.address import connect
from singletable.migrate import Cutover, DualWrites, Job, follow, verify
from singletable.migrate.dual import settle_journal
from singletable.migrate.units import Placer

from .sources.dynamodb.support import put
from .test_reverting import run
from .test_reverting_dynamodb import Customer, OneTable, Shop, job

__all__ = ["job"]


@pytest.fixture
def store(job: Job) -> Iterator[Shop]:
    run(job, follow=True)
    with Shop.connect(job.destination) as store:
        Cutover(store, OneTable, refresh_s=0.02).advance("dual", by="ann")
        yield store


@pytest.fixture
def old(tmp_path: Path) -> Iterator[Backend]:
    with closing(connect(str(tmp_path / "old.db"))) as old:
        yield old


def name_of(store: Shop) -> str:
    return store.bind(Customer.get(customer_id="ann")).one().name


def test_a_stale_row_that_is_followed_does_not_stay(
    store: Shop, old: Backend, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is read; before it is put in place, another writes the row to both sides."""
    whole, outrun = Placer.put, list[bool]()

    def late(self: Placer, *given: Any) -> Any:
        if not outrun:
            outrun.append(True)
            with (
                DualWrites(job, Cutover(store, OneTable)) as dual,
                dual.writing("customers", "ann"),
            ):
                put(old, "customers", id="ann", name="Newer")
        return whole(self, *given)

    monkeypatch.setattr(Placer, "put", late)
    put(old, "customers", id="ann", name="New")
    monkeypatch.setattr("singletable.migrate.following.CHANGES", 1)  # and the next is told later
    follow(job, stop=iter([False, True]).__next__)
    assert outrun
    assert name_of(store) == "Newer"
    assert verify(job, settle_s=0, patience_s=0).differences == ()


def test_live_it_holds_while_writes_are_held(store: Shop, old: Backend, job: Job) -> None:
    done = threading.Event()
    with ThreadPoolExecutor(1) as thread:
        live = thread.submit(follow, job, live=True, stop=done.is_set)
        cutover = Cutover(store, OneTable)
        with cutover.paused(by="ann", max_s=60, settle_s=0.5):
            put(old, "customers", id="ann", name="New")
            time.sleep(1)
            assert name_of(store) == "Ann"
            assert follow(job) == 1  # who holds them works
            assert name_of(store) == "New"
        cutover.advance("done", by="ann", force=True)
        live.result(timeout=60)  # the new side is right, so it ends by itself
        done.set()


def test_what_writers_left_is_settled_by_who_follows(
    store: Shop, old: Backend, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    with DualWrites(job, Cutover(store, OneTable)) as dual:
        dual._begun([("customers", "ann")])  # and then it died
        put(old, "customers", id="ann", name="New")
        follow(job)
        assert [one.kind for one in dual.journal()] == ["customers"]  # it might be at work yet
        at_once = partial(settle_journal, older_s=0)
        monkeypatch.setattr("singletable.migrate.following.settle_journal", at_once)
        follow(job)
        assert dual.journal() == []
    assert name_of(store) == "New"
