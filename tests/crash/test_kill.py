"""kill -9 under writers: what they were told was written is there, and nothing is half there."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import IO

import pytest

from singletable.engine import Engine

from .audit import audit, contents
from .workload import CREATE, TABLE, seeded
from .writers import ACCOUNTS, BANK, HITS, THREADS, TRANSFERS

PROCESSES = 2
KILLS = 5
ROOT = Path(__file__).parents[2]


class Bank:
    """A database, and what was acknowledged to processes that are no more."""

    def __init__(self, path: Path, seed: int) -> None:
        self._path = path
        self._random = seeded(seed)
        self._acknowledged: set[tuple[str, str]] = set()
        self._counts: Counter[tuple[str, str]] = Counter()
        self._hits = 0
        self._killed = 0
        with Engine(path) as engine:
            engine.call("CreateTable", CREATE)

    def kill(self) -> None:
        """Let processes write for a moment and kill them, at once or one after the other."""
        names = [f"w{self._killed + each}" for each in range(PROCESSES)]
        writers = [self._start(name) for name in names]
        lines = [[_out(writer).readline()] for writer in writers]
        for writer in writers:
            time.sleep(self._random.choice([0, 0.2]) * self._random.random())
            writer.kill()
        for name, said, writer in zip(names, lines, writers, strict=True):
            with writer:
                rest = _out(writer).readlines()
            assert writer.returncode == -signal.SIGKILL, "the writer ended by itself"
            self._note(name, [line.strip() for line in said + rest])
        self._killed += PROCESSES

    def _start(self, name: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "tests.crash.writers", str(self._path), name]
        return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)

    def _note(self, name: str, lines: list[str]) -> None:
        for line in lines:
            sk, _, number = line.partition("=")
            if sk == "hit":
                self._hits += 1
            elif number:
                self._counts[name, sk] = int(number)
            else:
                self._acknowledged.add((name, sk))

    def check(self) -> None:
        """Open what is left and hold it against what was acknowledged."""
        with Engine(self._path) as engine:
            audit(engine)
            found = {
                (item["pk"]["S"], item["sk"]["S"]): item
                for item in contents(engine, TABLE).values()
            }
        numbers = {name: int(item["n"]["N"]) for name, item in found.items()}
        assert self._acknowledged <= found.keys(), "an acknowledged item is lost"
        for name, count in self._counts.items():
            assert numbers[name] - count in (0, 1), "an acknowledged update is lost"
        unanswered = numbers.get((BANK, HITS), 0) - self._hits
        assert 0 <= unanswered <= self._killed * THREADS, "the counter is wrong"
        _check_transfers(found, numbers)


def _out(writer: subprocess.Popen[str]) -> IO[str]:
    assert writer.stdout is not None
    return writer.stdout


def _check_transfers(
    found: dict[tuple[str, str], dict[str, dict[str, str]]], numbers: dict[tuple[str, str], int]
) -> None:
    """See that each transfer was made whole: the books agree with the accounts."""
    balances: Counter[str] = Counter()
    entries = [item for item in found.values() if "giver" in item]
    for entry in entries:
        balances[entry["giver"]["S"]] -= int(entry["n"]["N"])
        balances[entry["taker"]["S"]] += int(entry["n"]["N"])
    for account in ACCOUNTS:
        assert numbers.get((BANK, account), 0) == balances[account], "half a transfer"
    assert numbers.get((BANK, TRANSFERS), 0) == len(entries), "half a transfer"


@pytest.mark.parametrize("seed", [0, 1, pytest.param(2, marks=pytest.mark.slow)])
def test_killed_writers_lose_nothing_acknowledged(tmp_path: Path, seed: int) -> None:
    bank = Bank(tmp_path / "database", seed)
    for _ in range(KILLS):
        bank.kill()
        bank.check()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3, 23))
def test_writers_killed_a_hundred_times_lose_nothing(tmp_path: Path, seed: int) -> None:
    test_killed_writers_lose_nothing_acknowledged(tmp_path, seed)
