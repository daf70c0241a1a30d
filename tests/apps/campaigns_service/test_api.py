"""The campaign manager, as its users use it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from apps.campaigns.api import transcripts
from apps.campaigns.design import Campaigns
from apps.campaigns.service import make
from apps.service import Settings
from apps.service.uploads import Uploads
from singletable import Transaction
from singletable.errors import ObjectStoreFailed
from singletable.streams.events import Event
from singletable.streams.events.signatures import keys_of, signed
from tests.apps.conftest import Place, in_memory

LONG = "The dragon sleeps. " * 1000 + "A silver lantern burns."


@pytest.fixture
def campaign(ann: TestClient) -> str:
    made = ann.post("/campaigns", json={"name": "Dragon's Lair"})
    assert made.status_code == 201
    return f"/campaigns/{made.json()['campaign_id']}"


@pytest.fixture
def session(ann: TestClient, campaign: str) -> str:
    made = ann.post(f"{campaign}/sessions", json={"name": "The Tavern"})
    assert made.status_code == 201
    return f"{campaign}/sessions/{made.json()['session_id']}"


def _tell(app: FastAPI, client: TestClient, body: dict[str, Any], secret: str = "") -> int:
    content = orjson.dumps(body)
    keys = keys_of(secret or app.state.service.settings.webhook_secret)
    now = int(time.time())
    headers = {
        "webhook-id": "m1",
        "webhook-timestamp": str(now),
        "webhook-signature": signed(keys, "m1", now, content),
        "content-type": "application/json",
    }
    return client.post("/webhooks/transcription", content=content, headers=headers).status_code


def _transcribed(app: FastAPI, ann: TestClient, session: str, text: str = LONG) -> str:
    upload = ann.post(f"{session}/recording").json()
    assert ann.put(upload["url"], content=b"RIFF" * 100).status_code == 204
    begun = ann.post(f"{session}/transcription")
    assert begun.status_code == 202
    job: str = begun.json()["transcription_job_id"]
    assert _tell(app, ann, {"job_id": job, "status": "COMPLETED", "text": text}) == 204
    return job


def test_a_user_has_a_profile_and_an_address_of_their_own(ann: TestClient, bob: TestClient) -> None:
    assert ann.get("/me").status_code == 404
    assert ann.put("/me", json={"name": "Ann"}).status_code == 200
    assert ann.put("/me", json={"name": "Anna"}).status_code == 200
    assert bob.put("/me", json={"name": "Bob", "email": "ann@example.com"}).status_code == 422
    assert bob.put("/me", json={"name": "Bob"}).json()["email"] == "bob@example.com"
    assert ann.get("/me").json()["name"] == "Anna"


@in_memory
def test_an_address_that_nobody_verified_does_not_count(
    app: FastAPI, settings: Settings, ann: TestClient
) -> None:
    assert settings.issuer is not None
    for claims in ({}, {"email": "x@y.z"}, {"email": "x@y.z", "email_verified": "false"}):
        headers = {"Authorization": f"Bearer {settings.issuer.token('eve', **claims)}"}
        refused = TestClient(app, headers=headers).put("/me", json={"name": "Eve"})
        assert refused.status_code == 403


def test_campaigns_are_listed_newest_first_and_changed_by_version(ann: TestClient) -> None:
    for name in ("one", "two", "three"):
        ann.post("/campaigns", json={"name": name})
        time.sleep(0.002)  # ids of one millisecond are in no order
    first = ann.get("/campaigns", params={"limit": 2}).json()
    second = ann.get("/campaigns", params={"limit": 2, "after": first["next"]}).json()
    listed = [one["name"] for one in first["items"] + second["items"]]
    path = f"/campaigns/{first['items'][0]['campaign_id']}"

    assert listed == ["three", "two", "one"]
    assert ann.get(path).headers["etag"] == '"1"'
    changed = ann.patch(path, json={"name": "3"}, headers={"If-Match": '"1"'})
    assert (changed.status_code, changed.json()["name"]) == (200, "3")
    again = ann.patch(path, json={"name": "4"}, headers={"If-Match": '"1"'})
    assert again.status_code == 412


def test_a_campaign_counts_its_sessions_and_stays_until_they_are_gone(
    ann: TestClient, campaign: str, session: str
) -> None:
    assert ann.get(campaign).json()["session_count"] == 1
    refused = ann.delete(campaign)
    assert refused.status_code == 409
    assert "delete them first" in refused.json()["detail"]
    assert ann.delete(session).status_code == 204
    assert ann.delete(campaign).status_code == 204
    assert ann.get(campaign).status_code == 404


def test_a_session_needs_its_campaign(ann: TestClient) -> None:
    assert ann.post("/campaigns/none/sessions", json={"name": "x"}).status_code == 404


def test_sessions_are_found_by_day_and_by_words(
    ann: TestClient, campaign: str, session: str
) -> None:
    ann.post(f"{campaign}/sessions", json={"name": "The Gate", "description": "iron"})
    made = [one["created_at"] for one in ann.get(f"{campaign}/sessions").json()["items"]]
    last, first = (datetime.fromisoformat(at).date() for at in made)  # midnight may be in between
    before = str(first - timedelta(days=1))

    def names(**asked: Any) -> list[str]:
        listed = ann.get(f"{campaign}/sessions", params=asked).json()["items"]
        return [one["name"] for one in listed]

    assert names() == ["The Gate", "The Tavern"]
    assert names(words="iron") == ["The Gate"]
    assert names(first=str(first), last=str(last)) == ["The Tavern", "The Gate"]
    assert names(last=before) == []
    assert names(first=str(first), last=before) == []


def test_a_recording_becomes_a_transcript_with_its_session(
    app: FastAPI, ann: TestClient, session: str
) -> None:
    _transcribed(app, ann, session)
    page = ann.get(session).json()

    assert page["session"]["status"] == "COMPLETED"
    assert page["transcript"]["length"] == len(LONG)
    assert LONG.startswith(page["transcript"]["preview"])
    assert len(page["transcript"]["preview"]) < 1000
    assert ann.get(f"{session}/transcript/text").text == LONG
    since = datetime.now(UTC) - timedelta(minutes=1)
    done = ann.get("/sessions/done", params={"since": since.isoformat()}).json()["items"]
    assert [one["name"] for one in done] == ["The Tavern"]


def test_a_job_that_is_told_twice_is_written_once(
    app: FastAPI, ann: TestClient, session: str
) -> None:
    job = _transcribed(app, ann, session)
    before = ann.get(session).json()

    assert _tell(app, ann, {"job_id": job, "status": "FAILED"}) == 204
    assert ann.get(session).json() == before


def test_what_was_transcribed_stays_until_there_is_more(
    app: FastAPI, ann: TestClient, session: str
) -> None:
    _transcribed(app, ann, session)
    again = ann.post(f"{session}/transcription")
    assert again.status_code == 202
    assert ann.post(f"{session}/transcription").status_code == 409
    assert ann.get(f"{session}/transcript/text").text == LONG
    job = again.json()["transcription_job_id"]
    assert _tell(app, ann, {"job_id": job, "status": "FAILED"}) == 204
    assert ann.get(f"{session}/transcript/text").text == LONG


def test_a_transcription_that_is_asked_for_twice_is_started_once(
    ann: TestClient, session: str
) -> None:
    ann.put(ann.post(f"{session}/recording").json()["url"], content=b"RIFF")
    key = {"Idempotency-Key": "k1"}
    first, again = (ann.post(f"{session}/transcription", headers=key) for _ in range(2))

    assert (first.status_code, again.status_code) == (202, 202)
    assert first.json() == again.json()


@in_memory
def test_a_recording_goes_with_its_session(app: FastAPI, ann: TestClient, session: str) -> None:
    address = ann.post(f"{session}/recording").json()["url"]
    ann.put(address, content=b"RIFF")
    key = f"recordings/ann/{session.rpartition('/')[2]}"
    assert app.state.uploads.is_there(key)
    assert ann.delete(session).status_code == 204
    assert not app.state.uploads.is_there(key)


@in_memory
def test_a_session_stays_until_its_recording_is_gone(
    app: FastAPI, ann: TestClient, session: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or nobody would find the recording again, to delete it."""

    def fail(*_: object) -> None:
        raise ObjectStoreFailed("It does not answer")

    with monkeypatch.context() as patched:
        patched.setattr(Uploads, "delete", fail)
        assert ann.delete(session).status_code == 503
    assert ann.get(session).status_code == 200
    assert ann.delete(session).status_code == 204


