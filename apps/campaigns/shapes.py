"""What is sent to the service, and what it shows where that is not the entity itself."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from apps.service import Changes, Sent

from .design import Session, SessionView, Summary, Transcript

Name = Annotated[str, Field(min_length=1, max_length=200)]
Text = Annotated[str, Field(max_length=20_000)]

SUMMARY_MAX = 100_000
TRANSCRIPT_MAX = 5_000_000


class Profile(Sent):
    """Says who the user is."""

    name: Name


class NewCampaign(Sent):
    """Describes a campaign that begins."""

    name: Name
    description: Text = ""


class CampaignChanges(Changes):
    """Has the fields of a campaign that are to change."""

    name: Name = ""
    description: Text = ""


class NewSession(Sent):
    """Describes a session that was played."""

    name: Name
    description: Text = ""


class SessionChanges(Changes):
    """Has the fields of a session that are to change."""

    name: Name = ""
    description: Text = ""


class NewSummary(Sent):
    """A recap."""

    content: Annotated[str, Field(min_length=1, max_length=SUMMARY_MAX)]


class JobDone(Sent):
    """What a transcription service tells when a job has ended."""

    job_id: Annotated[str, Field(min_length=1, max_length=100)]
    status: Literal["COMPLETED", "FAILED"]
    text: Annotated[str, Field(max_length=TRANSCRIPT_MAX)] = ""


class ShareLink(BaseModel):
    """Has the token of a link for players."""

    token: str


class Shared(BaseModel):
    """All that players see of a session."""

    content: str


class TranscriptShown(BaseModel):
    """A transcript without its text."""

    length: int
    preview: str
    created_at: datetime
    updated_at: datetime

    @classmethod
    def of(cls, transcript: Transcript) -> TranscriptShown:
        """Show how long a transcript is, and how it begins."""
        text = transcript.text
        return cls(
            length=text.length if text else 0,
            preview=text.preview if text else "",
            created_at=transcript.created_at,
            updated_at=transcript.updated_at,
        )


class SessionPage(BaseModel):
    """A session as its page shows it."""

    session: Session
    transcript: TranscriptShown | None
    summaries: list[Summary]

    @classmethod
    def of(cls, view: SessionView) -> SessionPage:
        """Show what one request has read."""
        return cls(
            session=view.session,
            transcript=TranscriptShown.of(view.transcript) if view.transcript else None,
            summaries=view.summaries,
        )


class Found(BaseModel):
    """A session in which words were found, with the places as HTML."""

    campaign_id: str
    session_id: str
    kind: Literal["session", "transcript"]
    highlights: Mapping[str, str]
