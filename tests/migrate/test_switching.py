"""A phase that needs the new side to be complete is entered when it is, or not at all."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import psycopg
import pytest

from apps.campaigns.design import Campaigns, Transcript
from singletable import UsageError
from singletable.migrate import Cutover, Job, follow, switch, switching, verify
from singletable.migrate.dual.journal import Journal
from singletable.migrate.following import _Follower
from singletable.migrate.phases import PauseExceeded, pausing
from singletable.migrate.sources.errors import ChangesLost
from singletable.migrate.sources.sql import SqlSource
from singletable.migrate.units import Placer

from . import postgres
from .campaigns import TABLES, ToOneTable
from .conftest import LATER, WHEN
from .test_running import run

RENAME = "UPDATE users SET name = 'After' WHERE id = 'u1'"


@pytest.fixture
def job(postgres_server: str, tmp_path: Path) -> Iterator[Job]:
    """A migration that is copied, and followed."""
    with postgres.database(postgres_server) as address:
        with psycopg.connect(address) as old:
            old.execute(TABLES.encode())
            old.execute("CREATE TABLE jobs (number INTEGER)")
            values = ("u1", "u1@example.com", "Before", WHEN, LATER)
            old.execute("INSERT INTO users VALUES (%s, %s, %s, %s, %s)", values)
        made = Job(
            migration=ToOneTable,
            source=address,
            destination=str(tmp_path / "new.db"),
            folder=tmp_path / "work",
        )
        run(made, follow=True)
        yield made


@pytest.fixture
def nightly(job: Job) -> Iterator[psycopg.Connection]:
    """A transaction that takes long, and writes what nobody copies."""
    with psycopg.connect(job.source) as connection:
        connection.execute("INSERT INTO jobs VALUES (1)")
        with psycopg.connect(job.source) as application:
            application.execute(RENAME)
        yield connection


def name_of(job: Job) -> str:
    with Campaigns.connect(job.destination) as store:
        return store.profile("u1").one().name


def test_nothing_is_switched_while_changes_are_left(
    job: Job, nightly: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept = [0.0]
    monkeypatch.setattr(switching, "sleep", lambda _: slept.append(60.0))
    monkeypatch.setattr(pausing, "monotonic", lambda: time.monotonic() + sum(slept))
    with pytest.raises(PauseExceeded, match=r"1 left.*pg_stat_activity"):
        switch(job, "dual", by="ann", refresh_s=0.02, settle_s=0, max_s=60)
    assert name_of(job) == "Before"
    with Campaigns.connect(job.destination) as store:
        flags = Cutover(store, ToOneTable).look()
    assert (flags.phase, flags.is_paused) == ("old", False)


def test_it_waits_for_what_cannot_be_told_as_yet(job: Job, nightly: psycopg.Connection) -> None:
    ending = threading.Timer(0.7, nightly.commit)
    ending.start()
    made = switch(job, "dual", by="ann", refresh_s=0.02, settle_s=0, max_s=60)
    ending.join()
    assert (made.flags.phase, made.applied) == ("dual", 1)
    assert name_of(job) == "After"


def test_a_row_that_is_written_without_a_rest_keeps_nobody_waiting_for_ever(
    job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, written = SqlSource.fetch, count()

    def fetch(source: SqlSource, *given: Any) -> Any:
        found = whole(source, *given)
        number = next(written)
        assert number < 1000
        with psycopg.connect(job.source) as application:
            application.execute(f"UPDATE users SET name = '{number}'".encode())
        return found

    with psycopg.connect(job.source) as application:
        application.execute(RENAME)
    with monkeypatch.context() as busy:
        busy.setattr(SqlSource, "fetch", fetch)
        with pytest.raises(PauseExceeded, match=r"left.*without asking"):
            switch(job, "dual", by="ann", refresh_s=0.02, settle_s=0, max_s=0.5)
    switch(job, "dual", by="ann", refresh_s=0.02, settle_s=0)
    assert name_of(job) == str(next(written) - 1)


def test_what_was_applied_before_the_pause_is_not_applied_again_in_it(
    job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A source that never rests is told from further back to who goes on after a stop."""
    monkeypatch.setattr(_Follower, "_forget", lambda self, *_, **__: self.begun.position)
    with psycopg.connect(job.source) as old:
        old.execute(RENAME)
    assert switch(job, "dual", by="ann", refresh_s=0.02, settle_s=0).applied == 1


