"""The story platform as its users meet it, in memory and on DynamoDB Local."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from apps.service import Settings
from apps.stories.after import consumers
from apps.stories.design import Stories
from apps.stories.service import make
from singletable.streams import Worker

COVER: dict[str, Any] = {
    "title": "The Lighthouse",
    "synopsis": "Somebody keeps a light.",
    "genre": "mystery",
    "age_rating": "12+",
}


@dataclass(frozen=True)
class Platform:
    """A service whose stream is followed when a test says so."""

    app: FastAPI
    settings: Settings

    @property
    def store(self) -> Stories:
        store: Stories = self.app.state.service.store
        return store

    def token(self, name: str) -> str:
        assert self.settings.issuer is not None
        return self.settings.issuer.token(name, email=f"{name}@example.com", email_verified=True)

    def stranger(self, name: str) -> TestClient:
        """Give somebody with a token and no profile."""
        return TestClient(
            self.app,
            headers={"Authorization": f"Bearer {self.token(name)}"},
            raise_server_exceptions=False,
        )

    def user(self, name: str) -> TestClient:
        """Give somebody who has a profile."""
        client = self.stranger(name)
        assert client.put("/me", json={"display_name": name.title()}).status_code == 200
        return client

    def settle(self) -> None:
        """Have the stream followed to its end."""
        Worker(self.store, *consumers(self.store), create=True).drain()


@pytest.fixture
def settings(development: Settings) -> Settings:
    return development


@pytest.fixture
def platform(settings: Settings) -> Iterator[Platform]:
    app = make(settings)
    with app.state.service.store:
        yield Platform(app, settings)


@pytest.fixture(params=["memory", "local"])
def anywhere(
    request: pytest.FixtureRequest, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Platform]:
    """Give the platform in memory, and on DynamoDB Local."""
    if request.param == "memory":
        yield request.getfixturevalue("platform")
        return
    # DynamoDB Local keeps tables apart by access key.
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", uuid.uuid4().hex[:16])
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    settings = replace(settings, address=request.getfixturevalue("dynamodb_local"))
    app = make(settings)
    with app.state.service.store as store:
        store.create_table()
        yield Platform(app, settings)


@dataclass(frozen=True)
class Told:
    """A story with its first chapter, and its author."""

    author: TestClient
    story_id: str
    node_id: str

    @property
    def path(self) -> str:
        return f"/stories/{self.story_id}"

    @property
    def chapter(self) -> str:
        return f"{self.path}/chapters/{self.node_id}"

    def branch(self, who: TestClient, parent: str | None = None, **more: Any) -> str:
        """Have somebody go on after the first chapter, or after another one."""
        body = {"title": "On", "text": "It goes on.", "parent_node_id": parent or self.node_id}
        answer = who.post(f"{self.path}/chapters", json={**body, **more})
        assert answer.status_code == 201, answer.text
        node_id: str = answer.json()["node_id"]
        return node_id

    def become(self, status: str) -> Any:
        """Publish or complete the story."""
        tag = self.author.get(self.path).headers["etag"]
        answer = self.author.put(
            f"{self.path}/status", json={"status": status}, headers={"If-Match": tag}
        )
        assert answer.status_code == 200, answer.text
        return answer.json()


def draft(author: TestClient, **more: Any) -> Told:
    """Have somebody begin a story."""
    story_id = author.post("/stories", json={**COVER, **more}).json()["story_id"]
    first = {"title": "One", "text": "It was dark."}
    node_id = author.post(f"/stories/{story_id}/chapters", json=first).json()["node_id"]
    return Told(author, story_id, node_id)


def published(author: TestClient, **more: Any) -> Told:
    """Have somebody publish a story."""
    told = draft(author, **more)
    told.become("PUBLISHED")
    return told


def refused(answer: Any, status: int) -> str:
    """Say why an answer is a refusal."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    detail: str = answer.json()["detail"]
    return detail


def everything(client: TestClient, path: str, **params: Any) -> list[Any]:
    """Read a list page by page."""
    found: list[Any] = []
    while True:
        page = client.get(path, params=params).json()
        found += page["items"]
        if page["next"] is None:
            return found
        params["after"] = page["next"]
