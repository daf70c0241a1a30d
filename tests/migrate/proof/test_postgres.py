"""PostgreSQL becomes one table, and the way back is taken, while there are writes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path

import psycopg
import pytest

from apps.campaigns.design import Campaigns, Transcript
from apps.campaigns.migration import LeavePostgres
from singletable.migrate import Job
from tests.migrate import postgres

from . import new_side, sql
from .course import arrive, come_back

ROWS = int(os.environ.get("SINGLETABLE_PROOF_ROWS", "1000000"))
PAUSE_S = 0.4
"""Of each writer between two changes; a busy machine applies some 300 changes a second."""
SHORT_PAUSE_S = 0.15


@pytest.fixture
def database(postgres_server: str) -> Iterator[str]:
    with postgres.database(postgres_server) as address:
        yield address


def prove(
    address: str, folder: Path, rows: int, *, workers: int, writes: int, pause_s: float
) -> None:
    """Migrate so many rows, with long transcripts in an object store; then go back."""
    size = sql.Size.of(rows)
    sql.fill(address, size)
    job = Job(
        migration=LeavePostgres,
        source=address,
        destination=str(folder / "new.db"),
        objects=str(folder / "objects"),
        folder=folder / "work",
    )
    checked = arrive(job, partial(sql.writer, address, size), workers=workers, pause_s=pause_s)
    found = {one.entity: one.found for one in checked.entities}
    assert found["Session"] == checked.rows["sessions"]
    assert found["Session"] > size.sessions // 4  # some are deleted, others come
    _check_transcripts(job)
    new_side.move(job)
    back = partial(new_side.writer, job, size)
    come_back(job, back, workers=workers, writes=writes, pause_s=pause_s)
    _check_rows(address)


def _check_transcripts(job: Job) -> None:
    """See that what is long is in the object store, and can be read."""
    with Campaigns.connect(job.destination, objects=job.objects) as store:
        some = islice(store.bind(Transcript.scan()), 200)
        texts = [one.text for one in some if one.text is not None]
        long = [text for text in texts if text.size_bytes > 4096]
        assert long
        assert all(len(store.load(text)) == text.size_bytes for text in long)


def _check_rows(address: str) -> None:
    """See that PostgreSQL has what the new side was told, and what that was never told."""
    with psycopg.connect(address) as connection:
        made = connection.execute("SELECT count(*) FROM users WHERE id LIKE 'm%'").fetchone()
        kept = connection.execute(
            "SELECT DISTINCT password FROM users WHERE id LIKE 'u%'"
        ).fetchall()
    assert made is not None
    assert made[0] > 0
    assert kept == [("secret",)]


def test_some_thousand_rows(database: str, tmp_path: Path) -> None:
    prove(database, tmp_path, 1_000, workers=1, writes=20, pause_s=SHORT_PAUSE_S)


@pytest.mark.slow
def test_a_million_rows(database: str, tmp_path: Path) -> None:
    prove(database, tmp_path, ROWS, workers=2, writes=400, pause_s=PAUSE_S)
