"""One of several who follow dies, and leaves nothing that stays wrong."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from singletable.migrate import Cutover, DualWrites, Job, counting, follow, units, verify
from singletable.migrate.applying import Applier
from singletable.migrate.bookkeeping import Applying
from singletable.migrate.counting import recount
from singletable.migrate.switching import switch
from singletable.migrate.underway import PATIENCE_S, Underway
from singletable.migrate.units import Placer
from singletable.migrate.verifying.mending import Mender
from singletable.model.fields import now

from .test_running import run
from .test_units import People, Person, Shop, Sides, ToPeople, sides

__all__ = ["sides"]


class Killed(BaseException):
    """Nobody handles this, as nobody handles a kill."""


def notes(job: Job) -> list[Applying]:
    with job.opened() as opened:
        return list(opened.books.applying(job.name))


def once(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, before: Callable[[], Any]) -> None:
    """Have something done before a function's first call, and the caller die after it."""
    whole = getattr(owner, name)

    def outrun(*given: Any, **more: Any) -> Any:
        monkeypatch.setattr(owner, name, whole)
        before()
        whole(*given, **more)
        raise Killed

    monkeypatch.setattr(owner, name, outrun)


def spoil(job: Job, **values: Any) -> None:
    """Have what is wrong stand in an item, without asking the store."""
    with People.connect(job.destination) as store:
        key = Person.key(name="ann").item_key
        [(name, value)] = values.items()
        request = {
            "UpdateExpression": f"SET {name} = :value",
            "ExpressionAttributeValues": {":value": Person.__schema__.items.stored(name, value)},
        }
        store.send("UpdateItem", {"TableName": store.table_name, "Key": key, **request})


def follow_live(job: Job) -> None:
    """Follow until there is nothing to apply, and nothing left by others."""
    follow(job, live=True, stop=lambda: not notes(job))


def follow_to_dual(job: Job) -> None:
    switch(job, "dual", by="ann", settle_s=0, refresh_s=0.05)


@pytest.mark.parametrize("go_on", [follow, follow_live, follow_to_dual])
def test_a_row_that_one_put_as_it_was_before_it_died_is_put_again(
    sides: Sides, monkeypatch: pytest.MonkeyPatch, go_on: Callable[[Job], Any]
) -> None:
    sides.put(id="ann", email="old@x")
    run(sides.job, follow=True)
    sides.put(id="ann", email="first@x")

    def another() -> None:
        sides.put(id="ann", email="second@x")
        follow(sides.job)
        assert sides.emails() == {"ann": "second@x"}

    once(monkeypatch, Placer, "put", another)
    with pytest.raises(Killed):
        follow(sides.job)
    assert sides.emails() == {"ann": "first@x"}
    if go_on is follow_live:  # it waits until who left it is surely dead
        monkeypatch.setattr("singletable.migrate.underway.PATIENCE_S", 0)
    go_on(sides.job)
    assert sides.emails() == {"ann": "second@x"}
    assert verify(sides.job, settle_s=0).agrees


