"""The same service in Lambda: behind API Gateway, and behind the stream of its table."""

from __future__ import annotations

import json
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

from singletable.streams import Batch, Failures, Worker
from tests.apps.service.gateway import event, loaded

from .conftest import Platform, everything, published


@pytest.fixture
def lambdas(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """Give the module as Lambda loads it, configured by the environment."""
    with loaded("stories", monkeypatch) as functions:
        yield functions


def _event(lambdas: ModuleType, method: str, path: str, body: Any = None) -> dict[str, Any]:
    issuer = lambdas.app.state.service.settings.issuer
    token = issuer.token("ann", email="ann@example.com", email_verified=True)
    return event(token, method, path, body)


def test_a_request_of_the_gateway_is_answered(lambdas: ModuleType) -> None:
    signed_in = lambdas.api(_event(lambdas, "PUT", "/me", {"display_name": "Ann"}), object())
    listed = lambdas.api(_event(lambdas, "GET", "/stories"), object())
    refused = lambdas.api(_event(lambdas, "GET", "/stories/none"), object())

    assert (signed_in["statusCode"], listed["statusCode"]) == (200, 200)
    assert json.loads(listed["body"]) == {"items": [], "next": None}
    assert refused["statusCode"] == 404
    assert refused["headers"]["content-type"] == "application/problem+json"


class Recorder:
    """Keeps what the stream tells, as Lambda tells it."""

    name = "recorder"

    def __init__(self, table: str) -> None:
        self.source = f"arn:aws:dynamodb:eu-west-1:123456789012:table/{table}/stream/label"
        self.records: list[dict[str, Any]] = []

    def deliver(self, batch: Batch, failures: Failures) -> None:
        for change in batch.changes:
            told = change.record
            images = {"OldImage": told.old, "NewImage": told.new}
            self.records.append(
                {
                    "eventName": told.event,
                    "eventSourceARN": self.source,
                    "dynamodb": {
                        "ApproximateCreationDateTime": told.at.timestamp(),
                        "Keys": told.keys,
                        "SequenceNumber": told.sequence_number,
                        **{name: image for name, image in images.items() if image},
                    },
                }
            )


def test_a_batch_of_the_stream_is_told_of_once(lambdas: ModuleType) -> None:
    platform = Platform(lambdas.app, lambdas.app.state.service.settings)
    told, bob = published(platform.user("ann")), platform.user("bob")
    told.branch(bob)
    told.author.put("/me", json={"display_name": "Anna"})
    recorder = Recorder(platform.store.table_name)
    Worker(platform.store, recorder, name="recorder").drain()
    event = json.loads(json.dumps({"Records": recorder.records}))

    for _ in range(2):
        assert lambdas.stream(event, None) == {"batchItemFailures": []}
    kinds = [one["kind"] for one in everything(told.author, "/me/notifications")]
    assert kinds == ["NEW_BRANCH"]
    assert bob.get(told.path).json()["author_name"] == "Anna"
    assert bob.get(told.chapter).json()["branch_count"] == 1
