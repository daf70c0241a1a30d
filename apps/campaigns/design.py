"""The design of the campaign manager: its table, its entities, every access pattern.

A user owns campaigns, a campaign has sessions, a session has a transcript and two summaries. All
that a user owns lies in that user's partition. A session and its parts stand next to each other,
so that one query reads them; the list of sessions comes from an index that holds sessions alone,
or each session in the list would be paid for with its transcript and summaries.
"""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Annotated, Literal

from apps.receipts import Receipt
from singletable import (
    Collection,
    Entity,
    F,
    Get,
    Index,
    Large,
    Query,
    Store,
    Table,
    Unique,
    camel_case,
    collect,
    count_of,
    created,
    pattern,
    ulid,
    updated,
    version,
)

table = Table(
    "rpg_sessions",
    indexes=["GSI1", "GSI2", "GSI3"],
    type_attribute="entityType",
    attribute_names=camel_case,
    ttl="ttl",
    stream="NEW_AND_OLD_IMAGES",
)

Status = Literal["UPLOADED", "TRANSCRIBING", "COMPLETED", "FAILED"]


class User(Entity, table=table, type="USER", pk="USER#{user_id}", sk="METADATA#{user_id}"):
    """A game master. The id is the subject of the user's token, and never changes."""

    user_id: str
    email: Annotated[str, Unique()]
    name: str
    created_at: datetime = created()
    updated_at: datetime = updated()


class Campaign(
    Entity, table=table, type="CAMPAIGN", pk="USER#{user_id}", sk="CAMPAIGN#{campaign_id}"
):
    """A campaign, with the number of its sessions."""

    user_id: str
    campaign_id: str = ulid()
    name: str
    description: str = ""
    session_count: int = count_of("Session")
    created_at: datetime = created()
    updated_at: datetime = updated()
    version: int = version()


class Session(
    Entity,
    table=table,
    type="SESSION",
    pk="USER#{user_id}",
    sk="SESSION#{campaign_id}#{session_id}",
):
    """One evening's play: a recording, and what has been made of it."""

    by_campaign = Index(
        "GSI1", pk="USER#{user_id}#CAMPAIGN#{campaign_id}", sk="{created_at}#{session_id}"
    )
    by_status = Index("GSI2", pk="USER#{user_id}#STATUS#{status}", sk="{updated_at}#{session_id}")
    by_share = Index("GSI3", pk="SHARE#{share_token}", sk="SESSION")

    user_id: str
    campaign_id: str
    session_id: str = ulid()
    name: str
    description: str = ""
    status: Status = "UPLOADED"
    audio_storage_key: str | None = None
    transcription_job_id: str | None = None
    share_token: str | None = None
    created_at: datetime = created()
    updated_at: datetime = updated()
    version: int = version()


class Transcript(
    Entity,
    table=table,
    type="TRANSCRIPT",
    pk="USER#{user_id}",
    sk="SESSION#{campaign_id}#{session_id}#TRANSCRIPT",
):
    """What was said. The text may be long and is loaded when somebody reads it."""

    by_job = Index("GSI3", pk="JOB#{transcription_job_id}", sk="TRANSCRIPT")

    user_id: str
    campaign_id: str
    session_id: str
    transcription_job_id: str | None = None
    text: Large[str] | None = None
    created_at: datetime = created()
    updated_at: datetime = updated()


class Summary(
    Entity,
    table=table,
    type="SUMMARY",
    pk="USER#{user_id}",
    sk="SESSION#{campaign_id}#{session_id}#SUMMARY#{audience}",
):
    """A recap of a session, for the game master or for the players."""

    user_id: str
    campaign_id: str
    session_id: str
    audience: Literal["GM", "PLAYER"]
    content: str
    created_at: datetime = created()
    updated_at: datetime = updated()


