"""Verify finds whatever differs between the source and the table, and repairs it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from apps.campaigns.design import Campaign, Campaigns, Session, Summary, Transcript, User
from singletable import Entity, Store, UsageError
from singletable.migrate import Cutover, Job, Migration, Row, rows
from singletable.migrate.verifying import Verification, verify
from singletable.model.large import Large

from .conftest import LATER, WHEN, Old
from .test_running import Lowered, contents, run

SETTLE_S = 0.02


def check(job: Job, **options: Any) -> Verification:
    return verify(job, settle_s=SETTLE_S, **options)


@pytest.fixture
def copied(old: Old, job: Job) -> Iterator[Campaigns]:
    """The table, with everything in it."""
    old.fill(users=3, sessions=12)
    run(job)
    with Campaigns.connect(job.destination) as store:
        yield store


def key_of(pk: str, sk: str) -> dict[str, Any]:
    return {"PK": {"S": pk}, "SK": {"S": sk}}


SESSION = key_of("USER#u1", "SESSION#c1#s1")
GUARD = "UNIQUE#User#email#u1@example.com"


def change(store: Store, key: dict[str, Any], name: str, value: Any) -> None:
    """Change an attribute behind everybody's back."""
    store.send(
        "UpdateItem",
        {
            "TableName": store.table_name,
            "Key": key,
            "UpdateExpression": "SET #n = :v",
            "ExpressionAttributeNames": {"#n": name},
            "ExpressionAttributeValues": {":v": value},
        },
    )


def delete(store: Store, key: dict[str, Any]) -> None:
    store.send("DeleteItem", {"TableName": store.table_name, "Key": key})


def put(store: Store, key: dict[str, Any], **attributes: str) -> None:
    item = {**key, **{name: {"S": text} for name, text in attributes.items()}}
    store.send("PutItem", {"TableName": store.table_name, "Item": item})


def told(result: Verification) -> list[tuple[str, str, str | None]]:
    return sorted((one.fault, one.entity, one.field) for one in result.differences)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_copy_has_no_differences(copied: Campaigns, job: Job, workers: int) -> None:
    result = check(job, workers=workers)
    assert (result.differing, result.unsettled, result.agrees) == (0, 0, True)
    assert result.rows == {"users": 3, "campaigns": 3, "sessions": 12}
    counted = {one.entity: one.found for one in result.entities}
    assert counted == {
        "User": 3, "Campaign": 3, "Session": 12, "Transcript": 12, "Summary": 24, "Unique": 3,
    }  # fmt: skip
    assert all(one.expected_hash == one.found_hash for one in result.entities)
    assert len({one.found_hash for one in result.entities}) == 6
    assert [one.left_out for one in result.entities if one.entity == "Campaign"] == [
        ("sessionCount",)
    ]
    assert not list(job.folder.glob("*.differences.jsonl"))
    assert not list(job.folder.glob("*.verify*"))


# What is done to the table, and what is said of it.
HARM: dict[str, tuple[Callable[[Store], None], list[tuple[str, str, str | None]]]] = {
    "a changed field": (
        lambda store: change(store, SESSION, "name", {"S": "Other"}),
        [("different", "Session", "name")],
    ),
    "a changed key of an index": (
        lambda store: change(store, SESSION, "GSI2PK", {"S": "USER#u1#STATUS#FAILED"}),
        [("different", "Session", "GSI2PK")],
    ),
    "a changed version": (
        lambda store: change(store, SESSION, "version", {"N": "7"}),
        [("different", "Session", "version")],
    ),
    "an attribute too many": (
        lambda store: change(store, SESSION, "colour", {"S": "red"}),
        [("different", "Session", "colour")],
    ),
    "another type": (
        lambda store: change(store, SESSION, "entityType", {"S": "Stranger"}),
        [("different", "Session", "entityType")],
    ),
    "a missing item": (lambda store: delete(store, SESSION), [("missing", "Session", None)]),
    "a missing guard": (
        lambda store: delete(store, key_of(GUARD, GUARD)),
        [("missing", "Unique", None)],
    ),
    "a guard of nobody": (
        lambda store: change(store, key_of(GUARD, GUARD), "OwnerPK", {"S": "USER#nobody"}),
        [("different", "Unique", "OwnerPK")],
    ),
    "an extra item": (
        lambda store: put(
            store, key_of("USER#u1", "SESSION#c1#gone"), entityType="SESSION", name="Gone"
        ),
        [("extra", "Session", None)],
    ),
    "an extra guard": (
        lambda store: put(
            store, key_of("UNIQUE#x", "UNIQUE#x"), entityType="Unique", OwnerPK="a", OwnerSK="b"
        ),
        [("extra", "Unique", None)],
    ),
}


