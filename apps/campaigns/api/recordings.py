"""Recordings: an address to send one to."""

from __future__ import annotations

from fastapi import APIRouter, Request

from apps.service import Caller
from apps.service.uploads import Upload

from .here import WRITES, Id, Own, RecordingUploads
from .sessions import recording_key, session_of

router = APIRouter(tags=["recordings"])


@router.post(
    "/campaigns/{campaign_id}/sessions/{session_id}/recording", status_code=201, responses=WRITES
)
def address(
    campaign_id: Id, session_id: Id, caller: Caller, store: Own, uploads: RecordingUploads,
    request: Request,
) -> Upload:  # fmt: skip
    """Give an address that takes the recording, with PUT, for an hour."""
    key = recording_key(session_of(store, caller, campaign_id, session_id))
    return uploads.address(key, request.scope.get("root_path", ""))
