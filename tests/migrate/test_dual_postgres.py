"""From PostgreSQL to the new side and back, while the application writes all the while."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from apps.campaigns.design import Campaign, Campaigns, Session
from apps.campaigns.migration import LeavePostgres
from singletable.migrate import Cutover, DualWrites, Job, follow, revert, switch, verify
from singletable.migrate.phases import PHASES

from . import postgres
from .dual_writer import NEW, USERS, WHEN, Application
from .test_reverting import SCHEMA, run

REFRESH_S = 0.2
SETTLE_S = 2.0
WRITERS = int(os.environ.get("SINGLETABLE_DUAL_WRITERS", "3"))
PHASE_S = float(os.environ.get("SINGLETABLE_DUAL_S", "0.2"))
"""How long each phase lasts."""


@pytest.fixture
def job(postgres_server: str, tmp_path: Path) -> Iterator[Job]:
    """A migration that is copied, and followed."""
    with postgres.database(postgres_server) as address:
        with psycopg.connect(address) as old:
            old.execute(SCHEMA.read_text("utf-8").encode())
            for n in range(USERS):
                user = (f"u{n}", f"u{n}@example.com", f"User {n}", WHEN, WHEN)
                old.execute("INSERT INTO users VALUES (%s, %s, %s, NULL, %s, %s)", user)
                campaign = (f"c{n}", f"u{n}", f"Campaign {n}", WHEN, WHEN)
                old.execute("INSERT INTO campaigns VALUES (%s, %s, %s, NULL, %s, %s)", campaign)
                session = (f"s{n}", f"c{n}", f"u{n}", f"Session {n}", WHEN, WHEN)
                old.execute(f"INSERT INTO sessions VALUES {NEW}".encode(), session)
        made = Job(
            migration=LeavePostgres,
            source=address,
            destination=str(tmp_path / "new.db"),
            folder=tmp_path / "work",
        )
        run(made, follow=True)
        yield made


@contextmanager
def at_work(*work: Callable[[Callable[[], bool]], Any]) -> Iterator[None]:
    """Have others work until the block ends."""
    done = threading.Event()
    with ThreadPoolExecutor(len(work)) as threads:
        futures = [threads.submit(one, done.is_set) for one in work]
        try:
            yield
        finally:
            done.set()
        for future in futures:
            future.result()


def sides_agree(job: Job) -> bool:
    """Tell whether both sides have the same, counts too, which verify leaves to others."""
    with psycopg.connect(job.source) as old, Campaigns.connect(job.destination) as store:
        count = "SELECT campaign_id, count(*) FROM sessions GROUP BY campaign_id"
        counted: dict[str, int] = dict(old.execute(count).fetchall())
        for one in store.bind(Campaign.scan()):
            assert one.session_count == counted.get(one.campaign_id, 0), one
    checked = verify(job, settle_s=0.1)
    assert checked.differences == ()
    return checked.agrees


def go(job: Job, *phases: Any) -> None:
    for phase in phases:
        made = switch(job, phase, by="ann", settle_s=SETTLE_S, refresh_s=REFRESH_S)
        assert made.flags.phase == phase
        time.sleep(PHASE_S)


@pytest.mark.slow  # the short proof goes the same way
def test_all_the_way_there_and_back_while_the_application_writes(job: Job) -> None:
    applications = [Application(job, seed, REFRESH_S) for seed in range(WRITERS)]
    with at_work(*(one.run for one in applications)):
        with at_work(
            lambda stop: follow(job, live=True, stop=stop)
        ):  # at the same rows as the writers
            time.sleep(PHASE_S)
            go(job, *PHASES[1:-1])
            while_writing = verify(job, settle_s=0.3)
        go(job, "done")
        reverted = revert(job, by="bob", settle_s=SETTLE_S)
        time.sleep(PHASE_S)
    assert while_writing.differences == ()
    assert reverted.is_reverted
    assert reverted.rows > 0
    assert sides_agree(job)
    with psycopg.connect(job.source) as old, Campaigns.connect(job.destination) as store:
        names: dict[str, str] = dict(old.execute("SELECT id, name FROM sessions").fetchall())
        there = {one.session_id: one.name for one in store.bind(Session.scan())}
        assert names == there
        for application in applications:
            assert application.acknowledged
            assert application.acknowledged.items() <= names.items()
        assert DualWrites(job, Cutover(store, LeavePostgres)).journal() == []
    follow(job)  # what the triggers noted of the rows that were written back
    assert sides_agree(job)


@pytest.mark.slow
def test_nothing_acknowledged_is_lost_by_processes_that_are_killed(job: Job) -> None:
    go(job, "dual")
    told: dict[str, str] = {}
    environment = {**os.environ, "PYTHONPATH": str(Path.cwd())}
    for turn in range(2):
        command = [sys.executable, "-m", "tests.migrate.dual_writer", job.source, job.destination]
        writers = [
            subprocess.Popen([*command, "", str(turn * 2 + seed)],
                             stdout=subprocess.PIPE, env=environment, text=True)
            for seed in range(2)
        ]  # fmt: skip
        for writer in writers:
            assert writer.stdout is not None
            told |= pairs(writer.stdout.readline())  # it is at work
        time.sleep(0.3)
        for writer in writers:
            writer.send_signal(signal.SIGKILL)
            output, _ = writer.communicate()
            told |= pairs(output[: output.rfind("\n") + 1])
    with (
        Campaigns.connect(job.destination) as store,
        DualWrites(job, Cutover(store, LeavePostgres, refresh_s=REFRESH_S)) as dual,
    ):
        assert dual.settle(older_s=0) == 0
        there = {one.session_id: one.name for one in store.bind(Session.scan())}
    mine = {session: name for session, name in told.items() if session.startswith("own")}
    assert all(number_of(there[one]) >= number_of(name) for one, name in mine.items())
    assert sides_agree(job)


def pairs(output: str) -> dict[str, str]:
    """Read which sessions were given which names."""
    lines = (line.partition(" ") for line in output.splitlines())
    return {session: name for session, _, name in lines}


def number_of(name: str) -> int:
    """Tell how often the writer had written."""
    return int(name.rpartition("-")[2])
