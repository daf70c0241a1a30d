"""A pause holds the writes of all processes, is measured, and ends in time whatever happens."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from apps.campaigns.design import Campaigns
from singletable import UsageError
from singletable.migrate.bookkeeping import Books
from singletable.migrate.phases import moving, pausing, watching
from singletable.migrate.phases.cutover import Cutover
from singletable.migrate.phases.moving import PhaseChanged, WritesPaused
from singletable.migrate.phases.pausing import PauseExceeded
from singletable.model.fields import now

REFRESH_S = 0.3
SETTLE_S = 0.1


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "new.db"


@pytest.fixture
def store(path: Path) -> Iterator[Campaigns]:
    with Campaigns.connect(str(path)) as store:
        yield store


@pytest.fixture
def cutover(store: Campaigns) -> Cutover:
    return cutover_of(store)


def cutover_of(store: Campaigns) -> Cutover:
    return Cutover(store, "ToOneTable", refresh_s=REFRESH_S)


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """What has seconds pass for this process, and for no other."""
    passed_s = 0.0

    def later(seconds: float) -> None:
        nonlocal passed_s
        passed_s += seconds

    for module in (moving, pausing, watching):
        monkeypatch.setattr(module, "monotonic", lambda: time.monotonic() + passed_s)
    return later


@contextmanager
def writing(cutover: Cutover) -> Iterator[list[str]]:
    """Write in a thread, as another process would; give what was written."""
    written: list[str] = []
    end = threading.Event()

    def write() -> None:
        while not end.is_set():
            cutover.wait_to_write()
            written.append("written")
            time.sleep(0.002)

    with ThreadPoolExecutor(1) as pool:
        writer = pool.submit(write)
        try:
            yield written
        finally:
            end.set()
            writer.result()


def until(what: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 50
    while not what():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def wait_for(path: Path, size: int = 1) -> None:
    until(lambda: path.exists() and path.stat().st_size >= size)


PROCESS = """
import sys, time
from pathlib import Path
from apps.campaigns.design import Campaigns
from singletable.migrate.phases.cutover import Cutover

cutover = Cutover(Campaigns.connect(sys.argv[1]), "ToOneTable", refresh_s=0.3)
file = Path(sys.argv[2])
"""
WRITER = f"""{PROCESS}
with file.open("a") as written:
    while True:
        cutover.wait_to_write()
        written.write(".")
        written.flush()
        time.sleep(0.002)
"""
PAUSER = f"""{PROCESS}
with cutover.paused(by="ann", max_s=60, settle_s=0.3):
    file.write_text("paused")
    time.sleep(600)
