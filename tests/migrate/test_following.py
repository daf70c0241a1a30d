"""Changes made while rows are copied arrive too: PostgreSQL, with writers all the while."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psycopg
import pytest

from apps.campaigns.design import Campaigns, Summary
from singletable import UsageError
from singletable.migrate import Job, follow, run_migration, verify

from . import postgres
from .campaigns import TABLES, ToOneTable
from .conftest import LATER, WHEN, rows_of
from .test_running import contents, run

FOREIGN = """
ALTER TABLE summaries ADD FOREIGN KEY (session_id) REFERENCES sessions (id) ON DELETE CASCADE;
ALTER TABLE sessions ADD FOREIGN KEY (campaign_id) REFERENCES campaigns (id) ON DELETE CASCADE;
CREATE INDEX ON summaries (session_id);
"""


@pytest.fixture
def database(postgres_server: str) -> Iterator[str]:
    """The campaign manager's PostgreSQL."""
    with postgres.database(postgres_server) as address:
        with psycopg.connect(address) as connection:
            connection.execute(TABLES.encode() + FOREIGN.encode())
            for table, rows in rows_of(users=10, sessions=400).items():
                marks = ", ".join(["%s"] * len(rows[0]))
                connection.cursor().executemany(
                    f"INSERT INTO {table} VALUES ({marks})".encode(), rows
                )
        yield address


@pytest.fixture
def job(database: str, tmp_path: Path) -> Job:
    return Job(
        migration=ToOneTable,
        source=database,
        destination=str(tmp_path / "new.db"),
        folder=tmp_path / "work",
    )


def execute(address: str, sql: str, *values: Any) -> None:
    with psycopg.connect(address) as connection:
        connection.execute(sql.encode(), values)


def fresh_copy(job: Job, tmp_path: Path) -> list[str]:
    """Give what a migration of the source as it is now would make."""
    again = Job(
        migration=ToOneTable,
        source=job.source,
        destination=str(tmp_path / "fresh.db"),
        folder=tmp_path / "fresh",
    )
    assert run(again).rejected == 0
    return contents(again.destination)


def test_rows_that_come_change_and_go_after_the_copy_arrive(
    database: str, job: Job, tmp_path: Path
) -> None:
    run(job, follow=True)
    execute(database, "UPDATE sessions SET name = 'Renamed', updated_at = %s WHERE id = 's1'", WHEN)
    execute(database, "DELETE FROM summaries WHERE id = 'm2-GM'")
    execute(database, "DELETE FROM sessions WHERE id = 's4'")  # its summaries go with it
    execute(database, "UPDATE sessions SET campaign_id = 'c9', user_id = 'u9' WHERE id = 's5'")
    execute(
        database,
        "INSERT INTO sessions VALUES ('new', 'c1', 'u1', 'New', NULL, NULL, 'UPLOADED', %s, %s)",
        WHEN,
        LATER,
    )
    assert follow(job) > 0
    assert contents(job.destination) == fresh_copy(job, tmp_path)
    with Campaigns.connect(job.destination) as store:
        assert store.campaign("u1", "c1").one().session_count == 41
        assert store.campaign("u9", "c9").one().session_count == 41
        assert {one.session_id for one in store.bind(Summary.scan())}.isdisjoint({"s4"})


def test_changes_are_applied_once_more_with_the_same_end(database: str, job: Job) -> None:
    run(job, follow=True)
    execute(database, "UPDATE sessions SET name = 'Renamed'")
    follow(job)
    before = contents(job.destination)
    with job.opened() as sides:  # as if the position had not been noted
        begun = sides.books.run_of("ToOneTable").one()
        sides.books.update(begun, position=str(begun.position).rpartition("/")[0] + "/0")
    follow(job)
    assert contents(job.destination) == before


def test_writers_all_the_while(database: str, job: Job, tmp_path: Path) -> None:
    done = threading.Event()

    def write(seed: int) -> None:
        chance = random.Random(seed)  # noqa: S311 - no secret
        with psycopg.connect(database, autocommit=True) as connection:
            for number in range(250):
                _write_one(connection, chance, f"{seed}-{number}")
                done.wait(0.004)

    with ThreadPoolExecutor(4) as writers:
        futures = [writers.submit(write, seed) for seed in range(4)]
        run_migration(job, workers=2, follow=True)
        done.set()
        for future in futures:
            future.result()
    follow(job)
    assert contents(job.destination) == fresh_copy(job, tmp_path)


def _write_one(connection: Any, chance: random.Random, name: str) -> None:
    """Do one of the things that an application does."""
    user = chance.randrange(10)
    session = f"s{chance.randrange(400)}"
    match chance.randrange(4):
        case 0:
            connection.execute(
                "INSERT INTO sessions VALUES (%s, %s, %s, 'x', %s, NULL, 'UPLOADED', %s, %s)",
                (name, f"c{user}", f"u{user}", name * chance.randrange(3), WHEN, WHEN),
            )
        case 1:
            connection.execute("UPDATE sessions SET name = %s WHERE id = %s", (name, session))
        case 2:
            connection.execute("UPDATE summaries SET content = %s WHERE session_id = %s",
                               (name, session))  # fmt: skip
        case _:
            connection.execute("DELETE FROM sessions WHERE id = %s", (session,))