def test_who_transcribes_is_told_by_the_stream(
    settings: Settings, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also of a job that is started anew, since the first one was lost."""
    told: list[Event] = []

    class Sink:
        def send(self, events: Sequence[Event], /) -> None:
            told.extend(events)

    app = make(settings, Sink())
    assert settings.issuer is not None
    headers = {"Authorization": f"Bearer {settings.issuer.token('ann')}"}
    with TestClient(app, headers=headers) as ann:
        campaign = ann.post("/campaigns", json={"name": "Lair"}).json()["campaign_id"]
        here = f"/campaigns/{campaign}/sessions"
        here = f"{here}/{ann.post(here, json={'name': 'Cave'}).json()['session_id']}"
        ann.put(ann.post(f"{here}/recording").json()["url"], content=b"RIFF")
        lost = ann.post(f"{here}/transcription").json()["transcription_job_id"]
        ann.patch(here, json={"name": "Den"}, headers={"If-Match": ann.get(here).headers["etag"]})
        monkeypatch.setattr(transcripts, "LOST_AFTER", timedelta(0))
        job = ann.post(f"{here}/transcription").json()["transcription_job_id"]
        deadline = time.monotonic() + 50
        while len(told) < 2 and time.monotonic() < deadline:
            time.sleep(0.05)
    assert [event.detail["job_id"] for event in told] == [lost, job]


@in_memory
def test_a_job_of_nobody_and_a_message_of_nobody_are_refused(app: FastAPI, ann: TestClient) -> None:
    body = {"job_id": "j", "status": "FAILED"}

    assert _tell(app, ann, body) == 404
    assert _tell(app, ann, body, secret="whsec_" + "YWFh" * 8) == 401
    assert ann.post("/webhooks/transcription", json=body).status_code == 401


@in_memory
def test_nothing_is_transcribed_without_a_recording(ann: TestClient, session: str) -> None:
    assert ann.post(f"{session}/transcription").status_code == 409
    assert ann.put("/uploads/made.up.token", content=b"x").status_code == 401


def test_words_are_found_in_names_and_at_the_end_of_what_was_said(
    app: FastAPI, ann: TestClient, bob: TestClient, session: str
) -> None:
    _transcribed(app, ann, session)

    def kinds(words: str, client: TestClient = ann) -> list[str]:
        found = client.get("/search", params={"words": words}).json()["items"]
        return [one["kind"] for one in found]

    deadline = time.monotonic() + 50
    while not kinds("lantern") and time.monotonic() < deadline:
        time.sleep(0.05)
    assert kinds("silver lantern") == ["transcript"]
    assert kinds("tavern") == ["session"]
    assert kinds("lantern", bob) == []


def test_a_share_link_shows_the_players_summary_and_nothing_else(
    app: FastAPI, ann: TestClient, session: str
) -> None:
    _transcribed(app, ann, session)
    for audience in ("GM", "PLAYER"):
        content = {"content": f"For the {audience}."}
        assert ann.put(f"{session}/summaries/{audience}", json=content).status_code == 200
    token = ann.post(f"{session}/share").json()["token"]
    assert ann.post(f"{session}/share").json()["token"] == token
    stranger = TestClient(app)

    shared = stranger.get(f"/shared/{token}")
    assert shared.json() == {"content": "For the PLAYER."}
    assert stranger.get("/shared/another").status_code == 404
    assert ann.delete(f"{session}/share").status_code == 204
    assert stranger.get(f"/shared/{token}").status_code == 404


def test_a_link_to_a_session_without_a_summary_shows_nothing(
    app: FastAPI, ann: TestClient, session: str
) -> None:
    ann.put(f"{session}/summaries/GM", json={"content": "A secret."})
    token = ann.post(f"{session}/share").json()["token"]

    assert TestClient(app).get(f"/shared/{token}").status_code == 404


def test_another_user_finds_nothing_of_it(
    ann: TestClient, bob: TestClient, campaign: str, session: str
) -> None:
    for path in (campaign, session, f"{session}/transcript", f"{session}/transcript/text"):
        assert bob.get(path).status_code == 404
    assert bob.get(f"{campaign}/sessions").json()["items"] == []
    assert bob.get(f"{session}/summaries").json() == []
    assert bob.delete(session).status_code == 404
    assert bob.delete(campaign).status_code == 404
    assert bob.post(f"{session}/share").status_code == 404
    assert bob.post(f"{session}/recording").status_code == 404
    assert bob.post(f"{session}/transcription").status_code == 404
    assert bob.put(f"{session}/summaries/GM", json={"content": "x"}).status_code == 404
    for path in (campaign, session):
        refused = bob.patch(path, json={"name": "x"}, headers={"If-Match": '"1"'})
        assert refused.status_code == 404
    assert bob.post(f"{campaign}/sessions", json={"name": "x"}).status_code == 404
    assert ann.get(session).json()["session"]["name"] == "The Tavern"


def test_a_session_goes_with_all_that_was_made_of_it(
    app: FastAPI, ann: TestClient, session: str
) -> None:
    _transcribed(app, ann, session)
    ann.put(f"{session}/summaries/GM", json={"content": "Recap."})

    assert ann.delete(session).status_code == 204
    assert ann.get(session).status_code == 404
    assert ann.get(f"{session}/summaries").json() == []
    assert ann.get(f"{session}/transcript").status_code == 404


@in_memory
def test_a_summary_that_is_written_meanwhile_goes_with_its_session(
    ann: TestClient, session: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin, waiting = Campaigns.transaction, ["GM"]

    def late(store: Campaigns) -> Transaction:
        while waiting:
            path = f"{session}/summaries/{waiting.pop()}"
            assert ann.put(path, json={"content": "Recap."}).status_code == 200
        return begin(store)

    monkeypatch.setattr(Campaigns, "transaction", late)
    assert ann.delete(session).status_code == 204
    assert not waiting
    assert ann.get(f"{session}/summaries").json() == []
