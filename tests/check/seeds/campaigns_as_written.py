"""The campaign manager as it was first written down: keys, indexes and patterns, faults and all.

The two indexes are those that the document calls optional enhancements, with the pattern that each
is for. Times are text, and ids are whatever the caller gives, as in the document's items.
"""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from singletable import (
    Collection,
    Copied,
    Entity,
    F,
    Get,
    Index,
    Query,
    Store,
    Table,
    camel_case,
    collect,
    pattern,
)

table = Table(
    "rpg_sessions",
    indexes=["GSI1", "GSI2"],
    type_attribute="entityType",
    attribute_names=camel_case,
)


class User(Entity, table=table, type="USER", pk="USER#{user_id}", sk="METADATA#{user_id}"):
    """User metadata."""

    user_id: str
    email: str
    name: str
    created_at: str
    updated_at: str


class Campaign(
    Entity, table=table, type="CAMPAIGN", pk="USER#{user_id}", sk="CAMPAIGN#{campaign_id}"
):
    """A campaign."""

    by_name = Index("GSI1", pk="CAMPAIGN#{name}", sk="USER#{user_id}")

    user_id: str
    campaign_id: str
    name: str
    description: str
    created_at: str
    updated_at: str


class Session(
    Entity,
    table=table,
    type="SESSION",
    pk="USER#{user_id}",
    sk="CAMPAIGN#{campaign_id}#SESSION#{session_id}",
):
    """A session, with the campaign's name for display."""

    by_status = Index("GSI2", pk="SESSION#{status}", sk="USER#{user_id}#{updated_at}")

    user_id: str
    campaign_id: str
    campaign_name: Annotated[str, Copied(Campaign, "name")]
    session_id: str
    name: str
    description: str
    audio_storage_key: str
    transcription_job_id: str
    status: str
    share_token: str
    created_at: str
    updated_at: str


class Transcript(
    Entity,
    table=table,
    type="TRANSCRIPT",
    pk="USER#{user_id}",
    sk="CAMPAIGN#{campaign_id}#SESSION#{session_id}#TRANSCRIPT",
):
    """A pointer to the transcript, and its dialogue in parts."""

    user_id: str
    campaign_id: str
    session_id: str
    s3_key: str
    content_length: int
    transcript_json: dict[str, Any] = Field(default_factory=dict)
    created_at: str
    updated_at: str


class Summary(
    Entity,
    table=table,
    type="SUMMARY",
    pk="USER#{user_id}",
    sk="CAMPAIGN#{campaign_id}#SESSION#{session_id}#SUMMARY#{kind}",
):
    """A summary, for the game master or for the players."""

    user_id: str
    campaign_id: str
    session_id: str
    kind: Literal["GM", "PLAYER"]
    content: str
    created_at: str
    updated_at: str


@dataclass
class SessionView:
    """What the document says that pattern 4 returns."""

    session: Session
    transcript: Transcript | None
    summaries: list[Summary]


class Campaigns(Store, table=table):
    """The document's access patterns 1 to 6, and those of its two indexes."""

    @pattern()
    def user_profile(self, user_id: str) -> Get[User]:
        """Pattern 1: who has logged in."""
        return User.get(user_id=user_id)

    @pattern()
    def campaigns(self, user_id: str) -> Query[Campaign]:
        """Pattern 2: begins_with(SK, "CAMPAIGN#")."""
        return Campaign.query(user_id=user_id)

    @pattern()
    def sessions(self, user_id: str, campaign_id: str) -> Query[Session]:
        """Pattern 3: begins_with(SK, "CAMPAIGN#<id>#SESSION#")."""
        return Session.query(user_id=user_id, campaign_id=campaign_id)

    @pattern()
    def session(self, user_id: str, campaign_id: str, session_id: str) -> Collection[SessionView]:
        """Pattern 4: a session with its transcript and summaries."""
        return collect(SessionView, user_id=user_id, campaign_id=campaign_id, session_id=session_id)

    @pattern()
    def session_by_prefix(self, user_id: str, campaign_id: str, session_id: str) -> Query[Session]:
        """Pattern 4 as its request has it: begins_with(SK, "…#SESSION#<id>"), with no delimiter."""
        return Session.query(user_id=user_id, campaign_id=campaign_id).begins_with(session_id)

    @pattern()
    def summaries(self, user_id: str, campaign_id: str, session_id: str) -> Query[Summary]:
        """Pattern 5: begins_with(SK, "…#SUMMARY#")."""
        return Summary.query(user_id=user_id, campaign_id=campaign_id, session_id=session_id)

    @pattern()
    def search(self, user_id: str, campaign_id: str, keyword: str) -> Query[Session]:
        """Pattern 6: as pattern 3, filtered by a keyword."""
        return Session.query(user_id=user_id, campaign_id=campaign_id).filter(
            F("name").contains(keyword) | F("description").contains(keyword)
        )

    @pattern()
    def campaigns_named(self, name: str) -> Query[Campaign]:
        """The pattern of GSI1: campaigns by name."""
        return Campaign.by_name.query(name=name)

    @pattern()
    def active_sessions(self) -> Query[Session]:
        """The pattern of GSI2: all active sessions, of all users."""
        return Session.by_status.query(status="ACTIVE")
