"""What was written to the new side alone is written back, and the old side serves again."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from apps.campaigns import design
from apps.campaigns.design import Campaign, Campaigns, Session, Summary, Transcript, User
from apps.campaigns.migration import LeavePostgres
from singletable import DesignError, Large, UsageError
from singletable.migrate import (
    Cutover,
    DualWrites,
    Job,
    follow,
    revert,
    run_migration,
    verify,
    write_back,
)
from singletable.migrate.bookkeeping import Books
from singletable.migrate.migration import Both, Migration, back
from singletable.migrate.phases import Pause, PauseExceeded, PhaseChanged
from singletable.migrate.phases.way_back import note_way_back
from singletable.migrate.reverting import NotWritable
from singletable.migrate.reverting.roots import living
from singletable.migrate.reverting.writing_back import Returner
from singletable.migrate.sources.errors import ChangesLost
from tests.databases import sqlite_database

INLINE = ThreadPoolExecutor(1)
SCHEMA = Path(design.__file__).with_name("schema.sql")
WHEN = ("2026-01-01 00:00:00+00:00", "2026-02-01 00:00:00+00:00")


class Old:
    """The database that is left: three users with a campaign each, six sessions."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with sqlite_database(path) as database:
            database.executescript(SCHEMA.read_text("utf-8"))
        values: tuple[str, ...]
        for n in range(3):
            values = (f"u{n}", f"u{n}@example.com", f"User {n}", "secret", *WHEN)
            self.execute("INSERT INTO users VALUES (?, ?, ?, ?, ?, ?)", *values)
            values = (f"c{n}", f"u{n}", f"Campaign {n}", *WHEN)
            self.execute("INSERT INTO campaigns VALUES (?, ?, ?, NULL, ?, ?)", *values)
        for n in range(6):
            values = (f"s{n}", f"c{n % 3}", f"u{n % 3}", f"Session {n}", *WHEN)
            self.execute(f"INSERT INTO sessions VALUES (?, ?, ?, ?, {SESSION}, ?, ?)", *values)
            values = (f"s{n}", f"Once upon a time {n}", *WHEN)
            self.execute("INSERT INTO transcripts VALUES (?, NULL, ?, ?, ?)", *values)
            for audience in ("GM", "PLAYER"):
                values = (f"s{n}", audience, f"Recap {n}", *WHEN)
                self.execute("INSERT INTO summaries VALUES (?, ?, ?, ?, ?)", *values)

    def execute(self, sql: str, *values: Any) -> None:
        with sqlite_database(self.path) as database:
            database.execute(sql, values)


SESSION = "NULL, 'COMPLETED', NULL, NULL, NULL"


@pytest.fixture
def old(tmp_path: Path) -> Old:
    return Old(tmp_path / "old.db")


@pytest.fixture
def job(old: Old, tmp_path: Path) -> Job:
    made = Job(
        migration=LeavePostgres,
        source=f"sqlite:///{old.path}",
        destination=str(tmp_path / "new.db"),
        folder=tmp_path / "work",
    )
    assert run(made).rejected == 0
    return made


@pytest.fixture
def store(job: Job) -> Iterator[Campaigns]:
    with Campaigns.connect(job.destination) as store:
        yield store


@pytest.fixture
def cutover(store: Campaigns, job: Job) -> Cutover:
    made = Cutover(store, job.migration, refresh_s=0.02)
    made.advance("new-100", by="ann", force=True)
    return made


@pytest.fixture
def done(cutover: Cutover) -> Cutover:
    with cutover.paused(by="ann", max_s=5, settle_s=0) as pause:
        pause.advance("done", by="ann")
    return cutover


def run(job: Job, **options: Any) -> Any:
    """Copy in this process, which is quicker to begin."""
    return run_migration(job, executor=INLINE, **options)


def going_back(job: Job, **options: Any) -> Any:
    return revert(job, by="bob", settle_s=0, **options)


def table(old: Old, sql: str) -> list[Any]:
    with sqlite_database(old.path) as database:
        return list(database.execute(sql))


