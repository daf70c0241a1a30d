"""The campaign manager's PostgreSQL, filled on the server itself, and changed at random."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import psycopg

SCHEMA = Path("apps/campaigns/schema.sql")
CAMPAIGNS = 2
"""Of each user."""

# Ids are numbered, and everything else follows from the number. Every 25th transcript is too long
# to stay in its item.
_FILL = """
INSERT INTO users SELECT 'u' || n, 'u' || n || '@example.com', 'User ' || n, 'secret', {at}, {at}
    FROM generate_series(0, {users} - 1) n;
INSERT INTO campaigns SELECT 'c' || n, 'u' || n / {campaigns}, 'Campaign ' || n,
    CASE WHEN n % 3 = 0 THEN NULL ELSE 'About ' || n END, {at}, {at}
    FROM generate_series(0, {users} * {campaigns} - 1) n;
INSERT INTO sessions SELECT 's' || n, 'c' || {campaign}, 'u' || {campaign} / {campaigns},
    'Session ' || n, NULL, (ARRAY['UPLOADED', 'TRANSCRIBING', 'COMPLETED', 'FAILED'])[1 + n % 4],
    'recordings/' || n || '.mp3', 'job' || n, CASE WHEN n % 10 = 0 THEN md5('share' || n) END,
    {at}, {at} + interval '1 hour'
    FROM generate_series(0, {sessions} - 1) n;
INSERT INTO transcripts SELECT 's' || n, 'job' || n,
    repeat('And then they said: ' || n || '. ', CASE WHEN n % 25 = 0 THEN 400 ELSE 1 + n % 20 END),
    {at}, {at}
    FROM generate_series(0, {sessions} - 1) n;
INSERT INTO summaries SELECT 's' || n, type, 'What ' || type || ' should know of ' || n, {at}, {at}
    FROM generate_series(0, {sessions} - 1) n, unnest(ARRAY['GM', 'PLAYER']) type;
ANALYZE;
"""
LATE = (psycopg.errors.ForeignKeyViolation, psycopg.errors.DeadlockDetected)
"""Another writer was faster, and nothing comes of the change."""
_AT = "timestamptz '2026-01-01 00:00Z' + n * interval '1 second'"


@dataclass(frozen=True)
class Size:
    """Says how many rows there are: a session has a transcript and two summaries."""

    users: int
    sessions: int

    @classmethod
    def of(cls, rows: int) -> Size:
        """Give the size of about so many rows in all."""
        sessions = rows * 9 // 40
        return cls((rows - 4 * sessions) // (1 + CAMPAIGNS), sessions)

    @property
    def rows(self) -> int:
        """Count the rows of all tables."""
        return self.users * (1 + CAMPAIGNS) + 4 * self.sessions


def fill(address: str, size: Size) -> None:
    """Make the tables and fill them."""
    with psycopg.connect(address) as connection:
        connection.execute(SCHEMA.read_bytes() + filling(size).encode())


def filling(size: Size) -> str:
    """Write the statements that fill the tables."""
    return _FILL.format(
        at=_AT,
        users=size.users,
        sessions=size.sessions,
        campaigns=CAMPAIGNS,
        campaign=f"(n % {size.users * CAMPAIGNS})",
    )


def writer(address: str, size: Size, seed: int) -> Iterator[None]:
    """Change the database as the application does, one transaction at a time."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    with psycopg.connect(address, autocommit=True) as connection:
        for number in count():
            with suppress(*LATE), connection.transaction():
                _change(connection, size, chance, f"n{seed}-{number}")
            yield


def _change(
    connection: psycopg.Connection[Any], size: Size, chance: random.Random, new: str
) -> None:
    session = f"s{chance.randrange(size.sessions)}"
    campaign = chance.randrange(size.users * CAMPAIGNS)
    ids = {"session": session, "campaign": f"c{campaign}", "user": f"u{campaign // CAMPAIGNS}"}
    connection.execute(
        chance.choice(_CHANGES).encode(),
        {**ids, "new": new, "text": new * chance.choice([1, 100, 2000])},
    )


# A campaign may be gone, and then nothing comes of a change that needs it.
_CHANGES = [
    """
    WITH made AS (
        INSERT INTO sessions (id, campaign_id, user_id, name, status, created_at, updated_at)
        SELECT %(new)s, id, user_id, 'New', 'UPLOADED', now(), now()
        FROM campaigns WHERE id = %(campaign)s RETURNING id
    ), told AS (
        INSERT INTO transcripts SELECT id, %(new)s, %(text)s, now(), now() FROM made
    )
    INSERT INTO summaries SELECT id, 'GM', 'New', now(), now() FROM made
    """,
    "UPDATE sessions SET name = %(new)s, updated_at = now() WHERE id = %(session)s",
    "UPDATE sessions SET status = 'FAILED', share_token = %(new)s WHERE id = %(session)s",
    "UPDATE transcripts SET text = %(text)s, updated_at = now() WHERE session_id = %(session)s",
    "UPDATE summaries SET content = %(new)s, updated_at = now() WHERE session_id = %(session)s",
    "DELETE FROM summaries WHERE session_id = %(session)s AND type = 'PLAYER'",
    "DELETE FROM transcripts WHERE session_id = %(session)s",
    "DELETE FROM sessions WHERE id = %(session)s",
    """
    UPDATE sessions SET campaign_id = campaigns.id, user_id = campaigns.user_id
    FROM campaigns WHERE sessions.id = %(session)s AND campaigns.id = %(campaign)s
    """,
    "UPDATE campaigns SET name = %(new)s, updated_at = now() WHERE id = %(campaign)s",
    "DELETE FROM campaigns WHERE id = %(campaign)s AND id LIKE '%%7'",  # with all in it
    "UPDATE users SET email = %(new)s || '@example.com' WHERE id = %(user)s",
    """
    WITH made AS (
        INSERT INTO users VALUES (%(new)s, %(new)s || '@example.org', 'New', NULL, now(), now())
        RETURNING id
    )
    INSERT INTO campaigns SELECT %(new)s, id, 'First', NULL, now(), now() FROM made
    """,
]
