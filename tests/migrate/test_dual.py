"""Writes to both sides: journalled, acknowledged by a stated policy, settled whatever fails."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import Any

import pytest

from apps.campaigns.design import Campaign, Campaigns, Session
from singletable import UsageError
from singletable.backends.embedded import EmbeddedBackend
from singletable.errors import Contended, Unreachable
from singletable.migrate import Cutover, DualWrites, Job, verify
from singletable.migrate.dual import MissedPause, NewSideLags, NotJournalled
from singletable.migrate.phases import PhaseUnknown, WritesPaused
from singletable.migrate.phases.watching import Watch
from singletable.migrate.placing import place
from singletable.migrate.sources.sql import SqlSource
from singletable.migrate.units import Placer
from tests.databases import sqlite_database

from .conftest import LATER, WHEN, Old
from .test_running import run

RENAME = "UPDATE sessions SET name = ? WHERE id = ?"


@pytest.fixture
def store(old: Old, job: Job) -> Iterator[Campaigns]:
    old.fill(users=3, sessions=6)
    run(job)
    with Campaigns.connect(job.destination) as store:
        yield store


@pytest.fixture
def cutover(store: Campaigns, job: Job) -> Cutover:
    made = Cutover(store, job.name, refresh_s=0.02)
    made.advance("dual", by="ann")
    return made


@pytest.fixture
def dual(cutover: Cutover, job: Job) -> Iterator[DualWrites]:
    with DualWrites(job, cutover) as dual:
        yield dual


def name_of(store: Campaigns, session: str = "s1", campaign: str = "c1", user: str = "u1") -> str:
    key = Session.get(user_id=user, campaign_id=campaign, session_id=session)
    return store.bind(key).one().name


def sides_agree(job: Job, old: Old) -> bool:
    """Tell whether both sides have the same, counts too, which verify leaves to others."""
    count = "SELECT campaign_id, count(*) FROM sessions GROUP BY campaign_id"
    with sqlite_database(old.path) as database:
        counted = dict(database.execute(count))
    with Campaigns.connect(job.destination) as store:
        for one in store.bind(Campaign.scan()):
            assert one.session_count == counted.get(one.campaign_id, 0)
    return verify(job, settle_s=0).agrees


class Cut:
    """Cuts the new side off, from when its block ends."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.is_off = False
        whole = EmbeddedBackend.call

        def call(backend: Any, operation: str, request: dict[str, Any]) -> dict[str, Any]:
            if self.is_off:
                raise Unreachable("The network is down", perhaps_done=False)
            return whole(backend, operation, request)

        monkeypatch.setattr(EmbeddedBackend, "call", call)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        self.is_off = True


@pytest.fixture
def cut(monkeypatch: pytest.MonkeyPatch) -> Cut:
    return Cut(monkeypatch)


def test_what_the_block_writes_is_on_both_sides(
    dual: DualWrites, store: Campaigns, old: Old, job: Job
) -> None:
    with dual.writing("sessions", "s1") as where:
        assert where.phase == "dual"
        old.execute(RENAME, "Renamed", "s1")
    assert name_of(store) == "Renamed"
    with dual.writing("sessions", "s2"):
        old.execute("DELETE FROM sessions WHERE id = 's2'")
        old.execute("DELETE FROM summaries WHERE session_id = 's2'")
    with dual.writing("sessions", "s3"):  # its items have other keys then
        old.execute("UPDATE sessions SET campaign_id = 'c1', user_id = 'u1' WHERE id = 's3'")
    with dual.writing_rows(("sessions", "new"), ("campaigns", "c9")):
        old.execute("INSERT INTO campaigns VALUES ('c9', 'u1', 'C', NULL, ?, ?)", WHEN, LATER)
        values = "('new', 'c9', 'u1', 'New', NULL, NULL, 'UPLOADED', ?, ?)"
        old.execute(f"INSERT INTO sessions VALUES {values}", WHEN, LATER)
    assert sides_agree(job, old)
    assert dual.journal() == []


