"""Rows that should come along with another which is not there are told, by whoever looks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from apps.campaigns.design import Campaigns
from singletable import Entity
from singletable.migrate import Job, Row, plan, rows, status
from singletable.migrate.verifying import Verification, verify

from .campaigns import ToOneTable
from .conftest import LATER, WHEN, Old, rows_of
from .test_running import run

INSERT = "INSERT INTO summaries VALUES (?, ?, 'Lost', 'GM', ?, ?)"
GONE = "it belongs by session_id to sessions/s9, which is not there"
NONE = "it has no session_id, so it belongs to no row of sessions"


def check(job: Job, **options: Any) -> Verification:
    return verify(job, settle_s=0.02, **options)


def told(job: Job) -> dict[str, str]:
    """Give the reasons of the rejects, by the rows."""
    lines = map(json.loads, job.rejects.read_text("utf-8").splitlines())
    return {line["id"]: line["reason"] for line in lines}


@pytest.fixture
def lost(old: Old) -> Old:
    """The old database, with a summary of a session that is not there and one of none."""
    old.fill(users=1, sessions=3)
    old.execute(INSERT, "m-gone", "s9", WHEN, LATER)
    old.execute(INSERT, "m-none", None, WHEN, LATER)
    return old


def test_a_plan_tells_them(lost: Old, job: Job) -> None:
    made = plan(job)
    assert [(one.kind, one.rows, one.example, one.reason) for one in made.refusals] == [
        ("summaries", 2, "summaries/m-gone", "no row of sessions has the key in its session_id")
    ]
    assert not made.is_sound


def test_a_run_lists_each_of_them_among_the_rejects(lost: Old, job: Job) -> None:
    done = run(job)
    assert (done.rows, done.total, done.rejected) == (5, 5, 2)
    assert told(job) == {"summaries/m-gone": GONE, "summaries/m-none": NONE}
    [standing] = [one for one in status(job).kinds if one.kind == "summaries"]
    assert (standing.rejected, standing.done) == (2, standing.parts)


def test_they_are_told_once_where_their_parent_is_refused_itself(lost: Old, job: Job) -> None:
    lost.execute("UPDATE sessions SET status = 'LOST' WHERE id = 's1'")
    assert run(job).rejected == 3
    assert told(job).keys() == {"sessions/s1", "summaries/m-gone", "summaries/m-none"}


def test_a_verification_counts_those_that_are_listed(lost: Old, job: Job) -> None:
    run(job)
    result = check(job, workers=2)
    assert (result.agrees, dict(result.rejected)) == (True, {"summaries": 2})


def test_a_verification_finds_and_lists_those_that_came_later(old: Old, job: Job) -> None:
    old.fill(users=1, sessions=3)
    assert run(job).rejected == 0
    old.execute(INSERT, "m-gone", "s9", WHEN, LATER)
    result = check(job)
    assert [str(one) for one in result.differences] == [
        f"summaries (of summaries/m-gone) is refused, and not among the rejects: {GONE}"
    ]
    assert not result.agrees
    assert check(job, repair=True).left == 0
    assert check(job).agrees
    assert run(job).rejected == 1


def test_repair_takes_those_that_have_a_parent_now(lost: Old, job: Job) -> None:
    run(job)
    session = rows_of(1, 10)["sessions"][9]
    lost.execute(f"INSERT INTO sessions VALUES ({', '.join('?' * len(session))})", *session)
    lost.execute("DELETE FROM summaries WHERE id = 'm-none'")
    assert not check(job).agrees
    assert check(job, repair=True).left == 0
    with Campaigns.connect(job.destination) as store:
        view = store.session("u0", "c0", "s9").one()
        assert [one.content for one in view.summaries] == ["Lost"]
    assert run(job).rejected == 0


def test_many_are_listed_part_by_part(old: Old, job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("singletable.migrate.copying.BATCH_ROWS", 7)
    monkeypatch.setattr("singletable.migrate.beginning.ROWS_A_PART", 20)
    old.fill(users=1, sessions=50)
    old.execute("DELETE FROM sessions WHERE id <> 's1'")
    assert run(job).rejected == 98
    assert dict(check(job).rejected) == {"summaries": 98}


def test_files_tell_them_too(tmp_path: Path, job: Job) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    names = {
        "users": "id email name created_at updated_at",
        "campaigns": "id user_id name description created_at updated_at",
        "sessions": "id campaign_id user_id name transcript_text audio_url status "
        "created_at updated_at",
        "summaries": "id session_id content type created_at updated_at",
    }
    for kind, made in rows_of(1, 3).items():
        lines = [json.dumps(dict(zip(names[kind].split(), row, strict=True))) for row in made]
        if kind == "summaries":
            lines += ['{"id": "m-gone", "session_id": "s9"}', '{"id": "m-none"}', "no JSON"]
        (folder / f"{kind}.jsonl").write_text("\n".join(lines) + "\n")
    from_files = replace(job, source=str(folder))
    assert sum(one.rows for one in plan(from_files).refusals) == 3
    assert run(from_files).rejected == 3
    reasons = told(from_files)
    assert {GONE, NONE} < {*reasons.values()}
    assert check(from_files).agrees


class WithSummaries(ToOneTable):
    """Reads summaries by themselves, too."""

    @rows("summaries")
    def summaries(self, row: Row) -> Iterator[Entity]:
        yield from ()


def test_rows_with_a_rule_of_their_own_are_that_rule_s(lost: Old, job: Job) -> None:
    assert ToOneTable().along == {"summaries": {"sessions": "session_id"}}
    assert WithSummaries().along == {}
    by_itself = replace(job, migration=WithSummaries)
    assert plan(by_itself).is_sound
    assert run(by_itself).rejected == 0


def test_what_has_a_rule_of_its_own_comes_without_the_row_that_would_count_it(
    old: Old, job: Job
) -> None:
    """Nothing of it is lost, so nothing is told; it is counted when that row comes."""
    old.fill(users=1, sessions=3)
    old.execute("DELETE FROM campaigns")
    assert plan(job).is_sound
    assert run(job).rejected == 0
    assert check(job).agrees
    row = rows_of(1, 3)["campaigns"][0]
    old.execute(f"INSERT INTO campaigns VALUES ({', '.join('?' * len(row))})", *row)
    assert check(job, repair=True).left == 0
    with Campaigns.connect(job.destination) as store:
        assert store.campaign("u0", "c0").one().session_count == 3
