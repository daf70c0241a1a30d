"""A plan tells what a migration would do, from a sample, and writes nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from apps.campaigns.design import Campaigns
from singletable import Entity, UsageError
from singletable.migrate import Job, Migration, Row, rows
from singletable.migrate.pacing import Pace
from singletable.migrate.planning import plan
from singletable.migrate.reporting import plan_notes
from singletable.migrate.sources.sql import SqlSource
from singletable.store.observing.events import RequestEvent
from tests.databases import sqlite_database

from .campaigns import ToOneTable
from .conftest import LATER, Old
from .test_running import Careless, Lowered, contents, run


@pytest.fixture
def filled(old: Old) -> Old:
    old.fill(users=4, sessions=100)
    return old


def test_it_counts_and_tells_what_comes_of_rows(filled: Old, job: Job) -> None:
    made = plan(job)
    assert [(one.kind, one.rows, one.sampled, one.refused) for one in made.kinds] == [
        ("users", 4, 4, 0), ("campaigns", 4, 4, 0), ("sessions", 100, 100, 0),
    ]  # fmt: skip
    assert made.kinds[2].entities == {"Session": 100, "Transcript": 100, "Summary": 200}
    assert made.is_sound


def test_it_writes_nothing(filled: Old, job: Job) -> None:
    before = filled.path.read_bytes()
    plan(job)
    assert filled.path.read_bytes() == before
    assert not Path(job.destination).exists()
    assert not job.folder.exists()


def test_a_sample_is_taken_from_all_over_and_stands_for_all(filled: Old, job: Job) -> None:
    filled.execute(
        "UPDATE sessions SET transcript_text = NULL WHERE CAST(substr(id, 2) AS INT) > 49"
    )
    part = plan(job, sample=40)
    assert part.kinds[2].sampled == 40
    whole = {one.entity: one.items for one in plan(job).entities}
    assert whole["Transcript"] == 50
    expected = {one.entity: one.items for one in part.entities}
    assert expected["Summary"] == 200
    assert 25 <= expected["Transcript"] <= 75


def test_the_estimate_is_what_a_run_consumes(
    filled: Old, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled.execute("UPDATE sessions SET transcript_text = ? WHERE id = 's1'", "long " * 2000)
    consumed: list[float] = []

    def observe(self: Pace, event: RequestEvent) -> None:
        if event.operation in {"BatchWriteItem", "PutItem"}:
            consumed.append(event.consumed or 0)

    monkeypatch.setattr(Pace, "observe", observe)
    run(replace(job, units_per_s=1e9))
    made = plan(job)
    assert made.estimate.write_units == sum(consumed) > 500
    kept = [item for item in contents(job.destination) if '{"S": "Part"}' not in item]
    assert made.estimate.items == sum('{"S": "Unique"}' not in item for item in kept) == 408
    [transcripts] = [one for one in made.entities if one.entity == "Transcript"]
    assert transcripts.content_bytes == 10_000


def test_units_price_and_time_are_estimated(filled: Old, job: Job) -> None:
    filled.execute("UPDATE sessions SET transcript_text = NULL, name = hex(zeroblob(1000))")
    made = plan(replace(job, units_per_s=5.0), workers=2)
    units = {one.entity: one.write_units for one in made.entities}
    # A session has three kilobytes, in the table and in two of the indexes.
    assert units == {"User": 2, "Campaign": 1, "Session": 9, "Summary": 1}
    took = made.estimate
    assert took.write_units == 4 * 2 + 4 + 900 + 200
    assert took.price == pytest.approx(took.write_units / 1e6 * 0.625)
    assert took.units_per_s == 10
    assert took.time_s == pytest.approx(took.write_units / 10)
    assert took.storage_bytes > 100 * 2000 * 3


def test_refused_rows_are_told_with_reason_and_example(filled: Old, job: Job) -> None:
    filled.execute("UPDATE sessions SET status = 'LOST' WHERE id IN ('s1', 's2')")
    filled.execute("UPDATE sessions SET name = hex(zeroblob(300000)) WHERE id = 's3'")
    made = plan(job)
    assert [(one.kind, one.rows) for one in made.refusals] == [("sessions", 2), ("sessions", 1)]
    assert made.refusals[0].example == "sessions/s1"
    assert "status" in made.refusals[0].reason
    assert "DynamoDB takes 409,600" in made.refusals[1].reason
    assert not made.is_sound


def test_what_is_left_to_chance_is_told(filled: Old, job: Job) -> None:
    [refusal] = plan(replace(job, migration=Careless)).refusals
    assert refusal.rows == 4
    assert "created_at, updated_at would be filled by the time or by chance" in refusal.reason


def test_items_and_unique_values_that_two_rows_make_are_told(filled: Old, job: Job) -> None:
    filled.execute("INSERT INTO users VALUES ('U0', 'u1@example.com', 'X', ?, ?)", LATER, LATER)
    [clash] = plan(replace(job, migration=Lowered)).clashes
    assert clash == "USER#u0 / CAMPAIGN#only: users/U0 and users/u0"
    [clash] = plan(job).clashes
    assert clash.endswith("users/U0 and users/u1")


def test_all_rows_are_compared_where_they_are_asked_for(
    old: Old, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a run refuses is foretold; memory holds no more keys, and some examples."""
    monkeypatch.setattr("singletable.migrate.planning.sampling.BATCH_ROWS", 7)
    monkeypatch.setattr("singletable.migrate.spilling.IN_MEMORY", 10)
    old.fill(users=300, sessions=1)
    old.execute("UPDATE users SET email = 'same@x.com' WHERE CAST(substr(id, 2) AS INT) > 199")
    made = plan(job, sample=None)
    assert [one.sampled for one in made.kinds] == [300, 300, 1]
    assert (made.clashing, len(made.clashes), made.is_sound) == (99, 20, False)
    assert made.clashes[0].endswith(": users/u200 and users/u201")
    assert f"Refused: {run(job).rejected} rows that make" in "\n".join(plan_notes(made))