class Request(
    Receipt,
    Entity,
    table=table,
    type="REQUEST",
    pk="USER#{user_id}#REQUESTS",
    sk="REQUEST#{request_id}",
):
    """What became of a request, for who sends it again."""

    user_id: str


@dataclass
class SessionView:
    """A session as its page shows it."""

    session: Session
    transcript: Transcript | None
    summaries: list[Summary]


class Campaigns(Store, table=table):
    """Every access pattern of the campaign manager."""

    ignored = {
        "H404": {"sessions_about": "a campaign has some dozen sessions; more need a search index"},
        "T301": {
            "Session.by_share": "a share token is random, and long enough never to be made twice",
            "Transcript.by_job": "the transcription service gives every job an id of its own",
        },
    }

    @pattern(rate_per_s=2)
    def profile(self, user_id: str) -> Get[User]:
        """Who has logged in."""
        return User.get(user_id=user_id)

    @pattern(rate_per_s=5, page=50)
    def campaigns(self, user_id: str) -> Query[Campaign]:
        """The user's campaigns, newest first."""
        return Campaign.query(user_id=user_id).newest_first()

    @pattern()
    def campaign(self, user_id: str, campaign_id: str) -> Get[Campaign]:
        """One campaign, right after it was changed too."""
        return Campaign.get(user_id=user_id, campaign_id=campaign_id).strong()

    @pattern(rate_per_s=5, page=20)
    def sessions(self, user_id: str, campaign_id: str) -> Query[Session]:
        """The session list of a campaign, newest first."""
        return Session.by_campaign.query(user_id=user_id, campaign_id=campaign_id).newest_first()

    @pattern(page=20)
    def sessions_between(
        self, user_id: str, campaign_id: str, first: date, last: date
    ) -> Query[Session]:
        """The sessions of a campaign that were recorded between two dates, or two moments."""
        return Session.by_campaign.query(user_id=user_id, campaign_id=campaign_id).between(
            first, last
        )

    @pattern(rate_per_s=5)
    def session(self, user_id: str, campaign_id: str, session_id: str) -> Collection[SessionView]:
        """A session with its transcript and summaries, in one request."""
        return collect(SessionView, user_id=user_id, campaign_id=campaign_id, session_id=session_id)

    @pattern()
    def summaries(self, user_id: str, campaign_id: str, session_id: str) -> Query[Summary]:
        """The summaries of a session, for both audiences."""
        return Summary.query(user_id=user_id, campaign_id=campaign_id, session_id=session_id)

    @pattern()
    def summary_for_players(self, user_id: str, campaign_id: str, session_id: str) -> Get[Summary]:
        """What the players may read of a session, and nothing else."""
        return Summary.get(
            user_id=user_id, campaign_id=campaign_id, session_id=session_id, audience="PLAYER"
        )

    @pattern(page=50)
    def sessions_about(self, user_id: str, campaign_id: str, words: str) -> Query[Session]:
        """The sessions whose name or description has these words.

        Every session of the campaign is read and paid for: good for some dozens.
        """
        return Session.by_campaign.query(user_id=user_id, campaign_id=campaign_id).filter(
            F("name").contains(words) | F("description").contains(words)
        )

    @pattern()
    def recently_done(self, user_id: str, since: datetime) -> Query[Session]:
        """What was finished since the last visit."""
        return Session.by_status.query(user_id=user_id, status="COMPLETED").ge(since)

    @pattern()
    def shared(self, share_token: str) -> Query[Session]:
        """The session behind a share link."""
        return Session.by_share.query(share_token=share_token)

    @pattern()
    def transcript_of_job(self, transcription_job_id: str) -> Query[Transcript]:
        """The transcript that a finished transcription job belongs to."""
        return Transcript.by_job.query(transcription_job_id=transcription_job_id)

    @pattern()
    def receipt(self, user_id: str, request_id: str) -> Get[Request]:
        """What became of a request that is sent again."""
        return Request.get(user_id=user_id, request_id=request_id).strong()
