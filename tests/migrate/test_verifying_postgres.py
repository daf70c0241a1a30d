"""Verify while others write to PostgreSQL, and what they write arrives."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import psycopg

from apps.campaigns.design import Campaigns, Session
from singletable.migrate import Job, follow
from singletable.migrate.verifying import verify

from .test_following import _write_one, database, execute, job
from .test_running import run
from .test_verifying import SESSION, change, check, delete, key_of, put, told

__all__ = ["database", "job"]


@contextmanager
def writing(address: str, job: Job, *, writers: int = 2) -> Iterator[Callable[[], int]]:
    """Have writers change the source, and their changes applied, until the block ends."""
    done, written = threading.Event(), [0] * writers

    def write(seed: int) -> None:
        chance = random.Random(seed)  # noqa: S311 - no secret
        with psycopg.connect(address, autocommit=True) as connection:
            while not done.is_set():
                written[seed] += 1
                began = time.monotonic()
                _write_one(connection, chance, f"{seed}-{written[seed]}")
                # On a slow machine who follows would be outrun.
                time.sleep(0.005 + 5 * (time.monotonic() - began))

    with ThreadPoolExecutor(writers + 1) as threads:
        futures: list[Future[Any]] = [threads.submit(write, seed) for seed in range(writers)]
        futures.append(threads.submit(follow, job, live=True, stop=done.is_set))
        try:
            yield lambda: sum(written)
        finally:
            done.set()
        for future in futures:
            future.result()


def test_writes_that_go_on_are_no_differences(database: str, job: Job) -> None:
    run(job, follow=True)
    with writing(database, job) as written:
        before = written()
        result = verify(job, settle_s=0.2)
        assert written() > before + 10
    assert result.differences == ()
    assert result.unsettled == 0
    assert sum(result.rows.values()) > 300
    follow(job)
    settled = verify(job, settle_s=0.05)
    assert settled.agrees
    assert all(one.expected_hash == one.found_hash for one in settled.entities)


def test_differences_are_found_and_repaired_while_writes_go_on(database: str, job: Job) -> None:
    run(job, follow=True)
    with writing(database, job), Campaigns.connect(job.destination) as store:
        change(store, key_of("USER#u1", "CAMPAIGN#c1"), "name", {"S": "Other"})
        delete(store, key_of("USER#u2", "METADATA#u2"))
        put(store, key_of("USER#u1", "SESSION#c1#gone"), entityType="SESSION", name="Gone")
        result = verify(job, settle_s=0.2, repair=True)
        assert told(result) == [
            ("different", "Campaign", "name"),
            ("extra", "Session", None),
            ("missing", "User", None),
        ]
        assert (result.repaired, result.left, result.unsettled) == (3, 0, 0)
    follow(job)
    assert check(job).agrees


def test_changes_that_nobody_applies_are_left_unsettled(database: str, job: Job) -> None:
    run(job, follow=True)
    execute(database, "UPDATE sessions SET name = 'Renamed' WHERE id = 's1'")
    execute(database, "DELETE FROM sessions WHERE id = 's2'")
    result = check(job, patience_s=0.1)
    assert result.differences == ()
    assert result.unsettled > 1
    follow(job)
    assert check(job).agrees
    with Campaigns.connect(job.destination) as store:
        session = Session.get(user_id="u1", campaign_id="c1", session_id="s1")
        assert store.bind(session).one().name == "Renamed"
        delete(store, SESSION)
    assert told(check(job)) == [("missing", "Session", None)]
