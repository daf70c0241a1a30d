"""The same service in Lambda: behind API Gateway, and behind the stream of its table."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

from singletable.streams import Batch, Failures, Worker

from .conftest import Platform, everything, published

MODULES = ("apps.stories.lambdas", "apps.stories.main")


@pytest.fixture
def lambdas(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """Give the module as Lambda loads it, configured by the environment."""
    monkeypatch.setenv("SERVICE_ENVIRONMENT", "development")
    for name in MODULES:
        sys.modules.pop(name, None)
    loaded = importlib.import_module(MODULES[0])
    yield loaded
    loaded._store.close()
    for name in MODULES:
        sys.modules.pop(name, None)


def _event(lambdas: ModuleType, method: str, path: str, body: Any = None) -> dict[str, Any]:
    """Make an event of an HTTP API of API Gateway, format 2.0."""
    issuer = lambdas.app.state.service.settings.issuer
    token = issuer.token("ann", email="ann@example.com", email_verified=True)
    host = "abc.execute-api.eu-west-1.amazonaws.com"
    http = {"method": method, "path": path, "protocol": "HTTP/1.1", "sourceIp": "192.0.2.1"}
    return {
        "version": "2.0",
        "routeKey": "$default",
        "rawPath": path,
        "rawQueryString": "limit=5",
        "headers": {
            "authorization": f"Bearer {token}",
            "content-type": "application/json",
            "host": host,
        },
        "requestContext": {
            "accountId": "123456789012",
            "apiId": "abc",
            "domainName": host,
            "domainPrefix": "abc",
            "http": {**http, "userAgent": "curl/8"},
            "requestId": "r1",
            "routeKey": "$default",
            "stage": "$default",
            "time": "12/Mar/2026:19:03:58 +0000",
            "timeEpoch": 1773342238000,
        },
        "body": None if body is None else json.dumps(body),
        "isBase64Encoded": False,
    }


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
