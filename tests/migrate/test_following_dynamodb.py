"""Changes of DynamoDB tables arrive, though indexes lag, streams forget and folders differ."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from singletable import Entity, Store, Table
from singletable.backends import Backend
from singletable.backends.address import connect
from singletable.errors import Unreachable
from singletable.migrate import Cutover, Job, Migration, Row, follow, rows, switch, verify
from singletable.migrate.applying import Applier
from singletable.migrate.copying import together
from singletable.migrate.pacing import Pace
from singletable.migrate.phases import PhaseUnknown
from singletable.migrate.sources.dynamodb import DynamoSource, tables
from singletable.migrate.sources.dynamodb.following import Follower
from singletable.migrate.sources.errors import ChangesLost

from .sources.dynamodb.support import create, put
from .test_pacing import Clock
from .test_reverting import run

table = Table("desk")


class Customer(Entity, table=table, pk="CUSTOMER#{name}", sk="CUSTOMER"):
    name: str
    notes: list[str]


class Desk(Store, table=table):
    """The front desk."""


class OneDesk(Migration[Desk]):
    """Customers with their notes, which an index finds."""

    @rows("customers", related={"notes": "customer"})
    def customers(self, row: Row) -> Iterator[Entity]:
        notes = [note["text"] for note in row.related["notes"]]
        yield Customer(name=row.get("alias") or row["id"], notes=notes)


@pytest.fixture
def old(tmp_path: Path) -> Iterator[Backend]:
    with closing(connect(str(tmp_path / "old.db"))) as old:
        create(old, "customers", "id")
        create(old, "notes", "id", indexes={"by-customer": "customer"})
        for name in ("ann", "bob"):
            put(old, "customers", id=name)
        yield old


@pytest.fixture
def job(old: Backend, tmp_path: Path) -> Job:
    made = Job(
        migration=OneDesk,
        source=f"dynamodb:{tmp_path / 'old.db'}?tables=customers,notes",
        destination=str(tmp_path / "new.db"),
        folder=tmp_path / "work",
    )
    run(made, follow=True)
    return made


def notes_of(job: Job, name: str) -> list[str] | None:
    with Desk.connect(job.destination) as store:
        found = store.bind(Customer.get(name=name)).first()
        return found.notes if found else None


def lagging(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have indexes that find nothing as yet."""
    whole = tables._pages

    def pages(context: Any, request: dict[str, Any]) -> Any:
        found = yield from whole(context, request)
        return [] if "IndexName" in request else found

    monkeypatch.setattr(tables, "_pages", pages)