def test_a_row_that_the_design_refuses_is_among_the_rejects_until_it_is_mended(
    dual: DualWrites, old: Old, job: Job
) -> None:
    with dual.writing("sessions", "s1"):
        old.execute("UPDATE sessions SET status = 'LOST' WHERE id = 's1'")
    assert verify(job, settle_s=0).rejected == {"sessions": 1}
    with dual.writing("sessions", "s1"):
        old.execute("UPDATE sessions SET status = 'FAILED' WHERE id = 's1'")
    assert verify(job, settle_s=0).rejected == {}
    assert sides_agree(job, old)


def test_the_old_side_alone_is_written_before_and_the_new_one_after(
    store: Campaigns, old: Old, job: Job
) -> None:
    cutover = Cutover(store, job.name, refresh_s=0.02)
    with DualWrites(job, cutover) as dual:
        with dual.writing("sessions", "s1") as where:
            assert not where.writes_new
            old.execute(RENAME, "Renamed", "s1")
        assert name_of(store) == "Session 1"
        cutover.advance("done", by="ann", force=True)
        with dual.writing("sessions", "s1") as where:
            assert not where.writes_old
        assert name_of(store) == "Session 1"
        with pytest.raises(UsageError, match="the new side is right"):
            dual.settle()


def test_writes_wait_while_they_are_paused(dual: DualWrites, store: Campaigns, job: Job) -> None:
    operator = Cutover(store, job.name)
    with (
        operator.paused(by="ann", max_s=5, settle_s=0),
        pytest.raises(WritesPaused),
        dual.writing("sessions", "s1", at_most_s=0.01),
    ):
        raise AssertionError


def fail_halfway(old: Old) -> None:
    old.execute(RENAME, "Renamed", "s1")
    old.execute("a fault")


def test_a_block_that_fails_halfway_leaves_both_sides_alike(
    dual: DualWrites, old: Old, job: Job
) -> None:
    with pytest.raises(sqlite3.OperationalError), dual.writing("sessions", "s1"):
        fail_halfway(old)
    assert sides_agree(job, old)
    assert dual.journal() == []


def test_without_a_journal_nothing_is_written(
    dual: DualWrites, cutover: Cutover, cut: Cut, old: Old
) -> None:
    dual.journal()  # opens all that it needs
    cutover.look()
    cut.is_off = True
    with (
        pytest.raises(NotJournalled, match="not written, on neither side"),
        dual.writing("sessions", "s1"),
    ):
        raise AssertionError


def test_the_new_side_may_lag_and_is_settled(
    dual: DualWrites, store: Campaigns, cut: Cut, old: Old, job: Job
) -> None:
    with dual.writing("sessions", "s1"), cut:
        old.execute(RENAME, "Renamed", "s1")
    cut.is_off = False
    assert name_of(store) == "Session 1"
    assert [one.row_id for one in dual.journal()] == ['["s1"]']
    assert dual.settle() == 1  # a writer may be at it
    assert dual.settle(older_s=0) == 0
    assert sides_agree(job, old)


def test_who_wants_both_is_told_that_the_old_side_has_it(
    cutover: Cutover, cut: Cut, old: Old, job: Job
) -> None:
    with DualWrites(job, cutover, policy="both") as dual:
        with (
            pytest.raises(NewSideLags, match="do not write it again"),
            dual.writing("sessions", "s1"),
            cut,
        ):
            old.execute(RENAME, "Renamed", "s1")
        cut.is_off = False
        assert dual.settle(older_s=0) == 0
        with pytest.raises(NewSideLags, match="among the rejects"), dual.writing("sessions", "s2"):
            old.execute("UPDATE sessions SET status = 'LOST' WHERE id = 's2'")


def test_a_write_that_outlasts_the_pause_is_told(dual: DualWrites, cutover: Cutover) -> None:
    with (
        pytest.raises(MissedPause, match="only the old side has it"),
        dual.writing("sessions", "s1"),
    ):
        cutover.advance("done", by="ann", force=True)
    assert [one.row_id for one in dual.journal()] == ['["s1"]']


