"""The disk is full, or fails: a clean error, nothing lost, and work goes on afterwards."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import pytest

from singletable.engine import Engine
from singletable.errors import DatabaseUnusable, InternalServerError

from .audit import audit
from .disk import Disk, Event
from .workload import CREATE, TABLE, Workload, seeded

ROOT = Path(__file__).parents[2]
FULL = apsw.FullError("database or disk is full")
BROKEN = apsw.IOError("disk I/O error")
STEPS = 15
"""How many steps follow a fault: more than a checkpoint is away."""


@contextmanager
def disk_for(seed: int) -> Iterator[Disk]:
    disk = Disk(f"faulty disk {seed}", seeded(seed))
    yield disk
    disk.unregister()


def failure(engine: Engine, workload: Workload) -> InternalServerError | None:
    """Carry out steps; give the error that ends them, if one does."""
    try:
        workload.run(engine, STEPS)
    except InternalServerError as error:
        return error
    return None


def check_again(path: Path, workload: Workload) -> None:
    """Look at a database that was closed."""
    with Engine(path, durable=False, ttl_interval=None) as engine:
        workload.check(engine)
        audit(engine)


@pytest.mark.parametrize("error", [FULL, BROKEN], ids=["full", "broken"])
@pytest.mark.parametrize("lasting", [True, False], ids=["lasting", "passing"])
@pytest.mark.parametrize("at", range(1, 30))
def test_a_failing_disk_costs_only_the_calls_that_need_it(
    tmp_path: Path, error: Exception, lasting: bool, at: int
) -> None:
    """Whichever write or sync fails, in the log or in a checkpoint; reading goes on."""

    def fault(event: Event, number: int) -> Exception | None:
        hit = number >= at if lasting else number == at
        return error if hit and event != "read" else None

    path, workload = tmp_path / "database", Workload(seeded(at))
    with disk_for(at) as disk, Engine(path, connect=disk.connect, ttl_interval=None) as engine:
        engine.call("CreateTable", CREATE)
        workload.run(engine, STEPS)
        disk.fail(fault)
        found = failure(engine, workload)
        # What fails once may be a checkpoint, which SQLite makes up for.
        assert found or not lasting
        if found:
            assert (found.status, found.code) == (500, "InternalServerError")
            assert str(error) in found.message
        workload.check(engine)
        disk.heal()
        workload.run(engine, STEPS)
        workload.check(engine)
        audit(engine)
    check_again(path, workload)


def test_a_failed_read_is_a_clean_error_and_passes(tmp_path: Path) -> None:
    workload = Workload(seeded(0))
    with disk_for(0) as disk:
        path = tmp_path / "database"
        with Engine(path, connect=disk.connect, ttl_interval=None) as engine:
            engine.call("CreateTable", CREATE)
            workload.run(engine, STEPS)
        # A new engine has nothing in memory yet.
        with Engine(path, connect=disk.connect, ttl_interval=None) as engine:
            disk.fail(lambda event, _: BROKEN if event == "read" else None)
            for _ in range(3):
                with pytest.raises(InternalServerError, match="disk I/O error"):
                    engine.call("Scan", {"TableName": TABLE})
            disk.heal()
            workload.run(engine, STEPS)
            workload.check(engine)
            audit(engine)


def test_a_database_on_a_failing_disk_says_so_when_opened(tmp_path: Path) -> None:
    path = tmp_path / "database"
    with disk_for(0) as disk:
        disk.fail(lambda _, __: FULL)
        with pytest.raises(DatabaseUnusable, match=rf"{path} cannot be opened \(.* disk is full\)"):
            Engine(path, connect=disk.connect)
        disk.heal()
        with Engine(path, connect=disk.connect) as engine:
            engine.call("CreateTable", CREATE)
            audit(engine)


@pytest.mark.parametrize("name", ["database", None], ids=["file", "memory"])
def test_a_full_database_refuses_writes_until_it_has_room(tmp_path: Path, name: str | None) -> None:
    """SQLite's own limit on pages fails in the midst of statements, not in the file."""
    workload = Workload(seeded(1))
    with Engine(tmp_path / name if name else None, durable=False, ttl_interval=None) as engine:
        engine.call("CreateTable", CREATE)
        workload.run(engine, STEPS)
        writer = engine._db.storage._writer
        (pages,) = writer.execute("PRAGMA page_count").fetchone()
        writer.execute(f"PRAGMA max_page_count = {pages + 1}").fetchone()
        for _ in range(3):
            with pytest.raises(InternalServerError, match="database or disk is full"):
                workload.run(engine, 100)
            workload.check(engine)
            audit(engine)
        writer.execute("PRAGMA max_page_count = 1000000").fetchone()
        workload.run(engine, STEPS)
        workload.check(engine)
        audit(engine)


def test_a_process_that_may_not_write_more_gets_an_error_and_goes_on(tmp_path: Path) -> None:
    """The operating system itself refuses here, in a process of its own."""
    command = [sys.executable, "-m", "tests.crash.limited", str(tmp_path / "database")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout == "refused 3 times\n", done.stderr