def write_all(store: Campaigns) -> None:
    """Write whatever an application writes."""
    store.create(User(user_id="u9", email="u9@example.com", name="Nine"))
    store.create(Campaign(user_id="u9", campaign_id="c9", name="Ninth", description="Long"))
    ids: dict[str, Any] = {"user_id": "u9", "campaign_id": "c9", "session_id": "s9"}
    store.create(Session(**ids, name="New"))
    store.put(Transcript(**ids, text=Large("Once " * 200_000)))
    store.put(Summary(**ids, audience="GM", content="They met"))
    view = store.session("u1", "c1", "s1").one()
    store.update(view.session, name="Renamed")
    store.put(Summary(user_id="u1", campaign_id="c1", session_id="s1", audience="GM", content="!"))
    gone = store.session("u2", "c2", "s2").one()
    for one in (gone.transcript, *gone.summaries, gone.session):
        assert one is not None
        store.delete(one)
    view = store.session("u0", "c0", "s0").one()
    assert view.transcript is not None
    store.delete(view.transcript)
    store.delete(view.summaries[0])


def test_what_was_written_since_is_on_the_old_side(
    done: Cutover, store: Campaigns, old: Old, job: Job
) -> None:
    write_all(store)
    made = going_back(job)
    assert made.is_reverted
    assert made.verification.agrees
    assert 0 < made.paused_s < 30
    assert done.phase == "new-100"
    assert [move.after for move in done.history()] == ["new-100", "done", "new-100"]
    assert table(old, "SELECT name, email FROM users WHERE id = 'u9'") == [
        ("Nine", "u9@example.com")
    ]
    [(text,)] = table(old, "SELECT text FROM transcripts WHERE session_id = 's9'")
    assert text == "Once " * 200_000
    assert table(old, "SELECT id FROM sessions WHERE id = 's2'") == []
    assert table(old, "SELECT type FROM summaries WHERE session_id = 's2'") == []
    assert table(old, "SELECT text FROM transcripts WHERE session_id = 's0'") == []
    summaries = "SELECT type, content FROM summaries WHERE session_id = 's1' ORDER BY type"
    assert table(old, summaries) == [("GM", "!"), ("PLAYER", "Recap 1")]
    assert table(old, "SELECT password FROM users WHERE id = 'u1'") == [("secret",)]
    assert verify(job, settle_s=0).agrees


