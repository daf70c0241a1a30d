"""The campaign manager's migration makes of five tables what the design asks for."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from apps.campaigns.design import Campaigns
from apps.campaigns.migration import LeavePostgres
from singletable.migrate import Job, plan, run_migration, verify

SCHEMA = Path("apps/campaigns/schema.sql").read_text("utf-8")
WHEN = "'2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'"
ROWS = f"""
INSERT INTO users VALUES ('u1', 'ann@example.com', 'Ann', 'secret', {WHEN});
INSERT INTO campaigns VALUES ('c1', 'u1', 'The cave', NULL, {WHEN});
INSERT INTO sessions VALUES
    ('s1', 'c1', 'u1', 'One', 'First', 'COMPLETED', 'one.mp3', 'j1', 'token', {WHEN}),
    ('s2', 'c1', 'u1', 'Two', NULL, 'UPLOADED', NULL, NULL, NULL, {WHEN});
INSERT INTO transcripts VALUES ('s1', 'j1', 'Once upon a time', {WHEN});
INSERT INTO summaries VALUES ('s1', 'GM', 'A recap', {WHEN}), ('s1', 'PLAYER', 'Another', {WHEN});
"""


@pytest.fixture
def job(tmp_path: Path) -> Job:
    with closing(sqlite3.connect(tmp_path / "old.db")) as database:
        database.executescript(SCHEMA + ROWS)
    return Job(
        migration=LeavePostgres,
        source=f"sqlite:///{tmp_path / 'old.db'}",
        destination=str(tmp_path / "new.db"),
        folder=tmp_path,
    )


def test_every_old_query_has_a_pattern_but_the_full_text_search(job: Job) -> None:
    made = plan(job)
    assert made.is_sound
    [search] = made.unmatched
    assert "to_tsvector" in search
    assert {one.pattern for one in made.queries} >= {"session", "shared", "transcript_of_job"}


def test_only_passwords_stay_behind(job: Job) -> None:
    kinds = plan(job).kinds
    assert {one.kind: one.unread for one in kinds if one.unread} == {"users": ("password",)}


def test_every_pattern_finds_what_the_tables_had(job: Job) -> None:
    with ThreadPoolExecutor(1) as executor:
        assert run_migration(job, executor=executor).rejected == 0
    assert verify(job, settle_s=0).agrees
    with Campaigns.connect(job.destination) as store:
        assert store.profile("u1").one().email == "ann@example.com"
        assert store.campaign("u1", "c1").one().session_count == 2
        assert [one.name for one in store.sessions("u1", "c1").page()] == ["Two", "One"]
        view = store.session("u1", "c1", "s1").one()
        assert [one.content for one in view.summaries] == ["A recap", "Another"]
        assert store.shared("token").one() == view.session
        transcript = store.transcript_of_job("j1").one()
        assert transcript == view.transcript
        assert transcript.text is not None
        assert store.load(transcript.text) == "Once upon a time"