def test_nothing_is_switched_while_the_journal_cannot_be_settled(job: Job) -> None:
    with Campaigns.connect(job.destination) as store:
        cutover = Cutover(store, ToOneTable, refresh_s=0.02)
        cutover.advance("new-100", by="ann", force=True)
        Journal(cutover.books, job.name, store.context.clock).open("dropped", ("x",), "died")
        with pytest.raises(UsageError, match=r'1 rows .* not switched: dropped \["x"\]: No rule'):
            switch(job, "done", by="ann", settle_s=0)
        assert cutover.look().phase == "new-100"


def test_changes_that_a_removed_trigger_lost_are_made_good_and_followed_anew(job: Job) -> None:
    with psycopg.connect(job.source) as old:
        old.execute("DROP TRIGGER singletable_outbox ON users")
        old.execute(RENAME)
    with pytest.raises(ChangesLost, match=r"'users' was removed.*verify … --repair"):
        switch(job, "dual", by="ann", refresh_s=0.02, settle_s=0)
    assert verify(job, repair=True, settle_s=0).followed_anew
    with psycopg.connect(job.source) as old:
        old.execute("UPDATE users SET name = 'Heard' WHERE id = 'u1'")
    assert switch(job, "dual", by="ann", refresh_s=0.02, settle_s=0).applied == 1
    assert name_of(job) == "Heard"


def test_changes_that_are_lost_far_from_the_first_are_made_good_too(
    job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("singletable.migrate.renewing.SOME", 2)
    with psycopg.connect(job.source) as blind:
        blind.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        blind.execute("SELECT 1")
        for name in "abc":
            with psycopg.connect(job.source) as old:
                values = (name, f"{name}@example.com", name, WHEN, LATER)
                old.execute("INSERT INTO users VALUES (%s, %s, %s, %s, %s)", values)
        blind.execute("TRUNCATE users")
    with pytest.raises(ChangesLost, match="'users' was truncated"):
        follow(job)
    assert verify(job, repair=True, settle_s=0).followed_anew
    assert follow(job) == 0


def test_content_stays_until_nothing_in_the_table_points_at_it(
    job: Job, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows are written together: when one fails, none of them is, and the content is there."""
    job = replace(job, objects=str(tmp_path / "objects"))
    with psycopg.connect(job.source) as old:
        for name in ("s1", "s2"):
            values = (name, "c1", "u1", name, "x" * 9_000, None, "COMPLETED", WHEN, LATER)
            marks = ", ".join(["%s"] * len(values))
            old.execute(f"INSERT INTO sessions VALUES ({marks})".encode(), values)
    follow(job)
    before = files(tmp_path / "objects")
    with psycopg.connect(job.source) as old:
        old.execute("UPDATE sessions SET transcript_text = repeat('y', 9000)")
    whole, puts = Placer.put, iter([False, True])

    def failing(self: Placer, *given: Any) -> Any:
        if next(puts, False):
            raise ConnectionError
        return whole(self, *given)

    with monkeypatch.context() as once:
        once.setattr("singletable.migrate.applying.HELD_S", 60)  # however slow it is here
        once.setattr(Placer, "put", failing)
        with pytest.raises(ConnectionError):
            follow(job)
    assert transcripts(job) == ["x" * 9_000] * 2
    follow(job)
    assert transcripts(job) == ["y" * 9_000] * 2
    assert before.isdisjoint(files(tmp_path / "objects"))


def transcripts(job: Job) -> list[str]:
    with Campaigns.connect(job.destination, objects=job.objects) as store:
        texts = [one.text for one in store.bind(Transcript.scan())]
        return [store.load(text) for text in texts if text is not None]


def files(folder: Path) -> set[Path]:
    return {one for one in folder.rglob("*") if one.is_file()}
