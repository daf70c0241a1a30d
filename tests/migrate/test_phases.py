"""The phase is kept in the table, known everywhere in time, and changed by one operator at once."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from apps.campaigns.design import Campaigns
from singletable import UsageError
from singletable.backends.embedded import EmbeddedBackend
from singletable.errors import Unreachable
from singletable.migrate.phases import moving, watching
from singletable.migrate.phases.cutover import Cutover
from singletable.migrate.phases.flags import PHASES
from singletable.migrate.phases.moving import Mover, PhaseChanged
from singletable.migrate.phases.watching import PhaseUnknown
from singletable.store.retries import Retries
from singletable.store.steps import Program

REFRESH_S = 0.2
WHEN = datetime(2026, 1, 1, tzinfo=UTC)


class Faulty:
    """A backend that counts, and that can be cut off."""

    def __init__(self, backend: Any) -> None:
        self._backend = backend
        self.calls: list[str] = []
        self.cut_off = False

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        self.calls.append(operation)
        if self.cut_off:
            raise Unreachable("The network is down", perhaps_done=False)
        answer: dict[str, Any] = self._backend.call(operation, request)
        return answer

    async def acall(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        return self.call(operation, request)

    def close(self) -> None:
        self._backend.close()

    async def aclose(self) -> None:
        self.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "new.db"


@pytest.fixture
def faulty(path: Path) -> Iterator[Faulty]:
    with Campaigns.connect(str(path)) as store:
        yield Faulty(store.backend)


@pytest.fixture
def store(faulty: Faulty) -> Campaigns:
    return Campaigns(faulty, clock=lambda: WHEN, retries=Retries(base_s=0))


def cutover_of(store: Campaigns, refresh_s: float = REFRESH_S) -> Cutover:
    return Cutover(store, "ToOneTable", refresh_s=refresh_s)


@pytest.fixture
def cutover(store: Campaigns) -> Cutover:
    return cutover_of(store)


def test_a_cutover_that_nobody_began_is_old(cutover: Cutover) -> None:
    assert cutover.phase == "old"
    assert cutover.writes_old
    assert not cutover.writes_new
    assert not cutover.is_shadowing
    assert not cutover.reads_new("u1")
    assert cutover.wait_to_write().since is None


def test_to_ask_again_and_again_sends_one_read_at_a_time(
    cutover: Cutover, faulty: Faulty, monkeypatch: pytest.MonkeyPatch
) -> None:
    cutover.advance("dual", by="ann")
    times = iter([time.monotonic() + REFRESH_S * number / 1000 for number in range(2000, 10_000)])
    for module in (moving, watching):
        monkeypatch.setattr(module, "monotonic", lambda: next(times))
    cutover.look()
    faulty.calls.clear()
    for asked in range(400):
        cutover.reads_new(asked)
        cutover.wait_to_write()
    assert 1 <= len(faulty.calls) <= 5
    assert set(faulty.calls) == {"GetItem"}


def test_the_phase_goes_step_by_step_and_its_history_is_kept(cutover: Cutover) -> None:
    for phase in PHASES[1:-1]:
        assert cutover.advance(phase, by="ann", note=f"to {phase}").phase == phase
    with cutover.paused(by="ann", max_s=60, settle_s=0) as pause:
        pause.advance("done", by="ann")
    moves = cutover.history()
    assert [(move.before, move.after) for move in moves] == list(pairwise(PHASES))
    assert {(move.by, move.at) for move in moves} == {("ann", WHEN)}
    assert moves[0].note == "to dual"


def test_one_step_back_is_as_good_as_one_on(cutover: Cutover) -> None:
    cutover.advance("dual", by="ann")
    assert cutover.advance("old", by="ann").phase == "old"


def test_a_phase_is_not_left_out(cutover: Cutover) -> None:
    with pytest.raises(UsageError, match="go to dual first"):
        cutover.advance("new-10", by="ann")
    with pytest.raises(UsageError, match="is old already"):
        cutover.advance("old", by="ann")
    assert cutover.history() == []
    assert cutover.advance("done", by="ann", force=True).phase == "done"


def test_what_is_done_is_not_undone_without_the_writes_since(cutover: Cutover) -> None:
    cutover.advance("done", by="ann", force=True)
    with pytest.raises(UsageError, match="write it back first"):
        cutover.advance("new-100", by="ann")
    assert cutover.advance("new-100", by="ann", force=True).writes_old


def test_it_can_be_postponed_but_never_the_way_back(cutover: Cutover) -> None:
    cutover.advance("dual", by="ann")
    assert cutover.postpone("the sale lasts until Monday").postponed
    with pytest.raises(UsageError, match="until Monday"):
        cutover.advance("shadow", by="bob")
    assert cutover.advance("old", by="bob").phase == "old"
    cutover.postpone(None)
    assert cutover.advance("dual", by="bob").phase == "dual"


def test_of_two_operators_one_is_refused(store: Campaigns, monkeypatch: pytest.MonkeyPatch) -> None:
    operators = [cutover_of(store) for _ in range(4)]
    real, all_have_looked = Mover.changed, threading.Barrier(4, timeout=50)

    def changed(self: Mover, *given: Any) -> Program[None]:
        all_have_looked.wait()
        return real(self, *given)

    monkeypatch.setattr(Mover, "changed", changed)

    def advance(operator: Cutover) -> bool:
        try:
            operator.advance("dual", by="ann")
        except PhaseChanged:
            return False
        return True

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(advance, operators)) == [False, False, False, True]
    assert len(operators[0].history()) == 1


def test_an_operator_who_waits_for_the_others_is_refused_when_it_is_postponed(
    store: Campaigns, cutover: Cutover, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Mover.changed

    def changed(self: Mover, *given: Any) -> Program[None]:
        cutover_of(store).postpone("not today")
        return real(self, *given)

    monkeypatch.setattr(Mover, "changed", changed)
    with pytest.raises(PhaseChanged):
        cutover.advance("dual", by="ann")


def test_who_reads_goes_by_the_last_known_when_the_table_is_unreachable(
    cutover: Cutover, faulty: Faulty
) -> None:
    cutover.advance("new-100", by="ann", force=True)
    faulty.cut_off = True
    time.sleep(2 * REFRESH_S)
    assert cutover.reads_new("u1")


def test_who_writes_may_not_when_it_cannot_know_of_a_pause(
    cutover: Cutover, faulty: Faulty
) -> None:
    cutover.advance("dual", by="ann")
    assert cutover.wait_to_write().writes_new
    faulty.cut_off = True
    time.sleep(2 * REFRESH_S)
    with pytest.raises(PhaseUnknown, match="rpg_sessions-migration"):
        cutover.wait_to_write()
    faulty.cut_off = False
    assert cutover.wait_to_write().writes_new


def test_the_first_read_has_to_succeed(cutover: Cutover, faulty: Faulty) -> None:
    faulty.cut_off = True
    with pytest.raises(Unreachable):
        cutover.reads_new("u1")


def test_who_began_says_for_all_how_soon_they_look(store: Campaigns, faulty: Faulty) -> None:
    slow = cutover_of(store, refresh_s=600)
    cutover_of(store).advance("dual", by="ann")
    assert slow.look().phase == "dual"
    cutover_of(store).advance("shadow", by="ann")
    assert slow.look().phase == "shadow"


PROCESS = """
import sys, time
from apps.campaigns.design import Campaigns
from singletable.migrate.phases.cutover import Cutover

