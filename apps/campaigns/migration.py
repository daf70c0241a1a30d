"""The campaign manager leaves PostgreSQL: the five tables of ``schema.sql`` become one.

A session takes its transcript and its summaries along: they have the session's id alone, and their
keys need its user and its campaign, too. Passwords stay behind, since tokens say who a user is.
The rules of the way back come after those of the way there: with them a cutover can be undone.
"""

from collections.abc import Iterator
from datetime import datetime

from singletable import Entity
from singletable.migrate import Both, Migration, Row, back, rows

from .design import Campaign, Campaigns, Request, Session, Summary, Transcript, User


class LeavePostgres(Migration[Campaigns]):
    """From five tables of PostgreSQL to rpg_sessions."""

    queries = {
        "SELECT * FROM users WHERE id = ?": "profile",
        "SELECT * FROM campaigns WHERE user_id = ? ORDER BY created_at DESC": "campaigns",
        "SELECT *, (SELECT count(*) FROM sessions …) FROM campaigns WHERE id = ?": "campaign",
        "SELECT * FROM sessions WHERE campaign_id = ? ORDER BY created_at DESC": "sessions",
        "SELECT * FROM sessions WHERE campaign_id = ? AND created_at BETWEEN …": "sessions_between",
        "SELECT * FROM sessions LEFT JOIN transcripts … LEFT JOIN summaries …": "session",
        "SELECT * FROM summaries WHERE session_id = ?": "summaries",
        "SELECT * FROM sessions WHERE name || description LIKE ?": "sessions_about",
        "SELECT * FROM sessions WHERE status = 'COMPLETED' AND updated_at >= ?": "recently_done",
        "SELECT * FROM sessions WHERE share_token = ?": "shared",
        "SELECT * FROM transcripts WHERE transcription_job_id = ?": "transcript_of_job",
        # A SearchIndex takes its place, which the stream keeps: no pattern of the table.
        "SELECT * FROM transcripts WHERE to_tsvector(text) @@ to_tsquery(?)": None,
    }

    @rows("users")
    def users(self, row: Row) -> Iterator[Entity]:
        """A user, without the password."""
        yield User(
            user_id=row["id"],
            email=row["email"],
            name=row["name"],
            created_at=row["created_at"],
            updated_at=row["updated_at"],
        )

    @rows("campaigns")
    def campaigns(self, row: Row) -> Iterator[Entity]:
        """A campaign; its sessions are counted when all are there."""
        yield Campaign(
            user_id=row["user_id"],
            campaign_id=row["id"],
            name=row["name"],
            description=row["description"] or "",
            created_at=row["created_at"],
            updated_at=row["updated_at"],
        )

    @rows("sessions", related={"transcripts": "session_id", "summaries": "session_id"})
    def sessions(self, row: Row) -> Iterator[Entity]:
        """A session with what has been made of its recording."""
        ids = {
            "user_id": row["user_id"],
            "campaign_id": row["campaign_id"],
            "session_id": row["id"],
        }
        yield Session(
            **ids,
            name=row["name"],
            description=row["description"] or "",
            status=row["status"],
            audio_storage_key=row["audio_url"],
            transcription_job_id=row["transcription_job_id"],
            share_token=row["share_token"],
            created_at=row["created_at"],
            updated_at=row["updated_at"],
        )
        for transcript in row.related["transcripts"]:
            yield Transcript(
                **ids,
                transcription_job_id=transcript["transcription_job_id"],
                text=transcript["text"],
                created_at=transcript["created_at"],
                updated_at=transcript["updated_at"],
            )
        for summary in row.related["summaries"]:
            yield Summary(
                **ids,
                audience=summary["type"],
                content=summary["content"],
                created_at=summary["created_at"],
                updated_at=summary["updated_at"],
            )

    @back(User)
    def users_again(self, user: User, both: Both[Campaigns]) -> Iterator[Row]:
        """The row of a user; a password that it has stays there."""
        columns = {"email": user.email, "name": user.name, **times(user)}
        yield Row("users", (user.user_id,), columns)

    @back(Campaign)
    def campaigns_again(self, campaign: Campaign, both: Both[Campaigns]) -> Iterator[Row]:
        """The row of a campaign."""
        columns = {
            "user_id": campaign.user_id,
            "name": campaign.name,
            "description": campaign.description or None,
            **times(campaign),
        }
        yield Row("campaigns", (campaign.campaign_id,), columns)

    @back(Session, parts=[Transcript, Summary])
    def sessions_again(self, session: Session, both: Both[Campaigns]) -> Iterator[Row]:
        """The row of a session, with those of its transcript and summaries."""
        columns = {
            "campaign_id": session.campaign_id,
            "user_id": session.user_id,
            "name": session.name,
            "description": session.description or None,
            "status": session.status,
            "audio_url": session.audio_storage_key,
            "transcription_job_id": session.transcription_job_id,
            "share_token": session.share_token,
            **times(session),
        }
        view = both.store.session(session.user_id, session.campaign_id, session.session_id).first()
        transcripts = [view.transcript] if view and view.transcript else []
        related = {
            "transcripts": [transcript_again(one, both) for one in transcripts],
            "summaries": [summary_again(one) for one in (view.summaries if view else ())],
        }
        yield Row("sessions", (session.session_id,), columns, related)

    @back(Request)
    def requests_again(self, request: Request, both: Both[Campaigns]) -> Iterator[Row]:
        """Nothing: the old database has no place for it, and it is gone after a day."""
        yield from ()


def transcript_again(transcript: Transcript, both: Both[Campaigns]) -> Row:
    """Give the row of a transcript, with its text from wherever that is."""
    columns = {
        "transcription_job_id": transcript.transcription_job_id,
        "text": both.load(transcript.text),
        **times(transcript),
    }
    return Row("transcripts", (transcript.session_id,), columns)


def summary_again(summary: Summary) -> Row:
    """Give the row of a summary."""
    columns = {"content": summary.content, **times(summary)}
    return Row("summaries", (summary.session_id, summary.audience), columns)


def times(one: User | Campaign | Session | Transcript | Summary) -> dict[str, datetime]:
    """Give the times that every table has."""
    return {"created_at": one.created_at, "updated_at": one.updated_at}
