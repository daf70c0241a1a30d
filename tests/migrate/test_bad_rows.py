"""Rows of PostgreSQL that cannot be migrated are told with their reason, and all others copied."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import orjson
import psycopg
import pytest

from apps.campaigns.design import Campaign, Campaigns, Session, User
from apps.campaigns.migration import LeavePostgres
from singletable import Entity
from singletable.migrate import Job, Row, rows, verify

from . import postgres
from .proof import sql
from .test_running import run

# A database that never asked for an encoding takes any bytes, and one without constraints any row.
ASCII = "ENCODING 'SQL_ASCII' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'"
CONSTRAINT = re.compile(r" NOT NULL| UNIQUE| REFERENCES \w+ \(id\) ON DELETE CASCADE")


class Merged(LeavePostgres):
    """Takes names of campaigns in one case for the same, and descriptions for JSON."""

    @rows("campaigns")
    def campaigns(self, row: Row) -> Iterator[Entity]:
        yield Campaign(
            user_id=row["user_id"],
            campaign_id=row["id"].lower(),
            name=row["name"],
            description=orjson.loads(row["description"])["text"],
            created_at=row["created_at"],
            updated_at=row["updated_at"],
        )


# What is done to a row, which row that is, and what is said of it.
BAD = {
    "null in a key": (
        "UPDATE sessions SET user_id = NULL WHERE id = 's1'",
        "sessions/s1",
        "user_id",
    ),
    "null in a time": (
        "UPDATE users SET created_at = NULL WHERE id = 'u1'",
        "users/u1",
        "created_at",
    ),
    "a time without end": (
        "UPDATE users SET updated_at = 'infinity' WHERE id = 'u2'",
        "users/u2",
        "updated_at",
    ),
    "a delimiter in a key": (
        "UPDATE sessions SET campaign_id = 'c#1' WHERE id = 's2'",
        "sessions/s2",
        "campaign_id='c#1' is refused",
    ),
    "a value that is none of those": (
        "UPDATE sessions SET status = 'LOST' WHERE id = 's3'",
        "sessions/s3",
        "status",
    ),
    "no JSON": (
        "UPDATE campaigns SET description = '{\"text\": ' WHERE id = 'c4'",
        "campaigns/c4",
        "JSONDecodeError",
    ),
    "an item that is too large": (
        "UPDATE summaries SET content = repeat('x', 500000) WHERE (session_id, type) = ('s5','GM')",
        "sessions/s5",
        "Summary has 500,",
    ),
    "a unique value of another": (
        "UPDATE users SET email = 'u0@example.com' WHERE id = 'u6'",
        "users/u6",
        "is unique",
    ),
    "a key of another": (
        "INSERT INTO campaigns SELECT 'C7', 'u3', 'C', '{\"text\": \"\"}', now(), now()",
        "campaigns/c7",
        "campaigns/C7 makes an item with the key USER#u3, CAMPAIGN#c7, too",
    ),
    "text in another encoding": (
        r"UPDATE users SET name = convert_from('\x4de9', 'SQL_ASCII') WHERE id = 'u8'",
        "users/u8",
        "name",
    ),
    "a key in another encoding": (
        r"UPDATE users SET id = convert_from('\xe9', 'SQL_ASCII') WHERE id = 'u9'",
        "users/@undecoded:6Q==",
        "user_id",
    ),
}


@pytest.fixture
def database(postgres_server: str) -> Iterator[str]:
    with postgres.database(postgres_server, ASCII) as address:
        with psycopg.connect(address) as connection:
            connection.execute(CONSTRAINT.sub("", sql.SCHEMA.read_text("utf-8")).encode())
            connection.execute(sql.filling(sql.Size(users=10, sessions=40)).encode())
            connection.execute(b'UPDATE campaigns SET description = \'{"text": "Any"}\'')
            for statement, _, _ in BAD.values():
                connection.execute(statement.encode())
        yield address


def test_each_bad_row_is_told_with_its_reason_and_all_others_are_there(
    database: str, tmp_path: Path
) -> None:
    job = Job(
        migration=Merged,
        source=database,
        destination=str(tmp_path / "new.db"),
        folder=tmp_path / "work",
    )
    assert run(job).rejected == len(BAD)
    lines = job.rejects.read_text("utf-8").splitlines()
    told = {line["id"]: line["reason"] for line in map(orjson.loads, lines)}
    assert told.keys() == {row for _, row, _ in BAD.values()}
    for _, row, reason in BAD.values():
        assert reason in told[row]
    with Campaigns.connect(job.destination) as store:
        found = {
            *(f"users/{one.user_id}" for one in store.bind(User.scan())),
            *(f"sessions/{one.session_id}" for one in store.bind(Session.scan())),
        }
    everything = {*(f"users/u{n}" for n in range(9)), *(f"sessions/s{n}" for n in range(40))}
    assert found == everything - told.keys()
    checked = verify(job, settle_s=0)
    assert checked.agrees
    assert sum(checked.rejected.values()) == len(BAD)