def test_a_sample_says_that_others_may_have_the_same(old: Old, job: Job) -> None:
    old.fill(users=300, sessions=1)
    part = plan(job, sample=40)
    [note] = [one for one in plan_notes(part) if "--all" in one]
    assert note.startswith("User.email of 40 rows of users out of 300: ")
    assert not any("--all" in one for one in plan_notes(plan(job)))


def test_reasons_are_told_up_to_a_number(
    filled: Old, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("singletable.migrate.planning.sampling.REASONS_MAX", 3)
    filled.execute("UPDATE sessions SET campaign_id = 'c#' || id WHERE id < 's3'")
    told = [(one.rows, one.reason) for one in plan(job).refusals]
    assert len(told) == 4
    assert told[0][1] == "each for a reason of its own"
    assert sum(rows for rows, _ in told) == plan(job).kinds[2].refused > 4


def test_columns_and_tables_that_no_rule_reads_are_named(filled: Old, job: Job) -> None:
    filled.execute("ALTER TABLE sessions ADD COLUMN mood TEXT")
    filled.execute("CREATE TABLE invoices (id INTEGER PRIMARY KEY)")
    made = plan(job)
    unread = {one.kind: (one.unread, one.unread_related) for one in made.kinds}
    assert unread == {
        "users": ((), {}),
        "campaigns": ((), {}),
        "sessions": (("mood",), {"summaries": ("id", "session_id")}),
    }
    assert made.ignored == ("invoices",)


class Unmatched(ToOneTable):
    """Lacks something, as a draft does, before all columns are read."""

    @rows("users")
    def users(self, row: Row) -> Iterator[Entity]:
        raise ValueError(row["id"])
        yield


def test_columns_are_not_named_where_no_row_came_through(filled: Old, job: Job) -> None:
    users = plan(replace(job, migration=Unmatched)).kinds[0]
    assert users.refused == users.sampled > 0
    assert users.unread == ()


class Whole(ToOneTable):
    """Takes rows as they are."""

    @rows("users")
    def users(self, row: Row) -> Iterator[Entity]:
        json.dumps({**row.data})
        yield from super().users(replace(row, data=json.loads(json.dumps(row.data))))


def test_a_rule_may_take_all_that_a_row_has(filled: Old, job: Job) -> None:
    filled.execute("ALTER TABLE users ADD COLUMN mood TEXT")
    made = plan(replace(job, migration=Whole))
    assert made.is_sound
    assert made.kinds[0].unread == ()


class Asked(ToOneTable):
    """Says what the old database was asked."""

    queries = {
        "SELECT * FROM sessions WHERE campaign_id = ?": "sessions",
        "SELECT count(*) FROM users": None,
        "sessions of a week": "sessions_of_week",
    }


def test_every_old_query_has_a_pattern_or_is_named(filled: Old, job: Job) -> None:
    made = plan(replace(job, migration=Asked))
    found, unmatched, unknown = made.queries
    assert (found.pattern, found.purpose) == (
        "sessions",
        "The session list of a campaign, newest first.",
    )
    assert made.unmatched == (unmatched.query,) == ("SELECT count(*) FROM users",)
    assert "Campaigns has no pattern 'sessions_of_week'" in str(unknown.fault)
    assert not made.is_sound


class OfNothing(Migration[Campaigns]):
    """Reads a table that is not there."""

    @rows("nothing")
    def nothing(self, row: Row) -> Iterator[Entity]:
        yield from ()


def test_a_table_that_is_not_there_is_told(filled: Old, job: Job) -> None:
    with pytest.raises(UsageError, match="reads 'nothing', which the source does not have"):
        plan(replace(job, migration=OfNothing))


def test_an_empty_table_has_a_plan(job: Job) -> None:
    made = plan(job)
    assert made.estimate.items == 0
    assert made.entities == ()
    assert made.is_sound


def test_rows_that_came_after_they_were_counted_have_a_plan(
    filled: Old, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SqlSource, "count", lambda *_: 0)
    made = plan(job)
    assert {one.entity: one.items for one in made.entities}["Session"] == 100


def test_the_database_is_not_locked_meanwhile(filled: Old, job: Job) -> None:
    class Writing(ToOneTable):
        @rows("users")
        def users(self, row: Row) -> Iterator[Entity]:
            with sqlite_database(filled.path, timeout=0) as database:
                database.execute("UPDATE users SET name = 'x'")
            return super().users(row)

    assert plan(replace(job, migration=Writing)).is_sound