def test_what_one_put_and_did_not_count_before_it_died_is_counted(
    sides: Sides, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(sides.job, follow=True)
    sides.put("orders", id="1", name="ann")

    def another() -> None:
        with (
            People.connect(sides.job.destination) as store,
            DualWrites(sides.job, Cutover(store, ToPeople)) as dual,
            dual.writing("people", "ann"),
        ):
            sides.put(id="ann")

    with People.connect(sides.job.destination) as store:
        Cutover(store, ToPeople, refresh_s=0.02).advance("dual", by="ann")
    once(monkeypatch, units, "write", another)
    with pytest.raises(Killed):
        follow(sides.job)
    assert sides.counts() == {"ann": 0}
    follow(sides.job)
    assert sides.counts() == {"ann": 1}


def test_a_row_that_a_repair_put_as_it_was_before_it_died_is_put_again(
    sides: Sides, monkeypatch: pytest.MonkeyPatch
) -> None:
    sides.put(id="ann", email="old@x")
    run(sides.job, follow=True)
    spoil(sides.job, note="wrong")

    def another() -> None:
        sides.put(id="ann", email="new@x")
        follow(sides.job)
        assert sides.people() == {"ann": ("new@x", "ann")}

    once(monkeypatch, Mender, "_write", another)
    with pytest.raises(Killed):
        verify(sides.job, repair=True, settle_s=0)
    assert sides.people() == {"ann": ("old@x", "ann")}
    follow(sides.job)
    assert sides.people() == {"ann": ("new@x", "ann")}


def test_a_repair_counts_what_one_did_not_that_was_killed(sides: Sides) -> None:
    sides.put(id="ann")
    sides.put("orders", id="1", name="ann")
    run(sides.job, follow=True)
    spoil(sides.job, orders=7)
    with sides.job.opened() as opened:
        Underway(opened.books, sides.job.name, now).begin("")  # and then it was killed
    assert sides.counts() == {"ann": 7}
    assert verify(sides.job, repair=True, settle_s=0).agrees
    assert sides.counts() == {"ann": 1}


def test_what_is_applied_to_the_end_is_not_noted_any_more(sides: Sides) -> None:
    run(sides.job, follow=True)
    sides.put(id="ann")
    assert follow(sides.job) == 1
    assert notes(sides.job) == []


def test_what_another_is_at_is_done_by_who_does_not_stay_and_left_to_it(sides: Sides) -> None:
    run(sides.job, follow=True)
    with sides.job.opened() as opened:
        begun = opened.books.run_of(sides.job.name).one()
        other = Underway(opened.books, sides.job.name, now)
        other.begin(str(begun.position))
        sides.put(id="ann")
        assert follow(sides.job) == 1  # each change is counted once
        [note] = notes(sides.job)
        other.end()
        assert notes(sides.job) == []
        opened.books.put(note.model_copy(update={"at": now() - timedelta(seconds=PATIENCE_S + 1)}))
        assert follow(sides.job) == 0
        assert notes(sides.job) == []  # it has died


def test_who_is_at_it_for_long_says_so(sides: Sides, monkeypatch: pytest.MonkeyPatch) -> None:
    run(sides.job, follow=True)
    with sides.job.opened() as opened:
        underway = Underway(opened.books, sides.job.name, now)
        underway.begin("somewhere")
        [before] = notes(sides.job)
        underway.go_on()
        assert notes(sides.job) == [before]
        monkeypatch.setattr("singletable.migrate.underway.TELL_S", 0)
        underway.go_on()
        [after] = notes(sides.job)
    assert after.at > before.at


def test_a_repair_makes_good_what_no_change_tells_any_more(sides: Sides) -> None:
    sides.put(id="ann")
    run(sides.job, follow=True)
    with sides.job.opened() as opened:
        at = now() - timedelta(days=2)
        opened.books.put(Applying(name=sides.job.name, who="dead", position="lost", at=at))
    assert verify(sides.job, repair=True, settle_s=0).agrees
    assert notes(sides.job) == []


def test_what_is_done_again_ends_though_others_write_all_the_time(
    sides: Sides, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(sides.job, follow=True)
    with sides.job.opened() as opened:
        begun = opened.books.run_of(sides.job.name).one()
        Underway(opened.books, sides.job.name, now).begin(str(begun.position))
    sides.put(id="ann")
    follow(sides.job)
    assert len(notes(sides.job)) == 1
    lag = "singletable.migrate.sources.dynamodb.database.lag_of"
    monkeypatch.setattr(lag, lambda _: 3600)  # so nothing is ever known to be all
    monkeypatch.setattr("singletable.migrate.underway.PATIENCE_S", 0)
    follow_live(sides.job)
    assert notes(sides.job) == []


def test_a_row_that_changed_all_the_while_stays_noted(
    sides: Sides, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(sides.job, follow=True)
    sides.put(id="ann")
    monkeypatch.setattr(Applier, "_outdated", lambda *given: iter(given[2]))
    follow(sides.job, stop=iter([False, True]).__next__)
    assert len(notes(sides.job)) == 1


@pytest.mark.parametrize("work", [follow, partial(verify, repair=True, settle_s=0)])
def test_nothing_is_put_while_another_holds_the_writes(
    sides: Sides, monkeypatch: pytest.MonkeyPatch, work: Callable[[Job], Any]
) -> None:
    sides.put(id="ann", email="old@x")
    run(sides.job, follow=True)
    if work is follow:
        sides.put(id="ann", email="new@x")
    else:
        spoil(sides.job, note="wrong")
    before = sides.people()
    with ThreadPoolExecutor(1) as thread, People.connect(sides.job.destination) as store:
        with Cutover(store, ToPeople, refresh_s=0.02).paused(by="ann", max_s=60, settle_s=0.1):
            monkeypatch.setattr("singletable.migrate.phases.flags.PAUSED_HERE", set())  # elsewhere
            working = thread.submit(work, sides.job)
            time.sleep(1)
            assert sides.people() == before
            monkeypatch.undo()
        working.result(timeout=60)
    assert sides.people() != before
    assert verify(sides.job, settle_s=0).agrees


def test_an_index_that_lags_spoils_no_count(sides: Sides, monkeypatch: pytest.MonkeyPatch) -> None:
    sides.put("shops", id="s")
    sides.put("orders", id="1", name="nobody", shop="s")
    run(sides.job)
    whole, late = counting.counted, iter([{"orders": 0}])
    monkeypatch.setattr(counting, "counted", lambda *given: next(late, None) or whole(*given))
    monkeypatch.setattr(counting, "lag_of", lambda _: 0.01)
    with People.connect(sides.job.destination) as store:
        assert recount(store, Shop.__schema__, {"shop": "s"})
        assert next(late, None) is None
        assert store.bind(Shop.get(shop="s")).one().orders == 1


@pytest.mark.parametrize("every", [25, pytest.param(3, marks=pytest.mark.slow)])
def test_both_sides_agree_whenever_one_is_outrun_and_killed(
    sides: Sides, tmp_path: Path, every: int
) -> None:
    sides.put(id="ann")
    run(sides.job, follow=True)
    with People.connect(sides.job.destination) as store:
        Cutover(store, ToPeople, refresh_s=0.02).advance("dual", by="ann")
    done = subprocess.run(
        [sys.executable, "-m", "tests.migrate.following_kills", str(tmp_path), str(every)],
        capture_output=True, text=True, check=False, timeout=1800,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 500 // every