cutover = Cutover(Campaigns.connect(sys.argv[1]), "ToOneTable", refresh_s=600)
phase, last = "", 0.0
while phase != "shadow":
    asked_at, now = time.monotonic(), cutover.phase
    if now != phase:
        phase = now
        print(phase, last, flush=True)
    last = asked_at
    time.sleep(0.005)
"""


def test_every_process_has_a_phase_when_advance_returns(path: Path) -> None:
    with Campaigns.connect(str(path)) as store, ExitStack() as stack:
        cutover = cutover_of(store)
        cutover.advance("dual", by="ann")
        command = [sys.executable, "-c", PROCESS, str(path)]
        processes = [
            stack.enter_context(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
            for _ in range(3)
        ]
        for process in processes:
            stack.callback(process.kill)
        outputs = [process.stdout for process in processes if process.stdout]
        assert [output.readline().split()[0] for output in outputs] == ["dual"] * 3
        cutover.advance("shadow", by="ann")
        returned = time.monotonic()
        seen = [output.readline().split() for output in outputs]
        assert {phase for phase, _ in seen} == {"shadow"}
        assert max(float(last) for _, last in seen) <= returned  # nobody who asks later has dual


def test_what_anybody_wrote_is_read_by_everybody_all_the_way(path: Path) -> None:
    """Each thread is as a process: it knows what it asked for itself."""
    old: set[int] = set()
    new: set[int] = set()
    missed: list[tuple[int, str, str]] = []
    end = threading.Event()

    def work(store: Campaigns, seed: int) -> int:
        writer, reader = cutover_of(store), cutover_of(store)
        for number in range(seed, 10**9, 4):
            wrote = writer.wait_to_write()
            if wrote.writes_old:
                old.add(number)
            if wrote.writes_new:
                new.add(number)
            read = reader.look()
            if number not in (new if read.reads_new(number) else old):
                missed.append((number, wrote.phase, read.phase))
            time.sleep(0.0005 * (seed + 1))
            if end.is_set():
                return number // 4
        raise AssertionError

    with Campaigns.connect(str(path)) as store, ThreadPoolExecutor(4) as pool:
        workers = [pool.submit(work, store, seed) for seed in range(4)]
        cutover = cutover_of(store)
        try:
            time.sleep(0.2)
            with cutover.paused(by="ann", max_s=60, settle_s=1.0) as pause:
                new |= old
                pause.advance("dual", by="ann")
            for phase in PHASES[2:-1]:
                assert new >= old
                cutover.advance(phase, by="ann")
            with cutover.paused(by="ann", max_s=60, settle_s=1.0) as pause:
                pause.advance("done", by="ann")
            time.sleep(REFRESH_S)
        finally:
            end.set()
        assert min(worker.result() for worker in workers) > 100
    assert missed == []
    assert new - old


def test_async_twins_do_the_same(store: Campaigns, faulty: Faulty) -> None:
    async def go() -> None:
        cutover = cutover_of(store)
        assert (await cutover.alook()).phase == "old"
        await cutover.aadvance("dual", by="ann")
        await cutover.apostpone("later")
        with pytest.raises(UsageError, match="later"):
            await cutover.aadvance("shadow", by="ann")
        await cutover.aadvance("new-100", by="ann", force=True)
        assert await cutover.areads_new("u1")
        assert (await cutover.await_to_write()).writes_new
        assert [move.after for move in await cutover.ahistory()] == ["dual", "new-100"]

    asyncio.run(go())


def test_a_fresh_file_needs_no_table_before_somebody_begins(path: Path) -> None:
    with Campaigns.connect(str(path)) as store:
        cutover = cutover_of(store)
        assert cutover.phase == "old"
        assert isinstance(store.backend, EmbeddedBackend)
        tables = store.backend.call("ListTables", {})["TableNames"]
        assert tables == ["rpg_sessions"]
        cutover.advance("dual", by="ann")
        tables = store.backend.call("ListTables", {})["TableNames"]
        assert tables == ["rpg_sessions", "rpg_sessions-migration"]
