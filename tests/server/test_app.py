"""The protocol, right and wrong, over raw sockets: the service's error, and the server alive."""

from __future__ import annotations

import pytest

from singletable.engine import Engine
from singletable.server import running
from tests.server.support import ANYONE, Connection, ask, request, target

CORAL = "com.amazon.coral.service#"
NOT_AN_OPERATION = b"<UnknownOperationException/>\n"
PUT = target("PutItem")


@pytest.mark.parametrize(
    "content_type",
    ["application/x-amz-json-1.0", "application/json", "application/X-AMZ-JSON-1.0; charset=utf-8"],
)
def test_an_operation_is_answered_in_the_protocols_json(url: str, content_type: str) -> None:
    reply = ask(url, content_type=content_type)
    assert reply.status == 200
    assert reply.json == {"TableNames": ["Music"]}
    assert reply.headers["content-type"] == "application/x-amz-json-1.0"


def test_streams_have_their_own_target(url: str) -> None:
    streams = "DynamoDBStreams_20120810"
    assert ask(url, x_amz_target=target("ListStreams", streams)).json == {"Streams": []}


@pytest.mark.parametrize(
    "name",
    [
        "DynamoDB_20120810.Nope",
        "DynamoDB_20120810.ListStreams",
        "DynamoDBStreams_20120810.ListTables",
        "DynamoDB_20111205.ListTables",
        "ListTables",
        "",
        None,
    ],
)
def test_an_unknown_operation_is_said_without_a_message(url: str, name: str | None) -> None:
    reply = ask(url, x_amz_target=name)
    assert reply.status == 400
    assert reply.json == {"__type": CORAL + "UnknownOperationException"}


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"nonsense",
        b'{"TableName": "Music"',
        b'{"TableName": "\xff\xfe"}',
        b'{"Limit": NaN}',
        b"{'Limit': 1}",
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b"\x00",
        b"[]",
        b'"text"',
        b"7",
        b'{"TableName": 7}',
        b'{"TableName": "Music", "Item": {"pk": {"B": "not base64!"}}}',
        b'{"TableName": "Music", "Item": {"pk": {"S": 7}}}',
    ],
)
def test_a_body_that_cannot_be_read_is_a_serialization_exception(url: str, body: bytes) -> None:
    assert ask(url, body, x_amz_target=PUT).error == (400, "SerializationException")


def test_errors_carry_the_namespace_and_casing_of_the_service(url: str) -> None:
    missing = b'{"TableName": "Nope", "Key": {"pk": {"S": "a"}}}'
    assert ask(url, missing, x_amz_target=target("GetItem")).json == {
        "__type": "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException",
        "message": "Requested resource not found",
    }
    mistyped = ask(url, b'{"TableName": 7}', x_amz_target=target("GetItem")).json
    assert mistyped["__type"] == CORAL + "SerializationException"
    assert "Message" in mistyped
    invalid = ask(url, b"{}", x_amz_target=target("GetItem")).json
    assert invalid["__type"] == "com.amazon.coral.validate#ValidationException"
    assert "message" in invalid


def test_binary_members_of_an_error_are_base64(url: str, engine: Engine) -> None:
    item = {"pk": {"S": "binary"}, "data": {"B": b"\x00\xff"}}
    engine.call("PutItem", {"TableName": "Music", "Item": item})
    body = (
        b'{"TableName": "Music", "Item": {"pk": {"S": "binary"}},'
        b' "ConditionExpression": "attribute_not_exists(pk)",'
        b' "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}'
    )
    reply = ask(url, body, x_amz_target=PUT)
    assert reply.error == (400, "ConditionalCheckFailedException")
    assert reply.json["Item"] == {"pk": {"S": "binary"}, "data": {"B": "AP8="}}


@pytest.mark.parametrize(
    "content_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", None]
)
def test_a_type_that_a_web_form_can_send_is_refused(url: str, content_type: str | None) -> None:
    reply = ask(url, content_type=content_type)
    assert (reply.status, reply.body) == (404, NOT_AN_OPERATION)


@pytest.mark.parametrize(
    "line",
    [
        "GET /health HTTP/1.1",
        "POST /Music HTTP/1.1",
        "POST /?Action=ListTables HTTP/1.1",
        "PUT / HTTP/1.1",
        "DELETE / HTTP/1.1",
        "OPTIONS / HTTP/1.1",
    ],
)
def test_only_post_to_the_root_is_an_operation(url: str, line: str) -> None:
    reply = ask(url, line=line)
    assert (reply.status, reply.body) == (404, NOT_AN_OPERATION)


def test_get_is_a_health_check(url: str) -> None:
    reply = ask(url, b"", "GET / HTTP/1.1", x_amz_target=None, authorization=None)
    assert (reply.status, reply.body) == (200, b"healthy: dynamodb.us-east-1.amazonaws.com ")


def test_head_is_one_too_and_answers_as_get_without_the_body(url: str) -> None:
    """Programs that wait for a server ask so."""
    with Connection(url) as connection:
        connection.send(
            b"HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n" + request(b"", "GET / HTTP/1.1")
        )
        answer = connection.socket.makefile("rb")
        assert answer.readline() == b"HTTP/1.1 200 OK\r\n"
        lines = list(iter(answer.readline, b"\r\n"))
        assert b"content-length: 42\r\n" in lines
        assert answer.readline() == b"HTTP/1.1 200 OK\r\n"  # of the next answer already


@pytest.mark.parametrize(
    ("authorization", "error"),
    [
        (None, "MissingAuthenticationTokenException"),
        ("", "MissingAuthenticationTokenException"),
        ("Basic YTpi", "IncompleteSignatureException"),
        ("Bearer token", "IncompleteSignatureException"),
        ("AWS4-HMAC-SHA256", "IncompleteSignatureException"),
        ("AWS4-HMAC-SHA256 Credential=a/b/c/d/e", "IncompleteSignatureException"),
        (ANYONE.replace("SHA256", "SHA1"), "IncompleteSignatureException"),
    ],
)
def test_a_request_without_credentials_is_refused(
    url: str, authorization: str | None, error: str
) -> None:
    assert ask(url, authorization=authorization).error == (400, error)


def test_a_failure_of_the_engine_is_an_internal_error_and_the_server_lives(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> bytes:
        raise RuntimeError("boom")

    with running(engine) as url:
        with monkeypatch.context() as patch:
            patch.setattr(engine, "call_json", fail)
            assert ask(url).error == (500, "InternalServerError")
        assert ask(url).status == 200
    assert "boom" in caplog.text
