"""A run copies everything, says what it refused, and ends the same however often it was stopped."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from itertools import count
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from apps.campaigns.design import Campaign, Campaigns, Session, Transcript, User
from singletable import Entity, UniqueViolation
from singletable.backends.address import connect
from singletable.errors import ResourceNotFoundException, TableMissing, UsageError
from singletable.migrate import Job, Migration, Row, rows, run_migration, verify
from singletable.migrate.bookkeeping import Part
from singletable.migrate.copying import Copier, TakenOver
from singletable.migrate.sources.sql import SqlSource

from .campaigns import ToOneTable
from .conftest import LATER, Old
from .running_kills import job_of

INLINE = ThreadPoolExecutor(1)


def run(job: Job, **options: Any) -> Any:
    """Run in this process, which is quicker to begin."""
    return run_migration(job, executor=INLINE, **options)


def contents(address: str, table: str = "rpg_sessions") -> list[str]:
    """Give all items, in an order of their own."""
    backend = connect(address)
    items: list[str] = []
    request: dict[str, Any] = {"TableName": table}
    while True:
        page = backend.call("Scan", request)
        items += [json.dumps(item, sort_keys=True, default=str) for item in page["Items"]]
        if "LastEvaluatedKey" not in page:
            backend.close()
            return sorted(items)
        request["ExclusiveStartKey"] = page["LastEvaluatedKey"]


def test_everything_is_copied_as_the_store_would_have_it(old: Old, job: Job) -> None:
    old.fill(users=3, sessions=10)
    done = run(job)
    assert (done.state, done.rows, done.rejected) == ("copied", 16, 0)
    with Campaigns.connect(job.destination) as store:
        assert store.profile("u1").one().email == "u1@example.com"
        assert store.campaign("u1", "c1").one().session_count == 3
        view = store.session("u1", "c1", "s1").one()
        assert view.session.updated_at.isoformat() == LATER.replace("Z", "+00:00")
        assert [summary.audience for summary in view.summaries] == ["GM", "PLAYER"]
        assert view.transcript is not None
        assert view.transcript.text is not None
        assert store.load(view.transcript.text).startswith("Once upon a time, 1.")
        session = store.update(view.session, name="New")
        assert session.version == 2
        store.delete(session)
        assert store.campaign("u1", "c1").one().session_count == 2


def test_rows_are_read_while_those_before_them_are_written(
    old: Old, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    old.fill(users=1, sessions=150)
    reads, is_ahead = count(1), Event()
    read, write = SqlSource.read, Copier._note

    def reading(self: SqlSource, kind: str, *rest: Any) -> Any:
        if kind == "sessions" and next(reads) == 2:
            is_ahead.set()
        return read(self, kind, *rest)

    def writing(self: Copier, part: Part, *rest: Any) -> Part:
        assert part.kind != "sessions" or is_ahead.wait(60)
        return write(self, part, *rest)

    monkeypatch.setattr(SqlSource, "read", reading)
    monkeypatch.setattr(Copier, "_note", writing)
    assert run(job).rows == 152


def test_a_source_that_always_fails_after_some_rows_is_copied_in_the_end(
    old: Old, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was read before it failed is written, so that the next run goes on after it."""
    old.fill(users=1, sessions=450)
    read, reads, noted = SqlSource.read, [0], list[int]()

    def reading(self: SqlSource, kind: str, *rest: Any) -> Any:
        reads[0] += kind == "sessions"
        if kind == "sessions" and reads[0] == 2:
            raise ConnectionError
        return read(self, kind, *rest)

    monkeypatch.setattr(SqlSource, "read", reading)
    while not noted or noted[-1] < 452:
        reads[0] = 0
        with suppress(ConnectionError):
            run(job)
        with job.opened() as sides:
            noted.append(sum(part.rows for part in sides.books.parts(job.name)))
    assert noted == [102, 202, 302, 402, 452]


