"""Processes that work beside a command: Ctrl-C ends them at any moment, without a traceback."""

from __future__ import annotations

import signal
from concurrent.futures import Future, ProcessPoolExecutor
from typing import Any

import pytest

from singletable.migrate.processes import Pool

HELD = {signal.SIGINT}


def _held() -> set[signal.Signals]:
    return set(map(signal.Signals, signal.pthread_sigmask(signal.SIG_BLOCK, ())))


def test_a_process_begins_without_hearing_ctrl_c(monkeypatch: pytest.MonkeyPatch) -> None:
    """While it imports, Python would show where it was; it inherits what its parent holds back."""
    seen: list[set[signal.Signals]] = []

    def begin(*_: Any) -> Future[None]:
        seen.append(_held())
        return Future()

    monkeypatch.setattr(ProcessPoolExecutor, "submit", begin)
    with Pool(1) as pool:
        pool.submit(print)
    assert seen[0] >= HELD
    assert not HELD & _held()


def test_a_process_that_works_ends_at_once_and_in_silence() -> None:
    with Pool(1) as pool:
        heard = pool.submit(signal.getsignal, signal.SIGINT).result()
        held = pool.submit(signal.pthread_sigmask, signal.SIG_BLOCK, ()).result()
    assert heard == signal.SIG_DFL
    assert not HELD & held
