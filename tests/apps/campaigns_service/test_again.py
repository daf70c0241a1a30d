"""A POST that is sent again is answered as the first time, whatever has happened since."""

from __future__ import annotations

from collections.abc import Iterator
from operator import itemgetter

from fastapi import FastAPI
from fastapi.testclient import TestClient

from apps.campaigns.api.transcripts import keep
from apps.campaigns.shapes import JobDone
from tests.apps.conftest import in_memory
from tests.apps.service.again import Again, check_all

SESSIONS = "/campaigns/{campaign_id}/sessions"
SESSION = f"{SESSIONS}/{{session_id}}"
WITHOUT = {
    "/development/token",
    f"{SESSION}/recording",  # has no effect
    "/webhooks/transcription",  # names its job
}


def _requests(app: FastAPI, ann: TestClient) -> Iterator[Again]:
    campaign = f"/campaigns/{ann.post('/campaigns', json={'name': 'Lair'}).json()['campaign_id']}"
    sessions = f"{campaign}/sessions"
    session = f"{sessions}/{ann.post(sessions, json={'name': 'Cave'}).json()['session_id']}"
    ann.put(ann.post(f"{session}/recording").json()["url"], content=b"RIFF")

    def transcribed() -> None:
        job = ann.get(session).json()["session"]["transcription_job_id"]
        keep(app.state.service.store, JobDone(job_id=job, status="COMPLETED", text="So."))

    def taken_back() -> None:
        assert ann.delete(f"{session}/share").status_code == 204

    job = itemgetter("transcription_job_id")
    yield Again("/campaigns", ann, "/campaigns", {"name": "Next"})
    yield Again(SESSIONS, ann, sessions, {"name": "Two"})
    yield Again(f"{SESSION}/transcription", ann, f"{session}/transcription", None, transcribed, job)
    yield Again(f"{SESSION}/share", ann, f"{session}/share", None, taken_back)
    assert ann.get(session).json()["session"]["share_token"] is None, "it was shared again"


@in_memory
def test_a_request_sent_again_is_answered_as_before(app: FastAPI, ann: TestClient) -> None:
    check_all(app, _requests(app, ann), WITHOUT)