@pytest.mark.parametrize("harm", HARM)
def test_every_difference_is_found_and_repaired(harm: str, copied: Campaigns, job: Job) -> None:
    before = contents(job.destination)
    do, expected = HARM[harm]
    do(copied)
    result = check(job)
    assert told(result) == expected
    assert not result.agrees
    assert (result.repaired, result.left) == (0, 1)
    [line] = (job.folder / "ToOneTable.differences.jsonl").read_text("utf-8").splitlines()
    assert json.loads(line)["fault"] == expected[0][0]
    [hashed] = [one for one in result.entities if one.entity == expected[0][1]]
    assert hashed.expected_hash != hashed.found_hash
    repaired = check(job, repair=True)
    assert (repaired.differing, repaired.repaired, repaired.left) == (1, 1, 0)
    assert contents(job.destination) == before
    assert check(job).agrees


def test_a_difference_says_what_was_expected_and_what_was_found(
    copied: Campaigns, job: Job
) -> None:
    change(copied, SESSION, "name", {"S": "Other"})
    [difference] = check(job).differences
    assert str(difference) == (
        "Session USER#u1 / SESSION#c1#s1 (of sessions/s1): name is 'Other', expected 'Session 1'"
    )


def test_counts_are_right_after_a_repair(copied: Campaigns, job: Job) -> None:
    copied.delete(Session.key(user_id="u1", campaign_id="c1", session_id="s1"))
    delete(copied, key_of("USER#u1", "SESSION#c1#s4"))
    change(copied, key_of("USER#u1", "CAMPAIGN#c1"), "name", {"S": "Other"})
    assert check(job, repair=True).left == 0
    campaign = copied.campaign("u1", "c1").one()
    assert (campaign.name, campaign.session_count) == ("Campaign 1", 4)


def test_what_the_table_keeps_itself_is_not_compared(copied: Campaigns, job: Job) -> None:
    change(copied, key_of("USER#u1", "CAMPAIGN#c1"), "sessionCount", {"N": "99"})
    assert check(job).agrees


def test_items_that_no_rule_makes_are_counted_apart(copied: Campaigns, job: Job) -> None:
    with_users = replace(job, migration=WithoutUsers)
    run(with_users)
    copied.send(
        "PutItem",
        {"TableName": copied.table_name, "Item": {**key_of("x", "y"), "other": {"S": "z"}}},
    )
    result = check(with_users)
    assert result.agrees
    assert result.apart == {"": 1, "User": 3, "Unique": 3, "Session": 12, "Summary": 24,
                            "Transcript": 12}  # fmt: skip


class WithoutUsers(Migration[Campaigns]):
    """Makes campaigns alone."""

    @rows("campaigns")
    def campaigns(self, row: Row) -> Iterator[Entity]:
        yield _campaign(row)


