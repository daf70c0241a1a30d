"""What the service's document promises."""

from fastapi import FastAPI
from fastapi.testclient import TestClient

from apps.service import Settings
from tests.apps.conftest import in_memory
from tests.apps.service.trying import EXAMPLES, try_all


@in_memory
@EXAMPLES
def test_every_answer_is_documented(app: FastAPI, settings: Settings, examples: int) -> None:
    assert settings.issuer is not None
    token = settings.issuer.token("ann")
    ann = TestClient(app, headers={"Authorization": f"Bearer {token}"})
    campaign = ann.post("/campaigns", json={"name": "Known"}).json()["campaign_id"]
    made = ann.post(f"/campaigns/{campaign}/sessions", json={"name": "Known"}).json()
    known = {"campaign_id": campaign, "session_id": made["session_id"]}

    assert try_all(app, token, examples=examples, known=known) >= 25
