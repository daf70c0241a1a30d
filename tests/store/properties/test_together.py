"""Writers that run at the same time: eight threads on one file, and two processes."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from singletable import Engine, Hardships
from singletable.backends import Backend
from singletable.backends.address import connect
from singletable.backends.embedded import EmbeddedBackend
from singletable.store.creation import create_table
from singletable.store.drivers import run
from singletable.store.writing.committing import write
from singletable.store.writing.whole import Creating

from .audit import State
from .design import table
from .jobs import FIRST, NOW
from .writers import IN_DOUBT, Outcomes, context, write_in_threads

TIMEOUT_S = 120


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Give a file with what is there before anybody writes."""
    path = tmp_path / "kept.db"
    backend = connect(path)
    run(create_table(context()), backend)
    for entity in FIRST:
        run(write(context(), Creating(entity)), backend)
    backend.close()
    return path


def _check(backend: Backend, outcomes: Outcomes) -> None:
    """Check the table; what stands in it was written by a job that was said to be done."""
    state = State(backend.call("Scan", {"TableName": table.name})["Items"], NOW)
    state.check()
    numbers = {name: sorted(given) for name, given in state.numbers().items()}
    assert numbers == {name: list(range(1, last + 1)) for name, last in state.counters().items()}
    stamps = {item["by"]["S"] for item in state.items.values() if "by" in item} - {""}
    assert {outcomes[stamp] for stamp in stamps} - {IN_DOUBT} == {"done"}


def test_eight_threads_keep_every_promise(path: Path) -> None:
    backend = connect(path)
    outcomes = write_in_threads(backend, "threads", 8)
    assert IN_DOUBT not in outcomes.values()
    _check(backend, outcomes)
    backend.close()


def test_every_promise_is_kept_on_a_bad_day(path: Path) -> None:
    """The service throttles, lags, fails and leaves items of batches, time and again."""
    hardships = replace(Hardships.of_all_kinds(), failing=0.5)  # so that some job ends in doubt
    with Engine(path, durable=False) as engine:
        hard = EmbeddedBackend(engine.under(hardships))
        outcomes = write_in_threads(hard, "hardships", 4)
        assert IN_DOUBT in outcomes.values()
        _check(EmbeddedBackend(engine), outcomes)


def test_two_processes_keep_every_promise(path: Path) -> None:
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.store.properties.writers", str(path), name],
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in ("one", "two")
    ]
    outcomes: Outcomes = {}
    for process in processes:
        said, _ = process.communicate(timeout=TIMEOUT_S)
        outcomes |= json.loads(said)
    backend = connect(path)
    _check(backend, outcomes)
    backend.close()