def test_an_entity_that_is_written_without_a_rest_keeps_nobody_waiting_for_ever(
    done: Cutover, store: Campaigns, old: Old, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert done.phase == "done"
    written = count()

    def changing(*given: Any) -> Any:
        found = list(living(*given))
        number = next(written)
        assert number < 100
        store.update(User.key(user_id="u1"), name=str(number))
        return found

    store.update(User.key(user_id="u1"), name="New")
    turns = iter([False, False, True])
    with monkeypatch.context() as busy:
        busy.setattr("singletable.migrate.reverting.writing_back.living", changing)
        write_back(job, stop=turns.__next__)
    write_back(job)
    assert table(old, "SELECT name FROM users WHERE id = 'u1'") == [(str(next(written) - 1),)]


def test_the_old_side_is_the_right_one_then(done: Cutover, old: Old, job: Job) -> None:
    going_back(job)
    with DualWrites(job, done) as dual, dual.writing("sessions", "s1") as where:
        assert where.writes_old
        old.execute("UPDATE sessions SET name = 'Old again' WHERE id = 's1'")
    assert verify(job, settle_s=0).agrees


def test_there_and_back_and_there_again(
    done: Cutover, store: Campaigns, old: Old, job: Job
) -> None:
    store.update(Campaign.key(user_id="u1", campaign_id="c1"), name="First")
    assert going_back(job, to="old").is_reverted
    assert done.look().phase == "old"
    assert going_back(job, to="old").rows == 1  # as if it had been killed after the switch
    done.advance("new-100", by="ann", force=True)
    with done.paused(by="ann", max_s=5, settle_s=0) as pause:
        pause.advance("done", by="ann")
    store.update(Campaign.key(user_id="u1", campaign_id="c1"), name="Second")
    assert going_back(job).rows == 1
    assert table(old, "SELECT name FROM campaigns WHERE id = 'c1'") == [("Second",)]


def test_a_row_whose_entity_got_another_key_stays(
    done: Cutover, store: Campaigns, old: Old, job: Job
) -> None:
    view = store.session("u1", "c1", "s1").one()
    parts = [one for one in (view.session, view.transcript, *view.summaries) if one is not None]
    for one in parts:
        large = one.text if isinstance(one, Transcript) else None
        content = {"text": Large(store.load(large))} if large else {}
        there = {"user_id": "u2", "campaign_id": "c2", "version": 0, **content}
        store.put(one.model_copy(update=there))
        store.delete(one)  # told after the other
    assert going_back(job).is_reverted
    where = "SELECT user_id, campaign_id FROM sessions WHERE id = 's1'"
    assert table(old, where) == [("u2", "c2")]
    assert len(table(old, "SELECT type FROM summaries WHERE session_id = 's1'")) == 2


def test_nothing_is_switched_where_both_sides_differ(
    done: Cutover, store: Campaigns, old: Old, job: Job
) -> None:
    old.execute("DELETE FROM users WHERE id = 'u1'")
    made = going_back(job)
    assert not made.is_reverted
    assert made.paused_s is None
    assert {one.entity for one in made.verification.differences} == {"User", "Unique"}
    assert not made.as_data()["is_reverted"]
    assert done.look().phase == "done"


def test_nothing_is_switched_where_the_pause_was_too_short_for_the_rest(
    done: Cutover, store: Campaigns, old: Old, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin, turn = Pause.begin, Returner.turn

    def late(self: Pause, by: str) -> Any:  # a burst, before all know that writes are held
        for n in range(3):
            store.update(User.key(user_id=f"u{n}"), name="Last")
        return begin(self, by)

    def slow(self: Returner) -> tuple[int, int]:
        time.sleep(0.3)
        return turn(self)

    monkeypatch.setattr(Pause, "begin", late)
    monkeypatch.setattr(Returner, "turn", slow)
    monkeypatch.setattr("singletable.migrate.reverting.writing_back.CHANGES", 1)
    with pytest.raises(PauseExceeded, match="is not reverted"):
        going_back(job, max_s=0.5, verified=False)
    assert done.look().phase == "done"
    assert table(old, "SELECT name FROM users WHERE name = 'Last'") != [("Last",)] * 3


NOT_UNIQUE = """
CREATE TABLE others (id TEXT PRIMARY KEY, email TEXT, name TEXT, password TEXT, created_at TEXT,
  updated_at TEXT);
INSERT INTO others SELECT * FROM users;
DROP TABLE users;
ALTER TABLE others RENAME TO users;
"""


def test_a_row_that_the_new_side_never_had_does_not_keep_from_going_back(
    cutover: Cutover, store: Campaigns, old: Old, job: Job
) -> None:
    """Another had its unique value, and gave it up when nobody brought rows over any more."""
    with sqlite_database(old.path) as database:
        database.executescript(NOT_UNIQUE)
    with DualWrites(job, cutover) as dual, dual.writing("users", "u7"):
        values = ("u7", "u1@example.com", "Seven", "secret", *WHEN)
        old.execute("INSERT INTO users VALUES (?, ?, ?, ?, ?, ?)", *values)
    with cutover.paused(by="ann", max_s=5, settle_s=0) as pause:
        pause.advance("done", by="ann")
    store.update(User.key(user_id="u1"), email="one@example.com")
    made = going_back(job)
    assert made.is_reverted
    assert made.verification.rejected == {"users": 1}
    assert table(old, "SELECT name FROM users WHERE id = 'u7'") == [("Seven",)]
    assert not verify(job, settle_s=0).agrees  # the old side is right again, and has it
    assert verify(job, settle_s=0, repair=True).agrees
    assert store.bind(User.get(user_id="u7")).one().name == "Seven"


def test_a_row_that_was_refused_and_is_there_as_it_should_not_be_does(
    cutover: Cutover, store: Campaigns, old: Old, job: Job
) -> None:
    with DualWrites(job, cutover) as dual, dual.writing("sessions", "s1"):
        old.execute("UPDATE sessions SET status = 'LOST' WHERE id = 's1'")
    with cutover.paused(by="ann", max_s=5, settle_s=0) as pause:
        pause.advance("done", by="ann")
    ids: dict[str, Any] = {"user_id": "u1", "campaign_id": "c1", "session_id": "s1"}
    store.create(Session(**ids, name="Other"))
    write_back(job)
    old.execute("UPDATE sessions SET name = 'Changed behind its back' WHERE id = 's1'")
    assert not going_back(job).is_reverted


FOREIGN = """
CREATE TRIGGER parents_first BEFORE INSERT ON sessions
WHEN NOT EXISTS (SELECT 1 FROM campaigns WHERE id = new.campaign_id)
BEGIN SELECT RAISE(ABORT, 'no such campaign'); END;
"""
REFUSING = """
CREATE TRIGGER no_refused BEFORE INSERT ON sessions WHEN new.name = 'Refused'
BEGIN SELECT RAISE(ABORT, 'never'); END;
"""


def test_a_row_waits_for_the_one_that_it_refers_to(
    done: Cutover, store: Campaigns, old: Old, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("singletable.migrate.reverting.writing_back.CHANGES", 1)
    with sqlite_database(old.path) as database:
        database.executescript(FOREIGN)
    ids: dict[str, Any] = {"user_id": "u1", "campaign_id": "c7"}
    with store.transaction() as transaction:
        transaction.create(Session(**ids, session_id="s7", name="First"))
        transaction.create(Campaign(**ids, name="Second"))
    assert write_back(job) > 0
    assert table(old, "SELECT campaign_id FROM sessions WHERE id = 's7'") == [("c7",)]


def test_rows_that_the_old_side_refuses_for_good_are_told(
    done: Cutover, store: Campaigns, old: Old, job: Job
) -> None:
    with sqlite_database(old.path) as database:
        database.executescript(REFUSING)
    store.create(Session(user_id="u1", campaign_id="c1", session_id="s7", name="Refused"))
    store.update(User.key(user_id="u1"), name="Other")
    with pytest.raises(NotWritable, match=r"Session.key\(.*: never"):
        going_back(job)
    assert done.look().phase == "done"
    assert table(old, "SELECT name FROM users WHERE id = 'u1'") == [("Other",)]
    old.execute("DROP TRIGGER no_refused")
    write_back(job)  # from before what was refused
    assert table(old, "SELECT name FROM sessions WHERE id = 's7'") == [("Refused",)]


def test_who_keeps_the_way_back_open_is_told_what_the_old_side_refuses(
    done: Cutover, store: Campaigns, old: Old, job: Job, caplog: pytest.LogCaptureFixture
) -> None:
    with sqlite_database(old.path) as database:
        database.executescript(REFUSING)
    store.create(Session(user_id="u1", campaign_id="c1", session_id="s7", name="Refused"))
    file = job.folder / "LeavePostgres.refused.jsonl"
    with pytest.raises(NotWritable, match=r"rows of 1 entities.*never.*refused\.jsonl"):
        write_back(job, live=True, stop=iter([False, False, True]).__next__)
    refused = json.loads(file.read_text("utf-8"))
    assert refused.pop("reason").endswith("refused a write: never")
    key = {"user_id": "u1", "campaign_id": "c1", "session_id": "s7"}
    assert refused == {"entity": "Session", "key": key}
    assert [line.levelname for line in caplog.records] == ["WARNING"], "told once, not each turn"
    old.execute("DROP TRIGGER no_refused")
    write_back(job, live=True, stop=iter([False, True]).__next__)
    assert not file.exists()


def test_a_row_that_another_entity_has_stays_though_the_old_side_refuses_others(
    done: Cutover, store: Campaigns, old: Old, job: Job
) -> None:
    with sqlite_database(old.path) as database:
        database.executescript(REFUSING)
    moved = store.bind(Campaign.get(user_id="u1", campaign_id="c1")).one()
    store.put(moved.model_copy(update={"user_id": "u2", "version": 0}))
    store.delete(moved, orphans=True)
    store.create(Session(user_id="u0", campaign_id="c0", session_id="s7", name="Refused"))
    with pytest.raises(NotWritable):
        write_back(job)
    assert table(old, "SELECT user_id FROM campaigns WHERE id = 'c1'") == [("u2",)]


class Half(Migration[Campaigns]):
    """Has a way back for some."""

    @back(User)
    def users_again(self, user: User, both: Both[Campaigns]) -> Iterator[Any]:
        yield from ()


def test_a_way_back_that_lacks_an_entity_is_refused_before_it_is_needed(
    store: Campaigns, job: Job
) -> None:
    cutover = Cutover(store, Half, refresh_s=0.02)
    with pytest.raises(DesignError, match="no way back for Campaign, Session, Transcript, Summary"):
        cutover.advance("done", by="ann", force=True)
    assert cutover.look().phase == "old"
    with pytest.raises(DesignError, match="no way back for Campaign"):
        going_back(replace(job, migration=Half))


def test_an_entity_without_the_fields_of_the_key_is_no_part() -> None:
    with pytest.raises(DesignError, match="User is no part of Session"):
        back(Session, parts=[User])


def test_without_a_note_there_is_no_way_back(store: Campaigns, job: Job) -> None:
    Cutover(store, job.name, refresh_s=0.02).advance("done", by="ann", force=True)
    with pytest.raises(UsageError, match="has no way back"):
        going_back(job)


def test_before_it_is_done_there_is_nothing_to_write_back(cutover: Cutover, job: Job) -> None:
    with pytest.raises(UsageError, match="no way back: it is noted when"):
        write_back(job)
    with pytest.raises(UsageError, match="to new-100 or old"):
        going_back(job, to="dual")


def test_a_stream_that_was_turned_off_is_told(done: Cutover, store: Campaigns, job: Job) -> None:
    off = {"TableName": store.table_name, "StreamSpecification": {"StreamEnabled": False}}
    store.send("UpdateTable", off)
    with pytest.raises(ChangesLost, match="cannot have all that was written"):
        going_back(job)


def test_a_day_is_too_late(done: Cutover, store: Campaigns, job: Job) -> None:
    books = Books.beside(store)
    noted = books.return_of(job.name).one()
    day = timedelta(hours=24)
    read = noted.position.split('"')[3]
    late = noted.position.replace(read, (datetime.fromisoformat(read) - day).isoformat())
    books.update(noted, position=late)
    with pytest.raises(ChangesLost, match="24 hours"):
        going_back(job)


def test_a_day_counts_from_when_it_was_done_and_not_from_an_attempt(
    cutover: Cutover, store: Campaigns, job: Job
) -> None:
    cutover.prepare("done")  # and given up
    noted = cutover.books.return_of(job.name).one()
    late = datetime.now(UTC) - timedelta(hours=25)
    read = noted.position.split('"')[3]
    cutover.books.update(noted, position=noted.position.replace(read, late.isoformat()))
    with cutover.paused(by="ann", max_s=5, settle_s=0) as pause:
        pause.advance("done", by="ann")
    store.update(User.key(user_id="u1"), name="Since")
    assert going_back(job).is_reverted


def test_of_two_who_enter_it_the_second_does_not_note_another_way_back(
    done: Cutover, cutover: Cutover, store: Campaigns, job: Job
) -> None:
    before = done.books.return_of(job.name).one()
    store.update(User.key(user_id="u1"), name="Since")
    phase = done.books.phase_of(job.name).one()
    outrun = phase.model_copy(update={"phase": "new-100", "number": phase.number - 1})
    with pytest.raises(PhaseChanged, match="no longer new-100"):
        note_way_back(store, done.books, job.migration, outrun)
    done.prepare("done")
    assert done.books.return_of(job.name).one() == before


def test_the_old_side_is_not_followed_when_it_is_left(done: Cutover, job: Job) -> None:
    with job.opened() as sides:  # as if it were followed
        sides.books.update(sides.books.run_of(job.name).one(), position="0")
    with pytest.raises(UsageError, match="the new side is right"):
        follow(job)


def test_done_takes_a_pause(cutover: Cutover) -> None:
    with pytest.raises(UsageError, match="while writes are held"):
        cutover.advance("done", by="ann")