"""


@contextmanager
def process(code: str, *arguments: Path) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen([sys.executable, "-c", code, *map(str, arguments)]) as started:
        try:
            yield started
        finally:
            started.kill()


def test_no_process_writes_while_the_pause_holds(path: Path, store: Campaigns) -> None:
    files = [path.with_suffix(f".{number}") for number in range(3)]
    cutover = cutover_of(store)
    with ExitStack() as stack:
        for file in files:
            stack.enter_context(process(WRITER, path, file))
        for file in files:
            wait_for(file, size=20)
        with cutover.paused(by="ann", max_s=60, settle_s=1.5) as pause:
            before = [file.stat().st_size for file in files]
            time.sleep(0.5)
            assert [file.stat().st_size for file in files] == before
        for file, size in zip(files, before, strict=True):
            wait_for(file, size + 20)
    assert pause.lasted_s is not None
    assert REFRESH_S + 1.5 + 0.5 <= pause.lasted_s <= 60


def test_a_killed_operator_leaves_nobody_waiting(
    path: Path, store: Campaigns, later: Callable[[float], None]
) -> None:
    marker = path.with_suffix(".marker")
    with writing(cutover_of(store)) as written:
        with process(PAUSER, path, marker) as pauser:
            wait_for(marker)
            os.kill(pauser.pid, signal.SIGKILL)
        count = len(written)
        time.sleep(0.1)
        assert len(written) == count
        later(60)
        until(lambda: len(written) > count)
    state = Books.beside(store).phase_of("ToOneTable").one()
    assert state.pause_id is None


def test_who_lives_shortly_ends_a_pause_that_is_long_past(path: Path, store: Campaigns) -> None:
    """As where every request has a process of its own, and none sees the pause for long."""
    marker = path.with_suffix(".marker")
    with process(PAUSER, path, marker) as pauser:
        wait_for(marker)
        os.kill(pauser.pid, signal.SIGKILL)
    with pytest.raises(WritesPaused):
        cutover_of(store).wait_to_write(at_most_s=0)
    later = Campaigns(store.backend, clock=lambda: now() + timedelta(hours=1))
    assert not cutover_of(later).wait_to_write(at_most_s=0).is_paused
    assert not cutover_of(store).wait_to_write(at_most_s=0).is_paused


def test_a_clock_that_is_far_ahead_ends_a_pause_and_nothing_is_lost(
    store: Campaigns, cutover: Cutover
) -> None:
    ahead = Campaigns(store.backend, clock=lambda: now() + timedelta(hours=1))

    def advance() -> None:
        with cutover.paused(by="ann", max_s=60, settle_s=SETTLE_S) as pause:
            assert not cutover_of(ahead).wait_to_write(at_most_s=0).is_paused
            pause.advance("dual", by="ann")

    with pytest.raises(PauseExceeded):
        advance()
    assert cutover.look().phase == "old"


def test_a_pause_ends_with_the_phase_that_was_made_in_it(
    store: Campaigns, cutover: Cutover
) -> None:
    other = cutover_of(store)
    with cutover.paused(by="ann", max_s=60, settle_s=SETTLE_S) as pause:
        assert 0 < pause.left_s < 60
        assert other.look().is_paused
        assert pause.advance("dual", by="ann").phase == "dual"
        assert pause.lasted_s is not None
        assert other.wait_to_write(at_most_s=0).phase == "dual"
        with pytest.raises(UsageError, match="has ended"):
            pause.advance("shadow", by="ann")
    [move] = cutover.history()
    assert move.paused


def test_what_was_done_in_a_pause_that_lasted_too_long_does_not_count(
    store: Campaigns, cutover: Cutover, later: Callable[[float], None]
) -> None:
    def dawdle() -> None:
        with cutover.paused(by="ann", max_s=60, settle_s=SETTLE_S) as pause:
            count = len(written)
            later(60)
            until(lambda: len(written) > count)
            assert pause.left_s == 0
            pause.advance("dual", by="ann")

    with (
        writing(cutover_of(store)) as written,
        pytest.raises(PauseExceeded, match="longer than 60 s"),
    ):
        dawdle()
    assert cutover.look().phase == "old"


def test_to_do_nothing_about_the_phase_in_too_long_a_pause_is_told_as_well(
    store: Campaigns, cutover: Cutover
) -> None:
    with (
        pytest.raises(PauseExceeded),
        cutover.paused(by="ann", max_s=1, settle_s=SETTLE_S),
    ):
        cutover_of(store).wait_to_write()


def test_a_pause_in_which_nobody_had_to_wait_is_never_too_long(cutover: Cutover) -> None:
    with cutover.paused(by="ann", max_s=0.5, settle_s=SETTLE_S) as pause:
        time.sleep(0.3)
        assert pause.left_s == 0
        pause.advance("dual", by="ann")
    assert pause.lasted_s is not None
    assert pause.lasted_s > 0.5
    assert cutover.wait_to_write(at_most_s=0).phase == "dual"


def test_what_is_postponed_in_a_pause_is_not_taken_for_too_long_a_pause(
    store: Campaigns, cutover: Cutover
) -> None:
    with cutover.paused(by="ann", max_s=60, settle_s=SETTLE_S) as pause:
        cutover_of(store).postpone("not today")
        with pytest.raises(PhaseChanged, match="postponed it"):
            pause.advance("dual", by="ann")
    assert cutover.history() == []


def test_a_failure_in_it_ends_it(store: Campaigns, cutover: Cutover) -> None:
    with (
        pytest.raises(ZeroDivisionError),
        cutover.paused(by="ann", max_s=60, settle_s=SETTLE_S) as pause,
    ):
        _ = 1 / 0
    assert pause.lasted_s is not None
    assert not cutover_of(store).look().is_paused


def test_who_does_not_want_to_wait_is_told_who_holds_the_writes(
    store: Campaigns, cutover: Cutover
) -> None:
    with cutover.paused(by="ann", max_s=60, settle_s=SETTLE_S) as pause:
        began = time.monotonic()
        with pytest.raises(WritesPaused, match="ann holds the writes of ToOneTable"):
            cutover_of(store).wait_to_write(at_most_s=0.2)
        assert time.monotonic() - began >= 0.2
        assert pause.left_s > 0  # nor did it wait for the end


def test_a_pause_that_could_never_hold_is_refused(cutover: Cutover) -> None:
    with (
        pytest.raises(UsageError, match="over before it holds"),
        cutover.paused(by="ann", max_s=0.4, settle_s=SETTLE_S),
    ):
        raise AssertionError
    assert not cutover.look().is_paused


def test_in_a_pause_the_phase_is_changed_by_the_pause_alone(cutover: Cutover) -> None:
    with cutover.paused(by="ann", max_s=60, settle_s=SETTLE_S):
        with pytest.raises(UsageError, match="advance by the pause"):
            cutover.advance("dual", by="ann")
        with (
            pytest.raises(UsageError, match="advance by the pause"),
            cutover.paused(by="ann"),
        ):
            raise AssertionError


def test_another_operator_waits_for_the_end_of_a_pause(store: Campaigns, cutover: Cutover) -> None:
    with ThreadPoolExecutor(1) as pool:
        with cutover.paused(by="ann", max_s=60, settle_s=SETTLE_S) as pause:
            advancing = pool.submit(cutover_of(store).advance, "dual", by="bob")
            time.sleep(0.3)
            assert cutover.history() == []
        assert pause.lasted_s is not None
        assert advancing.result().phase == "dual"


def test_async_writers_wait_without_blocking_the_loop(store: Campaigns) -> None:
    async def go() -> list[str]:
        told: list[str] = []

        async def write() -> None:
            await cutover_of(store).await_to_write()
            told.append("written")

        cutover = cutover_of(store)
        async with cutover.apaused(by="ann", max_s=60, settle_s=SETTLE_S) as pause:
            writing = asyncio.ensure_future(write())
            await asyncio.sleep(0.2)
            told.append("moved")
            await pause.aadvance("dual", by="ann")
        await writing
        assert pause.lasted_s is not None
        return told

    assert asyncio.run(go()) == ["moved", "written"]


def test_a_cancelled_operator_ends_the_pause(store: Campaigns) -> None:
    async def hold(cutover: Cutover) -> None:
        async with cutover.apaused(by="ann", max_s=60, settle_s=30):
            raise AssertionError

    async def go() -> None:
        holding = asyncio.ensure_future(hold(cutover_of(store)))
        await asyncio.to_thread(until, lambda: cutover_of(store).look().is_paused)
        holding.cancel()
        with pytest.raises(asyncio.CancelledError):
            await holding
        assert not cutover_of(store).look().is_paused

    asyncio.run(go())
