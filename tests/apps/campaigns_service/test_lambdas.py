"""The same service in Lambda: behind API Gateway, and behind the stream of its table."""

from __future__ import annotations

import json

import pytest

from tests.apps.service.gateway import event, loaded


def test_a_request_of_the_gateway_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    with loaded("campaigns", monkeypatch) as functions:
        token = functions.app.state.service.settings.issuer.token("ann")
        made = functions.api(event(token, "POST", "/campaigns", {"name": "Lair"}), object())
        listed = functions.api(event(token, "GET", "/campaigns"), object())
        refused = functions.api(event("x", "GET", "/campaigns"), object())

    assert made["statusCode"] == 201
    assert [one["name"] for one in json.loads(listed["body"])["items"]] == ["Lair"]
    assert refused["statusCode"] == 401
    assert refused["headers"]["content-type"] == "application/problem+json"


def test_the_stream_keeps_the_index_of_words(monkeypatch: pytest.MonkeyPatch) -> None:
    with loaded("campaigns", monkeypatch) as functions:
        record = {
            "eventName": "INSERT",
            "eventSourceARN": (
                "arn:aws:dynamodb:eu-west-1:123456789012:table/rpg_sessions/stream/label"
            ),
            "dynamodb": {
                "ApproximateCreationDateTime": 1773342238.0,
                "Keys": {"PK": {"S": "USER#ann"}, "SK": {"S": "SESSION#c1#s1"}},
                "NewImage": {
                    "PK": {"S": "USER#ann"},
                    "SK": {"S": "SESSION#c1#s1"},
                    "entityType": {"S": "SESSION"},
                    "userId": {"S": "ann"},
                    "campaignId": {"S": "c1"},
                    "sessionId": {"S": "s1"},
                    "name": {"S": "The silver lantern"},
                    "status": {"S": "UPLOADED"},
                    "createdAt": {"S": "2026-03-01T00:00:00.000000Z"},
                    "updatedAt": {"S": "2026-03-01T00:00:00.000000Z"},
                    "version": {"N": "1"},
                },
                "SequenceNumber": "100000000000000000001",
            },
        }
        assert functions.stream({"Records": [record]}) == {"batchItemFailures": []}
        found = functions.app.state.library.search("lantern", scope={"user_id": "ann"})

    assert [hit.key.fields["session_id"] for hit in found] == ["s1"]
