"""The thread that deletes expired items: when there is one, and when it ends."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from singletable.engine import Engine
from singletable.errors import InternalServerError
from tests.engine.support import create, keys, put

INTERVAL = 0.01


Sweepers = Callable[[], list[threading.Thread]]


@pytest.fixture
def sweepers() -> Sweepers:
    """Lists the threads that a test brought about; engines of other tests may have theirs."""
    before = set(threading.enumerate())
    return lambda: [
        each
        for each in threading.enumerate()
        if each.name == "singletable-ttl" and each not in before
    ]


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 50
    while not holds():
        assert time.monotonic() < deadline, "it did not come to pass within 50 s"
        time.sleep(INTERVAL)


def enable(engine: Engine, name: str = "things") -> None:
    specification = {"AttributeName": "expires", "Enabled": True}
    request = {"TableName": name, "TimeToLiveSpecification": specification}
    engine.call("UpdateTimeToLive", request)


def put_expired(engine: Engine) -> None:
    put(engine, "things", "a", expires={"N": str(int(time.time()) - 60)})


@pytest.mark.parametrize("seconds", [0, -1.0])
def test_an_interval_that_never_rests_is_refused(seconds: float) -> None:
    with pytest.raises(ValueError, match=f"ttl_interval is {seconds}: give seconds, or None"):
        Engine(ttl_interval=seconds)


def test_there_is_no_thread_without_time_to_live(sweepers: Sweepers) -> None:
    with Engine(ttl_interval=INTERVAL) as engine:
        create(engine)
        put_expired(engine)
        assert sweepers() == []


def test_expired_items_go_by_themselves_and_the_thread_with_the_engine(sweepers: Sweepers) -> None:
    with Engine(ttl_interval=INTERVAL) as engine:
        create(engine)
        put_expired(engine)
        enable(engine)
        wait_until(lambda: keys(engine, "things") == set())
        assert len(sweepers()) == 1
    assert sweepers() == []


def test_a_file_with_time_to_live_has_a_thread_when_it_is_opened(
    tmp_path: Path, sweepers: Sweepers
) -> None:
    path = tmp_path / "kept.db"
    with Engine(path, ttl_interval=None) as engine:
        create(engine)
        enable(engine)
        put_expired(engine)
        assert sweepers() == []
    with Engine(path, ttl_interval=INTERVAL) as engine:
        wait_until(lambda: keys(engine, "things") == set())


def test_time_to_live_enabled_by_another_process_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "shared.db"
    with Engine(path, ttl_interval=None) as one, Engine(path, ttl_interval=INTERVAL) as two:
        create(one)
        put_expired(one)
        enable(one)
        wait_until(lambda: keys(two, "things") == set())


def test_a_fork_has_a_thread_of_its_own(sweepers: Sweepers) -> None:
    with Engine(ttl_interval=INTERVAL) as engine:
        create(engine)
        enable(engine)
        with engine.fork() as fork:
            assert len(sweepers()) == 2
            put_expired(fork)
            wait_until(lambda: keys(fork, "things") == set())


def test_an_engine_that_nobody_closed_leaves_no_thread(sweepers: Sweepers) -> None:
    engine = Engine(ttl_interval=INTERVAL)
    create(engine)
    enable(engine)
    storage = engine._db.storage
    del engine

    def is_gone() -> bool:
        gc.collect()
        return sweepers() == []

    wait_until(is_gone)
    storage.close()


def test_a_failure_does_not_end_the_thread() -> None:
    failed = threading.Event()
    with Engine(ttl_interval=INTERVAL) as engine:
        create(engine)
        enable(engine)

        def fail() -> float:
            failed.set()
            raise InternalServerError("the disk is full")

        clock = engine._db.clock
        object.__setattr__(engine._db, "clock", fail)
        assert failed.wait(50)
        object.__setattr__(engine._db, "clock", clock)
        put_expired(engine)
        wait_until(lambda: keys(engine, "things") == set())