def test_where_the_phase_is_not_known_the_write_is_left_to_the_journal(
    dual: DualWrites, store: Campaigns, old: Old, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may be done by now, and others may have written the new side since."""
    with dual.writing("sessions", "s1"):
        old.execute(RENAME, "Renamed", "s1")
        Cutover(store, job.name).advance("done", by="ann", force=True)
        monkeypatch.setattr(Watch, "look", unreachable)
        time.sleep(0.05)
    assert name_of(store) == "Session 1"
    assert [one.row_id for one in dual.journal()] == ['["s1"]']
    with pytest.raises(PhaseUnknown):
        dual.settle(older_s=0)


def unreachable(_: Watch) -> Any:
    raise Unreachable("The network is down")


def test_an_entry_that_cannot_be_settled_is_named_and_keeps_no_other_from_it(
    dual: DualWrites, store: Campaigns, old: Old, job: Job, caplog: pytest.LogCaptureFixture
) -> None:
    with dual._desk() as desk:
        for kind, row in (("dropped", "x"), *(("sessions", f"s{n}") for n in range(6))):
            desk.journal.open(kind, (row,), "died")
    old.execute(RENAME, "Renamed", "s1")
    assert dual.settle(older_s=0) == 1
    assert name_of(store) == "Renamed"
    assert [one.kind for one in dual.journal()] == ["dropped"]
    assert 'dropped ["x"] of the journal cannot be settled' in caplog.text


def test_rows_that_come_along_are_written_as_those_of_the_row_they_belong_to(
    dual: DualWrites,
) -> None:
    with (
        pytest.raises(UsageError, match="name the row of sessions"),
        dual.writing("summaries", "m1-GM"),
    ):
        raise AssertionError


def test_in_asyncio(dual: DualWrites, store: Campaigns, old: Old) -> None:
    async def write() -> None:
        async with dual.awriting("sessions", "s1") as where:
            assert where.writes_new
            old.execute(RENAME, "Renamed", "s1")

    asyncio.run(write())
    assert name_of(store) == "Renamed"
    assert dual.journal() == []


def test_a_stale_state_does_not_stay(
    dual: DualWrites, store: Campaigns, old: Old, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One reads the row; before it puts that in place, another writes the row and puts it."""
    whole, outrun = Placer.put, list[bool]()

    def late(self: Placer, *given: Any) -> Any:
        if not outrun:
            outrun.append(True)
            with (
                DualWrites(job, Cutover(store, job.name)) as other,
                other.writing("sessions", "s1"),
            ):
                sql = "UPDATE sessions SET campaign_id = 'c2', user_id = 'u2' WHERE id = 's1'"
                old.execute(sql)
        return whole(self, *given)

    monkeypatch.setattr(Placer, "put", late)
    with dual.writing("sessions", "s1"):
        old.execute(RENAME, "Renamed", "s1")
    assert outrun
    assert name_of(store, "s1", "c2", "u2") == "Renamed"
    assert sides_agree(job, old)
    assert dual.journal() == []


@pytest.mark.parametrize("last", [0, 1])  # to another place, and to where it was
def test_one_who_writes_last_takes_away_what_another_left(
    dual: DualWrites, store: Campaigns, old: Old, job: Job, last: int
) -> None:
    """It began before the row went to where it takes it from."""
    move = "UPDATE sessions SET campaign_id = ?, user_id = ? WHERE id = 's1'"
    with dual.writing("sessions", "s1"):
        with DualWrites(job, Cutover(store, job.name)) as other, other.writing("sessions", "s1"):
            old.execute(move, "c2", "u2")
        old.execute(move, f"c{last}", f"u{last}")
    assert sides_agree(job, old)
    assert dual.journal() == []


def test_many_write_the_same_rows_at_once(dual: DualWrites, old: Old, job: Job) -> None:
    def write(writer: int) -> None:
        for turn in range(6):
            row, user = f"s{turn % 2}", (writer + turn) % 3
            with dual.writing("sessions", row):
                sql = "UPDATE sessions SET name = ?, campaign_id = ?, user_id = ? WHERE id = ?"
                old.execute(sql, f"{writer}-{turn}", f"c{user}", f"u{user}", row)

    with ThreadPoolExecutor(4) as writers:
        list(writers.map(write, range(4)))
    assert sides_agree(job, old)
    assert dual.journal() == []


def test_a_row_that_others_write_without_a_rest_is_left_in_the_journal(
    old: Old, store: Campaigns, dual: DualWrites, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, written = SqlSource.fetch, count()

    def fetch(source: SqlSource, *given: Any) -> Any:
        found = whole(source, *given)
        number = next(written)
        assert number < 1000
        old.execute(RENAME, str(number), "s1")
        return found

    with monkeypatch.context() as busy:
        busy.setattr(SqlSource, "fetch", fetch)
        with dual.writing("sessions", "s1"):
            old.execute(RENAME, "mine", "s1")
    assert [one.row_id for one in dual.journal()] == ['["s1"]']
    assert dual.settle(older_s=0) == 0
    assert name_of(store) == str(next(written) - 1)


def test_what_goes_while_it_is_put_counts_what_it_has_all_the_same(
    old: Old, store: Campaigns, dual: DualWrites, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where another process takes a row away whose unique value was taken, and puts it again."""

    def racing(context: Any, entity: Any, counts: Any) -> Any:
        store.delete(Campaign.key(user_id="u1", campaign_id="c1"), orphans=True)
        return (yield from place(context, entity, counts))

    monkeypatch.setattr("singletable.migrate.units.place", racing)
    with dual.writing("campaigns", "c1"):
        old.execute("UPDATE campaigns SET name = 'Mine' WHERE id = 'c1'")
    assert store.campaign("u1", "c1").one().session_count == 2


def killed(*_: Any) -> None:
    raise RuntimeError("It died here")


def test_what_a_writer_did_not_count_before_it_died_is_counted_when_it_is_settled(
    old: Old, store: Campaigns, dual: DualWrites, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    def racing(context: Any, entity: Any, counts: Any) -> Any:
        if isinstance(entity, Campaign):  # a session comes before what counts it is there
            with (
                DualWrites(job, Cutover(store, job.name)) as other,
                other.writing("sessions", "new"),
            ):
                values = "('new', 'c9', 'u1', 'New', NULL, NULL, 'UPLOADED', ?, ?)"
                old.execute(f"INSERT INTO sessions VALUES {values}", WHEN, LATER)
        return (yield from place(context, entity, counts))

    with monkeypatch.context() as dying:
        dying.setattr("singletable.migrate.units.place", racing)
        dying.setattr("singletable.migrate.units.recount", killed)
        with dual.writing("campaigns", "c9"):
            old.execute("INSERT INTO campaigns VALUES ('c9', 'u1', 'C', NULL, ?, ?)", WHEN, LATER)
    assert store.campaign("u1", "c9").one().session_count == 0
    assert dual.settle(older_s=0) == 0
    assert sides_agree(job, old)


def test_a_row_that_waits_for_a_value_has_it_when_who_gave_it_up_died_and_is_settled(
    old: Old, dual: DualWrites, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    take = "UPDATE users SET email = ? WHERE id = ?"
    with dual.writing("users", "u1"):
        old.execute(take, "u2@example.com", "u1")
    assert verify(job, settle_s=0).rejected == {"users": 1}
    with monkeypatch.context() as dying:
        dying.setattr(Placer, "_free", killed)
        with dual.writing("users", "u2"):
            old.execute(take, "another@example.com", "u2")
    assert dual.settle(older_s=0) == 0
    assert dual.journal() == []
    assert verify(job, settle_s=0).rejected == {}
    assert sides_agree(job, old)


def test_a_row_that_lost_every_race_is_not_refused_and_left_to_the_journal(
    old: Old, dual: DualWrites, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    def losing(*_: Any) -> None:
        raise Contended("others wrote meanwhile")

    with monkeypatch.context() as busy:
        busy.setattr("singletable.migrate.units.place", losing)
        with dual.writing("sessions", "s1"):
            old.execute(RENAME, "Renamed", "s1")
    assert [one.row_id for one in dual.journal()] == ['["s1"]']
    assert verify(job, settle_s=0).rejected == {}
    assert dual.settle(older_s=0) == 0
    assert sides_agree(job, old)
