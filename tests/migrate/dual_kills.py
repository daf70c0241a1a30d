"""Writes to both sides and is killed, before every step once; then settles, and compares.

Each write is a child that is killed before its n-th step, until one lives through: that one has
acknowledged its write.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path

from apps.campaigns.design import Campaigns
from singletable.migrate import Cutover, DualWrites, Job, verify
from tests.databases import sqlite_database

from .campaigns import ToOneTable
from .kills import in_child, kill_before

NOW = "2026-03-01T00:00:00Z"
NEW = "('new', 'c1', 'u1', ?, 'Long ago', NULL, 'UPLOADED', '2026-01-01T00:00:00Z', ?)"
MOVE = "UPDATE sessions SET name = ?, updated_at = ?, campaign_id = 'c{0}', user_id = 'u{0}' "
WRITES: dict[str, Callable[[int], str]] = {
    "move": lambda step: MOVE.format(1 + step % 2) + "WHERE id = 's1'",
    "insert": lambda step: f"INSERT OR REPLACE INTO sessions VALUES {NEW}",
    "delete": lambda step: "DELETE FROM sessions WHERE id = 'new' AND ? != ?",
}


def main(folder: Path, every: int) -> None:
    """Do every write, killed at every so-manieth step; print how often that was."""
    job = Job(
        migration=ToOneTable,
        source=f"sqlite:///{folder / 'old.db'}",
        destination=str(folder / "new.db"),
        folder=folder / "work",
    )
    kills = 0
    for name, write in WRITES.items():
        for step in count(step=every):
            told, sql = f"{name} {step}", write(step)
            acknowledged = in_child(partial(_write, job, sql, told, step))
            in_child(partial(_check, job, told if acknowledged else None, sql))
            if acknowledged:
                break
            kills += 1
    print(kills)  # noqa: T201 - it is what the test reads


def _write(job: Job, sql: str, name: str, step: int) -> None:
    row = "new" if "'new'" in sql else "s1"
    with (
        Campaigns.connect(job.destination) as store,
        DualWrites(job, Cutover(store, job.name)) as dual,
    ):
        dual.journal()  # opens what it needs
        kill_before(step)
        with dual.writing("sessions", row), sqlite_database(_path(job)) as database:
            database.execute(sql, (name, NOW))


def _check(job: Job, acknowledged: str | None, sql: str) -> None:
    with Campaigns.connect(job.destination) as store:
        with DualWrites(job, Cutover(store, job.name)) as dual:
            assert dual.settle(older_s=0) == 0
            assert dual.journal() == []
        counted = {"c0": 0, "c1": 0, "c2": 0}
        with sqlite_database(_path(job)) as database:
            counts = "SELECT campaign_id, count(*) FROM sessions GROUP BY campaign_id"
            counted |= dict(database.execute(counts))
            names = [name for (name,) in database.execute("SELECT name FROM sessions")]
        assert acknowledged is None or sql.startswith("DELETE") or acknowledged in names
        for number, (campaign, sessions) in enumerate(sorted(counted.items())):
            found = store.campaign(f"u{number}", campaign).one()
            assert found.session_count == sessions, (campaign, found.session_count, sessions)
    checked = verify(job, settle_s=0)
    assert checked.agrees, list(map(str, checked.differences))


def _path(job: Job) -> str:
    return job.source.removeprefix("sqlite:///")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