def test_rows_that_went_before_the_one_they_came_along_with_are_gone_too(
    database: str, job: Job, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("singletable.migrate.following.CHANGES", 1)
    run(job, follow=True)
    execute(database, "DELETE FROM summaries WHERE session_id IN ('s1', 's2')")
    execute(database, "DELETE FROM sessions WHERE id IN ('s1', 's2')")
    follow(job)
    assert contents(job.destination) == fresh_copy(job, tmp_path)


MOVES = "UPDATE sessions SET campaign_id = 'c9', user_id = 'u9' WHERE id = 's{0}'"
GOES = [
    "DELETE FROM summaries WHERE session_id = 's{0}'",
    "DELETE FROM sessions WHERE id = 's{0}'",
    "UPDATE summaries SET type = 'PLAYER' WHERE id = 'm{0}-GM'",
]
IN_ANY_ORDER = [pair for goes in GOES for pair in ((MOVES, goes), (goes, MOVES))]


@pytest.mark.parametrize("turns", [0, 1, 4, 9])
def test_a_row_that_moves_leaves_nothing_behind_whatever_is_told_when(
    turns: int, database: str, job: Job, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows are read as they are in the end, and each change told by itself; also after a stop."""
    monkeypatch.setattr("singletable.migrate.following.CHANGES", 1)
    execute(database, "DELETE FROM summaries WHERE type = 'PLAYER'")
    run(job, follow=True)
    for number, changes in enumerate(IN_ANY_ORDER):
        for change in changes:
            execute(database, change.format(number))
    answers = iter([*[False] * turns, True])
    follow(job, stop=lambda: next(answers))
    follow(job)
    assert contents(job.destination) == fresh_copy(job, tmp_path)


def test_a_row_that_turns_bad_is_told_and_gone_until_it_is_good_again(
    database: str, job: Job, tmp_path: Path
) -> None:
    run(job, follow=True)
    execute(database, "UPDATE sessions SET status = 'LOST' WHERE id = 's1'")
    follow(job)
    assert "sessions/s1" in job.rejects.read_text("utf-8")
    with Campaigns.connect(job.destination) as store:
        assert store.session("u1", "c1", "s1").first() is None
    execute(database, "UPDATE sessions SET status = 'FAILED' WHERE id = 's1'")
    follow(job)
    assert job.rejects.read_text("utf-8") == ""
    assert contents(job.destination) == fresh_copy(job, tmp_path)


def test_a_row_that_loses_its_parent_is_told_until_it_has_one_again(
    database: str, job: Job
) -> None:
    execute(database, "ALTER TABLE summaries DROP CONSTRAINT summaries_session_id_fkey")
    run(job, follow=True)
    execute(database, "UPDATE summaries SET session_id = NULL WHERE id = 'm1-GM'")
    execute(database, "UPDATE summaries SET session_id = 'late' WHERE id = 'm2-GM'")
    follow(job)
    assert {json.loads(line)["id"] for line in job.rejects.read_text().splitlines()} == {
        "summaries/m1-GM",
        "summaries/m2-GM",
    }
    assert verify(job, settle_s=0).agrees
    execute(database, "UPDATE summaries SET session_id = 's1' WHERE id = 'm1-GM'")
    execute(
        database,
        "INSERT INTO sessions VALUES ('late', 'c1', 'u1', 'L', NULL, NULL, 'UPLOADED', %s, %s)",
        WHEN,
        LATER,
    )
    follow(job)
    assert job.rejects.read_text() == ""
    with Campaigns.connect(job.destination) as store:
        assert len(list(store.session("u1", "c1", "late").one().summaries)) == 1
    assert verify(job, settle_s=0).agrees


def test_a_row_whose_parent_was_refused_is_followed_all_the_same(database: str, job: Job) -> None:
    execute(database, "UPDATE campaigns SET name = NULL WHERE id = 'c1'")
    run(job, follow=True)
    execute(database, "UPDATE sessions SET name = 'Renamed' WHERE id = 's1'")
    follow(job)
    with Campaigns.connect(job.destination) as store:
        assert store.session("u1", "c1", "s1").one().session.name == "Renamed"


def test_what_was_not_begun_so_cannot_be_followed(job: Job) -> None:
    with pytest.raises(UsageError, match="not copied yet"):
        follow(job)
    run(job)
    with pytest.raises(UsageError, match="copied without noting changes"):
        follow(job)
    with pytest.raises(UsageError, match="begun without noting changes"):
        run(job, follow=True)
