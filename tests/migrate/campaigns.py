"""The campaign manager leaves its SQL database: four tables become one."""

from __future__ import annotations

from collections.abc import Iterator

from apps.campaigns.design import Campaign, Campaigns, Session, Summary, Transcript, User
from singletable import Entity
from singletable.migrate import Migration, Row, rows

TABLES = """
CREATE TABLE users (id TEXT PRIMARY KEY, email TEXT, name TEXT, created_at TEXT, updated_at TEXT);
CREATE TABLE campaigns (id TEXT PRIMARY KEY, user_id TEXT, name TEXT, description TEXT,
  created_at TEXT, updated_at TEXT);
CREATE TABLE sessions (id TEXT PRIMARY KEY, campaign_id TEXT, user_id TEXT, name TEXT,
  transcript_text TEXT, audio_url TEXT, status TEXT, created_at TEXT, updated_at TEXT);
CREATE TABLE summaries (id TEXT PRIMARY KEY, session_id TEXT, content TEXT, type TEXT,
  created_at TEXT, updated_at TEXT);
"""


class ToOneTable(Migration[Campaigns]):
    """From PostgreSQL to rpg_sessions."""

    @rows("users")
    def users(self, row: Row) -> Iterator[Entity]:
        yield User(
            user_id=row["id"],
            email=row["email"],
            name=row["name"],
            created_at=row["created_at"],
            updated_at=row["updated_at"],
        )

    @rows("campaigns")
    def campaigns(self, row: Row) -> Iterator[Entity]:
        yield Campaign(
            user_id=row["user_id"],
            campaign_id=row["id"],
            name=row["name"],
            description=row["description"] or "",
            created_at=row["created_at"],
            updated_at=row["updated_at"],
        )

    @rows("sessions", related={"summaries": "session_id"})
    def sessions(self, row: Row) -> Iterator[Entity]:
        ids = {
            "user_id": row["user_id"],
            "campaign_id": row["campaign_id"],
            "session_id": row["id"],
        }
        times = {"created_at": row["created_at"], "updated_at": row["updated_at"]}
        yield Session(
            **ids,
            **times,
            name=row["name"],
            status=row["status"],
            audio_storage_key=row["audio_url"],
        )
        if row["transcript_text"]:
            yield Transcript(**ids, **times, text=row["transcript_text"])
        for summary in row.related["summaries"]:
            yield Summary(
                **ids,
                audience=summary["type"],
                content=summary["content"],
                created_at=summary["created_at"],
                updated_at=summary["updated_at"],
            )
