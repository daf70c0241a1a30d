"""The power fails: what was acknowledged is there, and nothing is half there."""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path

import pytest

from singletable.engine import Engine
from singletable.errors import DatabaseCorrupt, ResourceInUseException

from .audit import audit, contents
from .disk import Disk, Spot
from .workload import CREATE, TABLE, Step, Workload, seeded, toggle_index

CRASHES = 12
"""How often the power fails in the life of one database."""

WRITES: list[tuple[Spot | None, int]] = [
    (None, 20),
    (None, 400),
    (("database", "write"), 60),
    (("database-wal", "write"), 300),
]
SYNCS: list[tuple[Spot | None, int]] = [(("database", "sync"), 3), (("database-wal", "sync"), 40)]
"""Where the power may fail (None: anywhere), and how often that has happened at most by then."""


class Life:
    """A database that goes from one power cut to the next, on what each one left."""

    def __init__(self, folder: Path, seed: int, *, durable: bool = True) -> None:
        self._folder = folder / str(seed)
        self._seed = seed
        self._durable = durable
        self._random = seeded(seed)
        self._workload = Workload(self._random)
        self._has_table = False
        self._unanswered: Step | None = None
        self._crashes = 0
        self._path.parent.mkdir(parents=True)

    def __repr__(self) -> str:
        return f"crash {self._crashes} of seed {self._seed}"

    @property
    def _path(self) -> Path:
        return self._folder / str(self._crashes) / "database"

    def go_on(self) -> None:
        """Crash and recover, until a crash does harm or there were enough."""
        for _ in range(CRASHES):
            self._crash()

    def _crash(self) -> None:
        """Work until the power fails, then look at what is left."""
        disk = Disk(f"disk {self}", self._random)
        spot, most = self._random.choice(WRITES + SYNCS if self._durable else WRITES)
        disk.cut_power(self._random.randint(1, most), spot)
        with Engine(
            self._path, durable=self._durable, connect=disk.connect, ttl_interval=None
        ) as engine:
            self._work(engine, disk)
        self._crashes += 1
        self._path.parent.mkdir()
        disk.save(self._path.parent)
        disk.unregister()
        self._check()

    def _work(self, engine: Engine, disk: Disk) -> None:
        with suppress(ResourceInUseException):
            engine.call("CreateTable", CREATE)
        self._has_table |= disk.has_power
        # A transaction without an answer is sent again: its token keeps it from being made twice.
        if self._unanswered and self._unanswered.operation != "TransactWriteItems":
            self._unanswered = None
        step = self._unanswered or self._workload.draw()
        while disk.has_power:
            if self._random.random() < 0.1:
                toggle_index(engine)
            self._unanswered = step
            step.run(engine)
            if disk.has_power:
                self._workload.contents = step.after
                self._unanswered = None
                step = self._workload.draw()

    def _check(self) -> None:
        """Recover a copy, so that the next cut can come in the midst of recovery."""
        copy = self._folder / "copy"
        shutil.copytree(self._path.parent, copy)
        with Engine(copy / "database", durable=False, ttl_interval=None) as engine:
            audit(engine)
            names = engine.call("ListTables", {})["TableNames"]
            assert names or not self._has_table, f"{self} lost the table"
            found = contents(engine, TABLE) if names else {}
        shutil.rmtree(copy)
        possible = [self._workload.contents]
        if self._unanswered:
            possible.append(self._unanswered.after)
        assert found in possible, f"{self} lost something, or left it half done"
        self._workload.contents = found


def test_a_power_cut_loses_nothing_acknowledged_and_leaves_nothing_half_done(
    tmp_path: Path,
) -> None:
    """300 power cuts, in all that SQLite does to its files."""
    for seed in range(25):
        Life(tmp_path, seed).go_on()


@pytest.mark.slow
def test_thousands_of_power_cuts_lose_nothing(tmp_path: Path) -> None:
    for seed in range(25, 300):
        Life(tmp_path, seed).go_on()


@pytest.mark.parametrize("seed", range(3))
def test_without_syncs_a_power_cut_loses_writes(tmp_path: Path, seed: int) -> None:
    """The disk of these tests does lose what nobody told it to keep."""
    life = Life(tmp_path, seed, durable=False)
    with pytest.raises((AssertionError, DatabaseCorrupt)):
        life.go_on()