def _campaign(row: Row) -> Campaign:
    return Campaign(
        user_id=row["user_id"],
        campaign_id=row["id"],
        name=row["name"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
    )


def test_leftovers_are_found_even_where_all_rows_of_an_entity_went(
    copied: Campaigns, old: Old, job: Job
) -> None:
    old.execute("DELETE FROM campaigns")
    assert told(check(job)) == [("extra", "Campaign", None)] * 3


def test_rejected_rows_are_told_as_such(old: Old, job: Job) -> None:
    old.fill(users=3, sessions=12)
    old.execute("UPDATE users SET email = 'u0@example.com' WHERE id = 'u1'")
    old.execute("UPDATE sessions SET status = 'LOST' WHERE id = 's1'")
    assert run(job).rejected == 2
    result = check(job)
    assert result.agrees
    assert result.rejected == {"users": 1, "sessions": 1}


def test_a_row_that_another_one_excludes_is_rejected_still(old: Old, job: Job) -> None:
    lowered = replace(job, migration=Lowered)
    old.fill(users=1, sessions=2)
    old.execute("INSERT INTO users VALUES ('U0', 'x@example.com', 'X', ?, ?)", LATER, LATER)
    run(lowered)
    result = check(lowered)
    assert result.agrees
    assert result.rejected == {"users": 1}


def test_a_row_that_clashes_with_another_and_is_not_among_the_rejects_is_a_difference(
    old: Old, job: Job
) -> None:
    lowered = replace(job, migration=Lowered)
    old.fill(users=1, sessions=2)
    run(lowered)
    old.execute("INSERT INTO users VALUES ('U0', 'x@example.com', 'User 0', ?, ?)", WHEN, LATER)
    result = check(lowered, repair=True)
    assert told(result) == [("clash", "Campaign", None)]
    assert (result.repaired, result.left) == (0, 1)


def test_a_row_that_was_rejected_and_could_be_written_now_is_missing(old: Old, job: Job) -> None:
    old.fill(users=3, sessions=12)
    old.execute("UPDATE users SET email = 'u0@example.com' WHERE id = 'u1'")
    run(job)
    old.execute("UPDATE users SET email = 'u1@example.com' WHERE id = 'u1'")
    assert told(check(job)) == [("missing", "Unique", None), ("missing", "User", None)]
    assert check(job, repair=True).left == 0
    assert check(job).agrees


def test_a_row_that_went_bad_is_told_and_listed(copied: Campaigns, old: Old, job: Job) -> None:
    old.execute("UPDATE users SET name = NULL WHERE id = 'u1'")
    result = check(job)
    assert told(result) == [
        ("extra", "Unique", None), ("extra", "User", None), ("unlisted", "users", None),
    ]  # fmt: skip
    assert check(job, repair=True).left == 0
    result = check(job)
    assert result.agrees
    assert result.rejected == {"users": 1}


def test_content_is_known_by_its_checksum_or_loaded(old: Old, job: Job) -> None:
    old.fill(users=1, sessions=1)
    old.execute("UPDATE sessions SET transcript_text = ?", "long " * 2000)
    run(job)
    with Campaigns.connect(job.destination) as store:
        transcript = _transcript(store)
        assert transcript.text is not None
        store.put(transcript.model_copy(update={"text": Large(store.load(transcript.text))}))
        change(store, TRANSCRIPT, "updatedAt", {"S": "2026-02-01T00:00:00.000000Z"})
        assert check(job, content=True).agrees  # the same content, elsewhere
        stored = _transcript(store).text
        assert stored is not None
        assert stored.stored is not None
        part = key_of("USER#u0", f"PART#{stored.stored.id}#00001")
        change(store, part, "Data", {"B": b"broken"})
    assert check(job).agrees
    assert told(check(job, content=True)) == [("different", "Transcript", "text")]
    assert check(job, content=True, repair=True).left == 0
    assert check(job, content=True).agrees


TRANSCRIPT = key_of("USER#u0", "SESSION#c0#s0#TRANSCRIPT")


def _transcript(store: Campaigns) -> Transcript:
    key = {"user_id": "u0", "campaign_id": "c0", "session_id": "s0"}
    return store.bind(Transcript.get(**key)).one()


def test_it_needs_a_copy(job: Job) -> None:
    with pytest.raises(UsageError, match="not copied yet"):
        check(job)


def test_what_the_new_side_has_written_since_is_not_undone(copied: Campaigns, job: Job) -> None:
    Cutover(copied, job.name, refresh_s=0.01).advance("done", by="ann", force=True)
    copied.create(
        Summary(user_id="u1", campaign_id="c1", session_id="new", audience="GM", content="")
    )
    assert told(check(job)) == [("extra", "Summary", None)]
    with pytest.raises(UsageError, match="would undo"):
        check(job, repair=True)


def test_what_changes_between_two_looks_is_no_difference(
    copied: Campaigns, old: Old, job: Job
) -> None:
    """A write that reaches one side before the other looks like a difference only once."""
    old.execute("UPDATE sessions SET name = 'New' WHERE id = 's1'")
    old.execute("DELETE FROM users WHERE id = 'u2'")
    seen = []

    def catch_up(state: Any) -> None:
        seen.append(state.state)
        if state.state == "looking again":
            change(copied, SESSION, "name", {"S": "New"})
            copied.delete(User.key(user_id="u2"))

    assert check(job, show=catch_up).agrees
    assert "looking again" in seen


def test_a_row_that_never_rests_is_left_unsettled(copied: Campaigns, old: Old, job: Job) -> None:
    numbers = iter(range(1000))

    def write(state: Any) -> None:
        old.execute("UPDATE sessions SET name = ? WHERE id = 's1'", f"New {next(numbers)}")

    result = check(job, show=write)
    assert (result.differing, result.unsettled, result.agrees) == (0, 1, False)


def test_the_scratch_file_of_a_stopped_verification_is_made_anew(
    copied: Campaigns, job: Job
) -> None:
    path: Path = job.folder / "ToOneTable.verify"
    with closing(sqlite3.connect(path)) as left:
        left.execute("CREATE TABLE items (x)")
    assert check(job).agrees
    assert not path.exists()
