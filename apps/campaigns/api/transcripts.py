"""From a recording to a text: the job that is started, and what is told when it has ended."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import PlainTextResponse
from ulid import ULID

from apps.campaigns.design import Campaigns, Session, Transcript
from apps.campaigns.shapes import JobDone, TranscriptShown
from apps.service import Caller, Idempotent, Problem, checked, documented
from singletable import ConditionFailed, F, Large, Transaction
from singletable.streams.events import NotAuthentic, verify

from .here import READS, WRITES, Everyone, Id, Own, RecordingUploads
from .sessions import recording_key, session_of

router = APIRouter(tags=["transcripts"])

SESSION = "/campaigns/{campaign_id}/sessions/{session_id}"
LOST_AFTER = timedelta(days=1)


@router.post(f"{SESSION}/transcription", status_code=202, responses=WRITES)
def start(
    campaign_id: Id, session_id: Id, caller: Caller, store: Own, uploads: RecordingUploads,
    once: Idempotent,
) -> Session:  # fmt: skip
    """Have the recording of a session transcribed; it has to be uploaded before.

    What was transcribed before stays until the new text is there. A job whose end was not told for
    a day is taken for lost.
    """

    def work(tx: Transaction) -> dict[str, str]:
        session = session_of(store, caller, campaign_id, session_id)
        since = datetime.now(UTC) - session.updated_at
        if session.status == "TRANSCRIBING" and since < LOST_AFTER:
            raise Problem(409, "It is being transcribed already")
        if not uploads.is_there(recording_key(session)):
            raise Problem(409, "There is no recording: upload it first")
        return {"job_id": _start(session, tx)}

    once.write(store, work, user_id=caller.subject)
    return session_of(store, caller, campaign_id, session_id)


def _start(session: Session, tx: Transaction) -> str:
    """Note a new job with the session and with the transcript that it is to make."""
    ids = {name: getattr(session, name) for name in ("user_id", "campaign_id", "session_id")}
    key, job = recording_key(session), str(ULID())
    tx.update(session, status="TRANSCRIBING", audio_storage_key=key, transcription_job_id=job)
    tx.upsert(Transcript.key(**ids), transcription_job_id=job)
    return job


@router.get(f"{SESSION}/transcript", responses=READS)
def read(campaign_id: Id, session_id: Id, caller: Caller, store: Own) -> TranscriptShown:
    """Give how long a transcript is, and how it begins."""
    return TranscriptShown.of(_transcript(store, caller.subject, campaign_id, session_id))


@router.get(
    f"{SESSION}/transcript/text",
    response_class=PlainTextResponse,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}, **READS},
)
def read_text(campaign_id: Id, session_id: Id, caller: Caller, store: Own) -> str:
    """Give the whole text."""
    transcript = _transcript(store, caller.subject, campaign_id, session_id)
    if transcript.text is None:
        raise Problem(404, "The recording is not transcribed yet")
    return store.load(transcript.text)


@router.post(
    "/webhooks/transcription",
    status_code=204,
    responses=documented(400, 401, 404, 413, 422, 503),
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": JobDone.model_json_schema()}},
        }
    },
)
async def done(request: Request, store: Everyone) -> None:
    """Take the text of a job that has ended, signed as Standard Webhooks are."""
    body = await request.body()
    secret = request.app.state.service.settings.webhook_secret
    try:
        verify(request.headers, body, secret)
    except NotAuthentic as error:
        raise Problem(401, f"This was not sent by the transcription service: {error}") from error
    await run_in_threadpool(keep, store, checked(JobDone, body))


def keep(store: Campaigns, told: JobDone) -> None:
    """Write a transcript and its session's new state together; once, however often it is told."""
    transcript = store.transcript_of_job(told.job_id).first()
    if transcript is None:
        raise Problem(404, f"There is no transcription job {told.job_id}")
    ids = {name: getattr(transcript, name) for name in ("user_id", "campaign_id", "session_id")}
    changes: dict[str, Any] = {"text": Large(told.text)} if told.status == "COMPLETED" else {}
    try:
        with store.transaction() as tx:
            tx.update(
                Session.key(**ids),
                status=told.status,
                only_if=(F("transcription_job_id") == told.job_id)
                & (F("status") == "TRANSCRIBING"),
            )
            if changes:
                tx.update(transcript, changes)
    except ConditionFailed:
        return  # it was told before, or another job was started since


def _transcript(store: Campaigns, user_id: str, campaign_id: str, session_id: str) -> Transcript:
    ids = {"user_id": user_id, "campaign_id": campaign_id, "session_id": session_id}
    return store.bind(Transcript.get(**ids)).one()
