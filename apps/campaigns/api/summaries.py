"""Recaps of a session, for the game master and for the players."""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter

from apps.campaigns.design import Session, Summary
from apps.campaigns.shapes import NewSummary
from apps.service import Caller

from .here import READS, WRITES, Id, Own

router = APIRouter(
    prefix="/campaigns/{campaign_id}/sessions/{session_id}/summaries", tags=["summaries"]
)


@router.get("", responses=READS)
def read(campaign_id: Id, session_id: Id, caller: Caller, store: Own) -> list[Summary]:
    """Give the summaries of a session."""
    return store.summaries(caller.subject, campaign_id, session_id).all()


@router.put("/{audience}", responses=WRITES)
def write(
    campaign_id: Id, session_id: Id, audience: Literal["GM", "PLAYER"], body: NewSummary,
    caller: Caller, store: Own,
) -> Summary:  # fmt: skip
    """Write a summary, or write it anew; there is one for each audience."""
    ids = {"user_id": caller.subject, "campaign_id": campaign_id, "session_id": session_id}
    key = Summary.key(**ids, audience=audience)
    with store.transaction() as tx:
        tx.check(Session.key(**ids))
        tx.upsert(key, content=body.content)
    return store.bind(Summary.get(**ids, audience=audience).strong()).one()
