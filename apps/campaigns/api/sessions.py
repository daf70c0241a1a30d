"""Sessions: what was played, and what has been made of it."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from fastapi import APIRouter, Response
from fastapi import Query as Asked
from pydantic import AwareDatetime, Field

from apps.campaigns.design import Campaigns, Session, Summary, Transcript
from apps.campaigns.shapes import NewSession, SessionChanges, SessionPage
from apps.service import (
    After,
    AnyCaller,
    Caller,
    Idempotent,
    IfMatch,
    Limit,
    Listing,
    Problem,
    Sent,
    change,
    tagged,
)
from singletable import Query, Transaction

from .here import READS, WRITES, Id, Own, RecordingUploads

router = APIRouter(tags=["sessions"])


class Wanted(Sent):
    """Says which sessions: all, those between two days, or those with words in their names."""

    first: date | None = None
    last: date | None = None
    words: Annotated[str, Field(min_length=1, max_length=100)] | None = None
    after: After = None
    limit: Limit = 20

    def query(self, store: Campaigns, user_id: str, campaign_id: str) -> Query[Session] | None:
        """Choose the access pattern; None where no day is between the two."""
        if self.words is not None:
            return store.sessions_about(user_id, campaign_id, self.words)
        if self.first is None and self.last is None:
            return store.sessions(user_id, campaign_id)
        first, last = self.first or date.min, self.last or date.max
        if first > last:
            return None
        return store.sessions_between(user_id, campaign_id, first, last)


@router.get("/campaigns/{campaign_id}/sessions", responses=READS)
def read_all(
    campaign_id: Id, caller: Caller, store: Own, wanted: Annotated[Wanted, Asked()]
) -> Listing[Session]:
    """Give the sessions of a campaign, newest first; or of some days; or by words, of any day."""
    chosen = wanted.query(store, caller.subject, campaign_id)
    if chosen is None:
        return Listing(items=[])
    return Listing.of(chosen.limit(wanted.limit).page(wanted.after))


@router.post("/campaigns/{campaign_id}/sessions", status_code=201, responses=WRITES)
def begin(
    campaign_id: Id, body: NewSession, caller: Caller, store: Own, once: Idempotent,
    response: Response,
) -> Session:  # fmt: skip
    """Add a session to a campaign."""
    new = Session(user_id=caller.subject, campaign_id=campaign_id, **body.model_dump())

    def work(tx: Transaction) -> dict[str, str]:
        tx.create(new)
        return {"session_id": new.session_id}

    ids = once.write(store, work, user_id=caller.subject)
    return tagged(response, session_of(store, caller, campaign_id, ids["session_id"]))


@router.get("/campaigns/{campaign_id}/sessions/{session_id}", responses=READS)
def read(
    campaign_id: Id, session_id: Id, caller: Caller, store: Own, response: Response
) -> SessionPage:
    """Give a session with its summaries and the beginning of its transcript."""
    view = store.session(caller.subject, campaign_id, session_id).one()
    tagged(response, view.session)
    return SessionPage.of(view)


@router.patch("/campaigns/{campaign_id}/sessions/{session_id}", responses=WRITES)
def edit(
    campaign_id: Id,
    session_id: Id,
    body: SessionChanges,
    caller: Caller,
    store: Own,
    version: IfMatch,
    response: Response,
) -> Session:
    """Change a session that nobody has changed since."""
    read = session_of(store, caller, campaign_id, session_id)
    return change(store, read, version, body, response)


@router.delete("/campaigns/{campaign_id}/sessions/{session_id}", status_code=204, responses=WRITES)
def delete(
    campaign_id: Id, session_id: Id, caller: Caller, store: Own, uploads: RecordingUploads
) -> None:
    """Delete a session with its recording, transcript and summaries."""
    # First what no transaction takes: without its session, nobody would find it again.
    uploads.delete(recording_key(session_of(store, caller, campaign_id, session_id)))
    ids = {"user_id": caller.subject, "campaign_id": campaign_id, "session_id": session_id}
    with store.transaction() as tx:
        # By their keys, so that a summary which is written in this moment goes too.
        tx.delete(Session.key(**ids))
        tx.delete(Transcript.key(**ids))
        for audience in ("GM", "PLAYER"):
            tx.delete(Summary.key(**ids, audience=audience))


@router.get("/sessions/done", responses=READS)
def done_since(
    since: AwareDatetime, caller: Caller, store: Own, after: After = None, limit: Limit = 20
) -> Listing[Session]:
    """Give what was finished since the last visit, in any campaign."""
    return Listing.of(store.recently_done(caller.subject, since).limit(limit).page(after))


def recording_key(session: Session) -> str:
    """Say where the recording of a session is kept."""
    return f"recordings/{session.user_id}/{session.session_id}"


def session_of(store: Campaigns, caller: AnyCaller, campaign_id: str, session_id: str) -> Session:
    """Read a session alone, as it is right now."""
    read = Session.get(user_id=caller.subject, campaign_id=campaign_id, session_id=session_id)
    found = store.bind(read.strong()).first()
    if found is None:
        raise Problem(404, f"There is no session {session_id}")
    return found
