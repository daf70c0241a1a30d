"""A phase that needs the new side to be complete is entered when it is, or not at all."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from apps.campaigns.design import Campaigns
from singletable import UsageError
from singletable.migrate import Cutover, Job, switch
from singletable.migrate.dual.journal import Journal
from singletable.migrate.phases import PauseExceeded

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


def test_nothing_is_switched_while_changes_are_left(job: Job, nightly: psycopg.Connection) -> None:
    with pytest.raises(PauseExceeded, match=r"1 left.*pg_stat_activity"):
        switch(job, "dual", by="ann", refresh_s=0.02, settle_s=0, max_s=0.5)
    assert name_of(job) == "Before"
    with Campaigns.connect(job.destination) as store:
        flags = Cutover(store, ToOneTable).look()
    assert (flags.phase, flags.is_paused) == ("old", False)


def test_it_waits_for_what_cannot_be_told_as_yet(job: Job, nightly: psycopg.Connection) -> None:
    ending = threading.Timer(0.7, nightly.commit)
    ending.start()
    made = switch(job, "dual", by="ann", refresh_s=0.02, settle_s=0, max_s=20)
    ending.join()
    assert (made.flags.phase, made.applied) == ("dual", 1)
    assert name_of(job) == "After"


def test_nothing_is_switched_while_the_journal_cannot_be_settled(job: Job) -> None:
    with Campaigns.connect(job.destination) as store:
        cutover = Cutover(store, ToOneTable, refresh_s=0.02)
        cutover.advance("new-100", by="ann", force=True)
        Journal(cutover.books, job.name, store.context.clock).open("dropped", ("x",), "died")
        with pytest.raises(UsageError, match=r'1 rows .* not switched: dropped \["x"\]: No rule'):
            switch(job, "done", by="ann", settle_s=0)
        assert cutover.look().phase == "new-100"
