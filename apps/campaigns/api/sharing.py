"""Links for players: who has one sees the players' summary of a session, and nothing else."""

from __future__ import annotations

import secrets
from typing import Annotated

from fastapi import APIRouter, Path

from apps.campaigns.design import Session
from apps.campaigns.shapes import Shared, ShareLink
from apps.service import Caller, Idempotent, Problem, documented
from singletable import REMOVE, Transaction

from .here import WRITES, Everyone, Id, Own
from .sessions import session_of

router = APIRouter(tags=["sharing"])

SHARE = "/campaigns/{campaign_id}/sessions/{session_id}/share"
TOKEN_BYTES = 32


@router.post(SHARE, status_code=201, responses=WRITES)
def share(
    campaign_id: Id, session_id: Id, caller: Caller, store: Own, once: Idempotent
) -> ShareLink:
    """Give the link of a session; there is one until it is taken back."""

    def work(tx: Transaction) -> dict[str, str]:
        session = session_of(store, caller, campaign_id, session_id)
        token = session.share_token or secrets.token_urlsafe(TOKEN_BYTES)
        if session.share_token is None:
            tx.update(session, share_token=token)
        return {"token": token}

    return ShareLink(**once.write(store, work, user_id=caller.subject))


@router.delete(SHARE, status_code=204, responses=WRITES)
def take_back(campaign_id: Id, session_id: Id, caller: Caller, store: Own) -> None:
    """Take the link of a session back."""
    session = session_of(store, caller, campaign_id, session_id)
    if session.share_token is not None:
        store.update(session, share_token=REMOVE)


@router.get("/shared/{token}", responses=documented(404, 422, 503))
def read_shared(
    token: Annotated[str, Path(min_length=1, max_length=100)], store: Everyone
) -> Shared:
    """Give what players may read, to whoever has the link."""
    found = store.shared(token).first()
    # The index is a moment late: a link that was taken back does not open anything.
    session = None if found is None else store.bind(Session.get(**_ids(found)).strong()).first()
    if session is None or session.share_token != token:
        raise Problem(404, "There is nothing to read here")
    summary = store.summary_for_players(**_ids(session)).first()
    if summary is None:
        raise Problem(404, "There is nothing to read here")
    return Shared(content=summary.content)


def _ids(session: Session) -> dict[str, str]:
    return {
        "user_id": session.user_id,
        "campaign_id": session.campaign_id,
        "session_id": session.session_id,
    }