def test_a_table_that_goes_meanwhile_is_told(
    old: Old, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    old.fill(users=1, sessions=1)
    claim = Copier._claim

    def claiming(self: Copier, *rest: Any) -> None:
        with suppress(ResourceNotFoundException):
            self.store.backend.call("DeleteTable", {"TableName": self.store.table_name})
        claim(self, *rest)

    monkeypatch.setattr(Copier, "_claim", claiming)
    with pytest.raises(TableMissing, match=r"There is no table 'rpg_sessions'.*create it with"):
        run(job)


def test_a_second_run_has_nothing_to_do(old: Old, job: Job) -> None:
    old.fill(users=2, sessions=4)
    run(job)
    before = contents(job.destination)
    old.execute("DELETE FROM sessions")  # it would copy nothing of it again
    assert run(job).state == "copied"
    assert contents(job.destination) == before


def test_after_the_copy_it_is_shown_that_counts_are_settled(old: Old, job: Job) -> None:
    old.fill(users=1, sessions=1)
    shown: list[Any] = []
    run(job, show=shown.append)
    assert [shown[0].state, shown[-1].state] == ["copying", "settling"]


def test_a_folder_is_of_one_destination_and_goes_on_for_one_noted_without_it(
    old: Old, job: Job, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old.fill(users=1, sessions=1)
    run(job)
    other = replace(job, destination=str(tmp_path / "other.db"))
    for another in (other, replace(job, table_name="another")):
        with pytest.raises(UsageError, match="give another for"):
            run(another)
    monkeypatch.chdir(tmp_path)
    assert run(replace(job, destination="./new.db")).state == "copied"
    with closing(sqlite3.connect(job.folder / "ToOneTable.owners")) as file, file:
        file.execute("DELETE FROM about WHERE one = 2")  # as older versions left it
    assert run(job).state == "copied"
    with pytest.raises(UsageError, match="give another for"):
        run(other)


def test_unique_values_are_guarded(old: Old, job: Job) -> None:
    old.fill(users=2, sessions=1)
    run(job)
    with Campaigns.connect(job.destination) as store, pytest.raises(UniqueViolation):
        store.create(User(user_id="u9", email="u1@example.com", name="Copy"))


# What is done to a row, which row that is, and what is said of it.
BAD = {
    "no key": ("UPDATE sessions SET user_id = NULL WHERE id = 's1'", "sessions/s1", "user_id"),
    "a delimiter in a key": (
        "UPDATE sessions SET campaign_id = 'c#1' WHERE id = 's1'",
        "sessions/s1",
        "'c#1' is refused",
    ),
    "a wrong status": (
        "UPDATE sessions SET status = 'LOST' WHERE id = 's1'",
        "sessions/s1",
        "status",
    ),
    "an item that is too large": (
        "UPDATE sessions SET name = hex(zeroblob(300000)) WHERE id = 's1'",
        "sessions/s1",
        "Session has 600,323 bytes, and DynamoDB takes 409,600",
    ),
    "a value that is not unique": (
        "UPDATE users SET email = 'u0@example.com' WHERE id = 'u1'",
        "users/u1",
        "is unique",
    ),
    "two items of one key": (
        "UPDATE summaries SET type = 'GM' WHERE session_id = 's1'",
        "sessions/s1",
        "two items",
    ),
    "a missing time": (
        "UPDATE users SET created_at = NULL WHERE id = 'u1'",
        "users/u1",
        "created_at",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_rows_are_told_with_their_reason_and_all_others_are_copied(
    case: str, old: Old, job: Job
) -> None:
    sql, row, reason = BAD[case]
    old.fill(users=3, sessions=6)
    old.execute(sql)
    done = run(job)
    assert done.rejected == 1
    [line] = (job.folder / "ToOneTable.rejects.jsonl").read_text("utf-8").splitlines()
    told = json.loads(line)
    assert told["id"] == row
    assert reason in told["reason"]
    with Campaigns.connect(job.destination) as store:
        sessions = sorted(one.session_id for one in store.bind(Session.scan()))
    expected = sorted(f"s{number}" for number in range(6) if row != f"sessions/s{number}")
    assert sessions == expected


def test_two_rows_that_make_one_item_are_told(old: Old, job: Job) -> None:
    old.execute("CREATE TABLE moved AS SELECT * FROM sessions")
    old.fill(users=1, sessions=2)
    old.execute("INSERT INTO users VALUES ('U0', 'x@example.com', 'X', ?, ?)", LATER, LATER)
    run(replace(job, migration=Lowered))
    [line] = (job.folder / "Lowered.rejects.jsonl").read_text("utf-8").splitlines()
    assert json.loads(line)["id"] == "users/u0"
    assert "users/U0 makes an item with the key USER#u0" in json.loads(line)["reason"]


class Lowered(Migration[Campaigns]):
    """Makes one user of two whose names differ in case alone."""

    @rows("users")
    def users(self, row: Row) -> Iterator[Entity]:
        yield Campaign(
            user_id=row["id"].lower(),
            campaign_id="only",
            name=row["name"],
            created_at=row["created_at"],
            updated_at=row["updated_at"],
        )


def test_of_rows_that_make_one_item_the_first_has_it_whoever_is_copied_first(
    old: Old, job: Job, tmp_path: Path
) -> None:
    old.fill(users=1, sessions=1)
    old.execute("INSERT INTO users VALUES ('U0', 'x@example.com', 'X', ?, ?)", LATER, LATER)
    run(replace(job, migration=Lowered))
    late = replace(job, migration=Lowered, destination=str(tmp_path / "late.db"))
    late = replace(late, folder=tmp_path / "late")
    old.execute("DELETE FROM users WHERE id = 'U0'")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("singletable.migrate.running._finish", _stop)
        with pytest.raises(KeyboardInterrupt):
            run(late)
    old.execute("INSERT INTO users VALUES ('U0', 'x@example.com', 'X', ?, ?)", LATER, LATER)
    with late.opened() as sides:  # as if the part had been longer
        [part] = sides.books.parts("Lowered")
        whole = {"after": None, "upto": None}
        sides.books.put(part.model_copy(update={"rest": whole, "rows": 0, "items": 0}))
    done = run(late)
    assert contents(late.destination) == contents(job.destination)
    assert (done.rejected, done.items) == (1, 1)
    assert verify(late, settle_s=0).agrees


def _stop(*_: Any) -> None:
    raise KeyboardInterrupt


def test_rows_that_make_one_item_are_told_though_what_knows_them_was_lost(
    old: Old, job: Job
) -> None:
    old.fill(users=1, sessions=1)
    old.execute("INSERT INTO users VALUES ('U0', 'x@example.com', 'X', ?, ?)", LATER, LATER)
    lowered = replace(job, migration=Lowered)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("singletable.migrate.running._finish", _stop)
        with pytest.raises(KeyboardInterrupt):
            run(lowered)
    shutil.rmtree(job.folder)
    assert run(lowered).rejected == 1
    [line] = lowered.rejects.read_text("utf-8").splitlines()
    assert json.loads(line)["id"] == "users/u0"
    assert verify(lowered, settle_s=0).agrees


def test_a_unique_value_goes_to_the_first_row_though_another_was_copied_before(
    old: Old, job: Job
) -> None:
    old.fill(users=3, sessions=1)
    old.execute("UPDATE users SET email = 'u1@example.com' WHERE id = 'u0'")
    late = replace(job, migration=ToOneTable)
    real, calls = Copier.copy, list[Part]()

    def copy(self: Copier, part: Part) -> Part:
        """Copy the rows of users from the second on, then all of them."""
        if part.kind == "users" and not calls:
            calls.append(part)
            rest = {"after": ["u0"], "upto": None}
            real(self, part.model_copy(update={"rest": rest}))
        return real(self, part)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Copier, "copy", copy)
        run(late)
    [line] = late.rejects.read_text("utf-8").splitlines()
    assert json.loads(line)["id"] == "users/u1"
    assert "is unique" in json.loads(line)["reason"]
    assert verify(late, settle_s=0).agrees
    with Campaigns.connect(job.destination) as store:
        assert sorted(one.user_id for one in store.bind(User.scan())) == ["u0", "u2"]
        store.update(store.profile("u0").one(), name="Owner")
        with pytest.raises(UniqueViolation):
            store.create(User(user_id="u9", email="u1@example.com", name="Copy"))


class Careless(Migration[Campaigns]):
    """Leaves a time to chance."""

    @rows("users")
    def users(self, row: Row) -> Iterator[Entity]:
        yield User(user_id=row["id"], email=row["email"], name=row["name"])


def test_what_another_run_would_fill_otherwise_is_refused(old: Old, job: Job) -> None:
    old.fill(users=1, sessions=1)
    done = run(replace(job, migration=Careless))
    assert done.rejected == 1
    text = (job.folder / "Careless.rejects.jsonl").read_text("utf-8")
    assert "created_at, updated_at would be filled by the time or by chance" in text


RUN = """
import sys
from pathlib import Path
from singletable.migrate import run_migration
from tests.migrate.running_kills import job_of

if __name__ == "__main__":
    source, folder, began_at = sys.argv[1:]
    run_migration(job_of(source, Path(folder), began_at))
"""


def test_a_run_whose_processes_are_killed_ends_with_the_same_bytes(
    old: Old, tmp_path: Path
) -> None:
    old.fill(users=20, sessions=700)
    source, began_at = f"sqlite:///{old.path}", "2026-03-01T00:00:00+00:00"
    whole = job_of(source, tmp_path / "whole", began_at)
    run(whole)
    script = tmp_path / "run.py"
    script.write_text(RUN, "utf-8")
    command = [sys.executable, str(script), source, str(tmp_path / "killed"), began_at]
    chance, kills = random.Random(7), 0  # noqa: S311 - no secret
    environment = {**os.environ, "PYTHONPATH": str(Path.cwd())}
    while True:
        with subprocess.Popen(command, env=environment, start_new_session=True) as process:
            try:
                assert process.wait(chance.uniform(0.6, 1.6) if kills < 4 else 60) == 0
                break
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                kills += 1
    assert kills >= 2
    assert contents(str(tmp_path / "killed" / "new.db")) == contents(whole.destination)


def test_workers_end_when_the_run_is_killed(tmp_path: Path) -> None:
    script, told = tmp_path / "run.py", tmp_path / "told"
    script.write_text(WAIT, "utf-8")
    command = [sys.executable, str(script), str(told)]
    with subprocess.Popen(command, start_new_session=True) as process:
        try:
            until(lambda: told.exists() and told.read_text("utf-8").endswith("\n"))
            process.kill()
            worker = int(told.read_text("utf-8"))
            until(lambda: not is_alive(worker))
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


WAIT = """
import os, sys, time
from functools import partial
from pathlib import Path
from singletable.migrate.running import side_by_side

def work(told, part):
    Path(told).write_text(f"{os.getpid()}\\n", "utf-8")
    time.sleep(60)

if __name__ == "__main__":
    side_by_side(partial(work, sys.argv[1]), [0], 1, None)
"""


def until(what: Callable[[], bool]) -> None:
    for _ in range(600):
        if what():
            return
        time.sleep(0.05)
    raise AssertionError


def is_alive(pid: int) -> bool:
    """Tell whether a process is there, and no zombie that nobody has asked for."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, check=False)
    return state.stdout.strip()[:1] not in {b"Z", b""}


def test_a_worker_of_a_run_that_was_given_up_writes_nothing(
    old: Old, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    old.fill(users=2, sessions=2)
    real, is_first = Copier._writing, iter([True])

    @contextmanager
    def late(self: Copier) -> Iterator[None]:
        """Let another run do all of it between a read and a write, and an application write."""
        if next(is_first, False):
            with ThreadPoolExecutor(1) as another:
                run_migration(job, executor=another)
            with Campaigns.connect(job.destination) as store:
                store.update(User.key(user_id="u0"), name="Since")
        with real(self):
            yield

    monkeypatch.setattr(Copier, "_writing", late)
    with pytest.raises(TakenOver, match="ToOneTable was gone on with elsewhere"):
        run(job)
    with Campaigns.connect(job.destination) as store:
        assert store.profile("u0").one().name == "Since"
    assert run(job).rows == 6


def test_what_a_run_notes_after_it_was_taken_over_is_refused(old: Old, job: Job) -> None:
    old.fill(users=2, sessions=2)
    real = Copier._note

    def late(self: Copier, *given: Any) -> Part:
        self.books.update(self.begun, token="another")
        return real(self, *given)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Copier, "_note", late)
        # Left when no part is at work any more: late, it would take over the run below.
        with ThreadPoolExecutor(1) as pool, pytest.raises(TakenOver):
            run_migration(job, executor=pool)
    with job.opened() as sides:
        assert {part.rows for part in sides.books.parts(job.name)} == {0}
    assert run(job).rows == 6


def test_content_that_is_large_is_stored_once_however_often_it_is_copied(
    old: Old, job: Job
) -> None:
    old.fill(users=1, sessions=1)
    old.execute("UPDATE sessions SET transcript_text = hex(zeroblob(400000))")
    run(job)
    with Campaigns.connect(job.destination) as store:
        [transcript] = store.bind(Transcript.scan()).all()
        assert len(store.load(transcript.text)) == 800_000  # type: ignore[arg-type] # it has one
        assert store.sweep(dry_run=True).parts == 0


def test_a_row_whose_key_would_be_too_long_is_refused_and_keeps_no_other_from_it(
    old: Old, job: Job
) -> None:
    old.fill(users=2, sessions=4)
    old.execute("UPDATE sessions SET id = ? WHERE id = 's1'", "s" * 1100)
    old.execute("UPDATE summaries SET session_id = ? WHERE session_id = 's1'", "s" * 1100)
    old.execute("UPDATE users SET email = ? WHERE id = 'u1'", "e" * 1100)
    assert run(job).rejected == 2
    assert "which is all that a sort key may have" in job.rejects.read_text("utf-8")
