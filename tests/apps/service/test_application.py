"""What every service answers."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from fastapi.testclient import TestClient
from mangum import Mangum

from apps.service import Settings
from apps.service.limits import Rates
from apps.service.problems import Problem
from singletable.errors import (
    Contended,
    InternalServerError,
    LargeMissing,
    ObjectStoreFailed,
    Unreachable,
)
from tests.apps.service.gateway import event, loop_of_lambda
from tests.apps.service.notes import notes_app


@pytest.fixture(scope="module")
def settings() -> Settings:
    return Settings.of_development()


@pytest.fixture
def client(settings: Settings) -> Iterator[TestClient]:
    assert settings.issuer is not None
    token = settings.issuer.token("ann")
    with TestClient(
        notes_app(settings),
        headers={"Authorization": f"Bearer {token}"},
        raise_server_exceptions=False,
    ) as made:
        yield made


def _problem(response: Any, status: int) -> str:
    assert response.status_code == status
    assert response.headers["content-type"] == "application/problem+json"
    body = response.json()
    assert body["status"] == status
    assert body["title"]
    detail: str = body["detail"]
    return detail


def test_what_was_written_is_read_with_its_version(client: TestClient) -> None:
    made = client.post("/notes", json={"text": "hello"})
    read = client.get(f"/notes/{made.json()['note_id']}")

    assert made.status_code == 201
    assert read.json()["text"] == "hello"
    assert read.headers["etag"] == '"1"'


def test_no_token_and_a_bad_one_are_told_apart(client: TestClient) -> None:
    client.headers.pop("Authorization")
    bare = client.get("/notes")

    assert "needed" in _problem(bare, 401)
    assert bare.headers["www-authenticate"] == "Bearer"
    bad = client.get("/notes", headers={"Authorization": "Bearer x.y.z"})
    assert "does not count" in _problem(bad, 401)


def test_every_refusal_has_one_shape(client: TestClient) -> None:
    _problem(client.get("/notes/none"), 404)
    _problem(client.get("/nowhere"), 404)
    _problem(client.delete("/notes"), 405)
    _problem(client.post("/notes", json={"text": 1}), 422)
    _problem(client.post("/notes", content=b"{"), 422)
    assert "after is not" in _problem(client.get("/notes", params={"after": "made up"}), 400)
    _problem(client.get("/notes/a%23b"), 422)


def test_a_failure_says_nothing_of_the_house(client: TestClient) -> None:
    detail = _problem(client.get("/notes/broken/thing"), 500)

    assert "secret" not in detail


@pytest.mark.parametrize(
    "error",
    [
        Unreachable("http://a-secret-of-the-house does not answer"),
        ObjectStoreFailed("s3://a-secret-of-the-house does not answer"),
        Contended("a-secret-of-the-house"),
        LargeMissing("a-secret-of-the-house"),
        InternalServerError("a-secret-of-the-house"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_what_cannot_be_done_now_is_to_be_sent_again(
    client: TestClient, error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise error

    store = client.app.state.service.store  # type: ignore[attr-defined] # the test's own app
    monkeypatch.setattr(type(store), "note", fail)
    answer = client.get("/notes/n1")

    assert "secret" not in _problem(answer, 503)
    assert answer.headers["retry-after"] == "1"


def test_a_change_of_an_older_version_is_refused(client: TestClient) -> None:
    path = f"/notes/{client.post('/notes', json={'text': 'one'}).json()['note_id']}"

    assert client.put(path, json={"text": "two"}, headers={"If-Match": '"1"'}).status_code == 200
    stale = client.put(path, json={"text": "three"}, headers={"If-Match": '"1"'})
    assert "read it again, and change what it is now" in _problem(stale, 412)
    _problem(client.put(path, json={"text": "three"}), 428)
    _problem(client.put(path, json={"text": "three"}, headers={"If-Match": "W/x"}), 412)
    assert client.get(path).json()["text"] == "two"


def test_a_request_sent_again_is_answered_alike_and_done_once(client: TestClient) -> None:
    key = {"Idempotency-Key": "k1"}
    first = client.post("/notes", json={"text": "hello"}, headers=key)
    again = client.post("/notes", json={"text": "hello"}, headers=key)

    assert first.status_code == again.status_code == 201
    assert first.json() == again.json()
    assert len(client.get("/notes").json()["items"]) == 1


def test_a_key_of_another_request_is_refused(client: TestClient) -> None:
    key = {"Idempotency-Key": "k1"}
    client.post("/notes", json={"text": "hello"}, headers=key)

    _problem(client.post("/notes", json={"text": "other"}, headers=key), 422)


def test_keys_of_two_callers_do_not_meet(client: TestClient, settings: Settings) -> None:
    assert settings.issuer is not None
    key = {"Idempotency-Key": "k1"}
    client.post("/notes", json={"text": "hello"}, headers=key)
    bob = {"Authorization": f"Bearer {settings.issuer.token('bob')}"}
    client.post("/notes", json={"text": "other"}, headers={**key, **bob})

    assert [one["text"] for one in client.get("/notes", headers=bob).json()["items"]] == ["other"]


def test_of_requests_at_the_same_time_one_is_carried_out(client: TestClient) -> None:
    def send(_: int) -> Any:
        headers = {"Idempotency-Key": "k1"}
        return client.post("/notes", json={"text": "hello"}, headers=headers).json()["note_id"]

    with ThreadPoolExecutor(8) as pool:
        made = set(pool.map(send, range(16)))

    assert len(made) == 1
    assert len(client.get("/notes").json()["items"]) == 1


def test_a_list_is_read_page_by_page(client: TestClient) -> None:
    for n in range(5):
        client.post("/notes", json={"text": str(n)})
    texts, after = [], None
    while True:
        page = client.get("/notes", params={"after": after} if after else {}).json()
        texts += [one["text"] for one in page["items"]]
        after = page["next"]
        if after is None:
            break

    assert texts == ["0", "1", "2", "3", "4"]


def test_a_cursor_of_another_user_is_refused(client: TestClient, settings: Settings) -> None:
    assert settings.issuer is not None
    for n in range(3):
        client.post("/notes", json={"text": str(n)})
    cursor = client.get("/notes").json()["next"]
    bob = {"Authorization": f"Bearer {settings.issuer.token('bob')}"}

    _problem(client.get("/notes", params={"after": cursor}, headers=bob), 400)


def test_a_body_that_is_too_large_is_refused() -> None:
    settings = replace(Settings.of_development(), body_max=1000)
    assert settings.issuer is not None
    headers = {"Authorization": f"Bearer {settings.issuer.token('ann')}"}
    with TestClient(notes_app(settings), headers=headers) as client:
        _problem(client.post("/notes", content=b" " * 1001), 413)
        _problem(client.post("/notes", content=iter([b" " * 600, b" " * 600])), 413)


def test_a_caller_may_send_so_many_and_has_to_wait_then() -> None:
    now = 0.0
    rates = Rates(per_s=2, burst_s=2, clock=lambda: now)
    for _ in range(5):
        rates.take("ann")
    with pytest.raises(Problem) as refused:
        rates.take("ann")
    rates.take("bob")
    now = 0.5
    rates.take("ann")

    assert refused.value.status_code == 429
    assert refused.value.headers == {"Retry-After": "1"}


def test_health_tells_whether_the_table_is_there(client: TestClient) -> None:
    assert client.get("/health/live").json() == {"status": "ok"}
    assert client.get("/health/ready").json() == {"status": "ok"}
    store = client.app.state.service.store  # type: ignore[attr-defined] # the test's own app
    store.send("DeleteTable", {"TableName": store.table_name})
    _problem(client.get("/health/ready"), 503)


def test_development_gives_tokens_and_production_does_not(settings: Settings) -> None:
    with TestClient(notes_app(settings)) as client:
        token = client.post("/development/token", json={"subject": "eve"}).json()["token"]
        headers = {"Authorization": f"Bearer {token}"}
        assert client.get("/notes", headers=headers).status_code == 200
    with TestClient(notes_app(replace(settings, issuer=None))) as client:
        _problem(client.post("/development/token", json={"subject": "eve"}), 404)


def test_the_documentation_names_every_refusal(client: TestClient) -> None:
    document = client.get("/openapi.json").json()
    answers = document["paths"]["/notes"]["post"]["responses"]

    assert set(answers) == {"201", "401", "404", "409", "412", "413", "422", "428", "429"}
    for status in set(answers) - {"201"}:
        (kind,) = answers[status]["content"]
        assert kind == "application/problem+json"
    assert "ProblemDetails" in document["components"]["schemas"]


def test_a_service_runs_in_lambda(settings: Settings) -> None:
    """API Gateway sends an event of its HTTP API, format 2.0, and gets an answer for it."""
    assert settings.issuer is not None
    sent = event(settings.issuer.token("ann"), "POST", "/notes")
    sent |= {"body": "eyJ0ZXh0IjogImhpIn0=", "isBase64Encoded": True}
    app = notes_app(settings)
    with loop_of_lambda(), app.state.service.store:
        handler = Mangum(app, lifespan="off")
        answer = handler(sent, object())  # type: ignore[arg-type] # a context is not looked at

    assert answer["statusCode"] == 201
    assert '"text":"hi"' in answer["body"]