def test_a_row_arrives_that_an_index_does_not_find_yet(
    old: Backend, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(old, "notes", id="2", customer="ann", text="called")
    put(old, "notes", id="1", customer="ann", text="wrote")
    with monkeypatch.context() as late:
        lagging(late)
        assert follow(job) == 2
        assert notes_of(job, "ann") == ["wrote", "called"], "in the order of their own keys"
    assert verify(job, settle_s=0, patience_s=0).agrees


def test_a_row_that_moves_to_another_leaves_the_one_that_it_came_along_with(
    old: Backend, job: Job
) -> None:
    put(old, "notes", id="1", customer="ann", text="wrote")
    follow(job)
    put(old, "notes", id="1", customer="bob", text="wrote")
    put(old, "notes", id="2", text="belongs to nobody")
    follow(job)
    assert (notes_of(job, "ann"), notes_of(job, "bob")) == ([], ["wrote"])


def test_who_goes_on_after_a_stop_hears_of_it_again_as_long_as_an_index_may_lack_it(
    old: Backend, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("singletable.migrate.sources.dynamodb.database.lag_of", lambda _: 0.3)
    monkeypatch.setattr("singletable.migrate.following.POLL_S", 0.01)
    lagging(monkeypatch)
    put(old, "notes", id="1", customer="ann", text="wrote")
    follow(job, stop=iter([False, True]).__next__)
    put(old, "customers", id="ann", phone="1")
    assert follow(job) == 2
    assert notes_of(job, "ann") == ["wrote"]


def test_many_rows_reach_the_disk_at_once(
    old: Backend, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocks: list[Backend] = []

    def counted(backend: Backend) -> AbstractContextManager[None]:
        blocks.append(backend)
        return together(backend)

    monkeypatch.setattr("singletable.migrate.applying.together", counted)
    monkeypatch.setattr("singletable.migrate.applying.HELD_S", 60)
    for number in range(30):
        put(old, "customers", id=f"new-{number}")
    assert follow(job) == 30
    assert len(blocks) == 1
    assert verify(job, settle_s=0, patience_s=0).agrees


def test_no_more_is_consumed_than_may_be(
    old: Backend, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []
    monkeypatch.setattr("singletable.migrate.running.Pace", partial(Pace, sleep=slept.append))
    monkeypatch.setattr("singletable.migrate.applying.HELD_S", 0)
    for number in range(5):
        put(old, "customers", id=f"new-{number}")
    follow(replace(job, units_per_s=0.1))
    assert max(slept) > 5, "a unit takes ten seconds"


def test_an_item_that_another_row_makes_is_not_taken_in_another_folder_either(
    old: Backend, job: Job, tmp_path: Path
) -> None:
    put(old, "customers", id="eve", alias="ann")
    put(old, "notes", id="1", customer="eve", text="not hers")
    elsewhere = replace(job, folder=tmp_path / "elsewhere")
    follow(elsewhere)
    assert notes_of(job, "ann") == []
    assert "customers/ann makes an item" in elsewhere.rejects.read_text("utf-8")
    with job.opened() as sides:
        known = sides.books.run_of(job.name).one().owners
    follow(job)
    with job.opened() as sides:
        assert sides.books.run_of(job.name).one().owners != known, "this folder knows it again"


def a_day_later(job: Job) -> None:
    """Make what was followed last a day ago."""
    ago = (datetime.now(UTC) - timedelta(hours=25)).isoformat()
    with job.opened() as sides:
        begun = sides.books.run_of(job.name).one()
        position = json.dumps({**json.loads(str(begun.position)), "read": ago})
        sides.books.update(begun, position=position, applied=None)


def test_lost_changes_are_made_good_by_a_repair_and_followed_from_there_on(
    old: Backend, job: Job
) -> None:
    with Desk.connect(job.destination) as store:
        Cutover(store, OneDesk, refresh_s=0.02).advance("new-100", by="ann", force=True)
    put(old, "notes", id="1", customer="ann", text="nobody heard")
    a_day_later(job)
    with pytest.raises(ChangesLost, match=r"24 hours ago.*migrate verify … --repair"):
        switch(job, "done", by="ann", settle_s=0)
    assert not verify(job, settle_s=0).agrees
    with pytest.raises(ChangesLost):
        follow(job)
    repaired = verify(job, repair=True, settle_s=0)
    assert (repaired.agrees, repaired.followed_anew) == (True, True)
    put(old, "notes", id="2", customer="ann", text="heard")
    assert switch(job, "done", by="ann", settle_s=0).flags.phase == "done"
    assert notes_of(job, "ann") == ["nobody heard", "heard"]


def test_a_row_that_only_the_repair_heard_of_keeps_its_item(old: Backend, job: Job) -> None:
    put(old, "customers", id="eve")
    a_day_later(job)
    assert verify(job, repair=True, settle_s=0).followed_anew
    put(old, "customers", id="zed", alias="eve")
    follow(job)
    assert "customers/eve makes an item" in job.rejects.read_text("utf-8")


def test_a_repair_that_leaves_something_does_not_go_on_as_if_nothing_was_lost(
    old: Backend, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_day_later(job)
    put(old, "notes", id="1", customer="ann", text="nobody heard")
    monkeypatch.setattr("singletable.migrate.verifying.mending.Mender.mend", lambda *_: None)
    assert not verify(job, repair=True, settle_s=0).followed_anew
    with pytest.raises(ChangesLost):
        follow(job)


def test_nothing_is_applied_while_the_phase_cannot_be_known(
    old: Backend, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was read once, and is older than it may be: by now the new side may be the right one."""
    put(old, "customers", id="new")
    whole, looks = Cutover.look_to_write, iter([True])

    def unknown(self: Cutover) -> Any:
        if next(looks, False):
            return whole(self)
        message = "no phase"
        raise PhaseUnknown(message) from Unreachable(message)

    monkeypatch.setattr(Cutover, "look_to_write", unknown)
    with pytest.raises(PhaseUnknown):
        follow(job)
    looks = iter([True])
    turns = iter([False, False, True])
    assert follow(job, live=True, stop=turns.__next__) == 0, "it waits until it is known"
    monkeypatch.undo()
    assert notes_of(job, "new") is None
    assert follow(job) == 1


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The time by which nothing is told, which passes while who follows sleeps."""
    clock = Clock()
    passing = SimpleNamespace(monotonic=clock, sleep=clock.sleep)
    monkeypatch.setattr("singletable.migrate.following.time", passing)
    monkeypatch.setattr("singletable.migrate.following.POLL_S", 0.01)
    return clock


def test_an_end_is_believed_when_nothing_is_told_for_as_long_as_it_may_take(
    old: Backend, job: Job, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """AWS tells of a write some moments later, and gives reads without records before."""
    from singletable.streams.shards import ShardReader

    put(old, "customers", id="new")
    whole, empty = ShardReader.read, iter([True] * 9)

    def late(self: ShardReader, limit: int = 1000) -> Any:
        return [] if next(empty, False) else whole(self, limit)

    monkeypatch.setattr(ShardReader, "read", late)
    monkeypatch.setattr("singletable.migrate.sources.dynamodb.database.lag_of", lambda _: 0.5)
    assert follow(job) == 1
    assert notes_of(job, "new") == []


def test_no_end_is_believed_because_a_read_took_long(
    old: Backend, job: Job, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(old, "customers", id="new")
    whole, is_first = DynamoSource.changes, iter([True])

    def held_up(self: DynamoSource, position: str, limit: int) -> Any:
        if next(is_first, False):
            clock.sleep(60)
            return [], position
        return whole(self, position, limit)

    monkeypatch.setattr(DynamoSource, "changes", held_up)
    monkeypatch.setattr("singletable.migrate.sources.dynamodb.database.lag_of", lambda _: 0.5)
    assert follow(job) == 1


def test_what_is_not_told_while_others_are_applied_may_still_come(
    old: Backend, job: Job, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    from singletable.streams.shards import ShardReader

    put(old, "customers", id="new")
    whole, apply, empty = ShardReader.read, Applier.apply, iter([False])

    def slow(self: Applier, changes: Any, **how: Any) -> None:
        nonlocal empty
        apply(self, changes, **how)
        if [change.id for change in changes] == [("new",)]:
            put(old, "customers", id="late")
            empty = iter([True] * 40)
            clock.sleep(0.4)

    def late(self: ShardReader, limit: int = 1000) -> Any:
        return [] if next(empty, False) else whole(self, limit)

    monkeypatch.setattr(Applier, "apply", slow)
    monkeypatch.setattr(ShardReader, "read", late)
    monkeypatch.setattr("singletable.migrate.sources.dynamodb.database.lag_of", lambda _: 0.3)
    assert follow(job) == 2


def test_what_is_left_is_not_counted_after_each_short_page(
    old: Backend, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page has at most 1 MB: with long items, as few as two; to count reads all that is left."""
    for number in range(5):
        put(old, "customers", id=f"new-{number}")
    read, backlog, counted = Follower.read, DynamoSource.backlog, list[str]()

    def paged(self: Follower, text: str, limit: int) -> Any:
        return read(self, text, min(limit, 1))

    def counting(self: DynamoSource, position: str) -> int:
        counted.append(position)
        return backlog(self, position)

    monkeypatch.setattr(Follower, "read", paged)
    monkeypatch.setattr(DynamoSource, "backlog", counting)
    assert follow(job) == 5
    assert len(counted) == 1
    monkeypatch.setattr("singletable.migrate.following.SHOWN_PART", 1e-6)
    for number in range(5):
        put(old, "customers", id=f"more-{number}")
    shown = list[int]()
    assert follow(job, show=shown.append) == 5
    assert shown == [4, 0], "when it begins, and when it ends"
