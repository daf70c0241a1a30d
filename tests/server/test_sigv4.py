"""Signatures, made by botocore: good, bad, expired, tampered with."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from botocore.exceptions import ClientError

from singletable.engine import Engine
from singletable.errors import (
    IncompleteSignatureException,
    InvalidSignatureException,
    MissingAuthenticationTokenException,
    UnrecognizedClientException,
)
from singletable.server import Settings, running
from singletable.server.sigv4 import Authorization, Verifier, parse, signature
from tests.server.support import ANYONE, Connection, ask, connect, request

KEY = "AKIDEXAMPLE"
SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"  # noqa: S105 # AWS's example, opens nothing
BODY = b'{"Limit": 1}'
MISMATCH = (
    "The request signature we calculated does not match the signature you provided. "
    "Check your AWS Secret Access Key and signing method. "
    "Consult the service documentation for details."
)

Headers = dict[bytes, bytes]


def sign(
    *,
    key: str = KEY,
    secret: str = SECRET,
    token: str | None = None,
    service: str = "dynamodb",
    at: str | None = None,
    **beside: str,
) -> Headers:
    """Sign a request with botocore; give its headers as a server sees them.

    A moment ``at`` replaces the date and the scope's day after the signing. Headers ``beside`` the
    protocol's are signed too.
    """
    target = {"X-Amz-Target": "DynamoDB_20120810.ListTables"} | beside
    request = AWSRequest("POST", "http://localhost:8000/", headers=target, data=BODY)
    SigV4Auth(Credentials(key, secret, token), service, "eu-west-1").add_auth(request)
    headers = {"host": "localhost:8000", **request.headers}
    if at:
        day = headers["X-Amz-Date"][:8]
        headers["X-Amz-Date"] = at
        headers["Authorization"] = headers["Authorization"].replace(day, at[:8])
    return {name.lower().encode(): str(value).encode() for name, value in headers.items()}


def head(headers: Headers) -> bytes:
    """Write the head of a request whose sender waits before it sends the body."""
    names = {name.decode().replace("-", "_"): value.decode() for name, value in headers.items()}
    names.setdefault("authorization", "")
    return request(b"", content_length=str(len(BODY)), expect="100-continue", **names)


def verifier(minutes: float = 0) -> Verifier:
    """Make a verifier whose clock is ahead by some minutes."""
    return Verifier({KEY: SECRET}, lambda: time.time() + minutes * 60)


def without(headers: Headers, name: bytes) -> Headers:
    return {each: value for each, value in headers.items() if each != name}


def with_authorization(headers: Headers, old: bytes, new: bytes) -> Headers:
    assert old in headers[b"authorization"]
    return headers | {b"authorization": headers[b"authorization"].replace(old, new)}


def test_what_a_known_key_signed_is_let_in() -> None:
    verifier().screen(sign())(BODY)


def test_the_signature_is_the_one_of_amazons_published_example() -> None:
    authorization = Authorization(
        KEY, ("20150830", "us-east-1", "service", "aws4_request"), "host;x-amz-date", ""
    )
    headers = {b"host": b"example.amazonaws.com", b"x-amz-date": b"20150830T123600Z"}
    assert (
        signature(SECRET, authorization, "20150830T123600Z", headers, b"")
        == "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"
    )


def test_a_date_is_taken_where_there_is_no_x_amz_date() -> None:
    """As a client without an SDK may send it: in the form of X-Amz-Date, not in that of HTTP."""
    at = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    names = "date;host;x-amz-target"
    headers = without(sign(), b"x-amz-date") | {b"date": at.encode()}
    unsigned = Authorization(KEY, (at[:8], "eu-west-1", "dynamodb", "aws4_request"), names, "")
    signed = signature(SECRET, unsigned, at, headers, BODY)
    said = f"Credential={KEY}/{'/'.join(unsigned.scope)}, SignedHeaders={names}, Signature={signed}"
    headers[b"authorization"] = f"AWS4-HMAC-SHA256 {said}".encode()
    verifier().screen(headers)(BODY)
    with pytest.raises(InvalidSignatureException, match="Signature expired"):
        verifier(15.1).screen(headers)
    other = f"{at[:-2]}{(int(at[-2]) + 1) % 10}Z"
    with pytest.raises(InvalidSignatureException, match=MISMATCH):
        verifier().screen(headers | {b"x-amz-date": other.encode()})(BODY)
    with pytest.raises(IncompleteSignatureException, match=r"'basic format'\. Got 'Wed,"):
        verifier().screen(headers | {b"date": b"Wed, 18 Nov 2026 21:32:27 GMT"})


def test_blanks_in_a_header_do_not_count() -> None:
    headers = sign()
    verifier().screen(headers | {b"host": b"  localhost:8000 "})(BODY)


def test_letters_in_a_header_do() -> None:
    headers = sign(**{"X-Amz-Meta": "voilà  tout"})
    verifier().screen(headers)(BODY)
    with pytest.raises(InvalidSignatureException, match=MISMATCH):
        verifier().screen(headers | {b"x-amz-meta": b"voil\xc3 tout"})(BODY)


def test_a_wrong_secret_is_refused() -> None:
    with pytest.raises(InvalidSignatureException, match=MISMATCH):
        verifier().screen(sign(secret="wrong"))(BODY)


@pytest.mark.parametrize(
    "change",
    [
        {b"x-amz-target": b"DynamoDB_20120810.DeleteTable"},
        {b"host": b"evil.example"},
        {b"x-amz-date": datetime.now(UTC).strftime("%Y%m%dT000000Z").encode()},
    ],
)
def test_a_changed_header_is_refused(change: Headers) -> None:
    with pytest.raises(InvalidSignatureException):
        verifier().screen(sign() | change)(BODY)


def test_a_changed_body_is_refused() -> None:
    with pytest.raises(InvalidSignatureException, match=MISMATCH):
        verifier().screen(sign())(BODY + b" ")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b"Signature=", b"Signature=0", MISMATCH),
        (b"Signature=", "Signature=é".encode(), MISMATCH),
        (b"/eu-west-1/", b"/eu-west-2/", MISMATCH),
        (b"=host;", b"=", "'Host' or ':authority' must be a 'SignedHeader'"),
        (b";x-amz-target", b"", "'X-Amz-Target' must be a 'SignedHeader'"),
        (b"aws4_request", b"aws5_request", "valid terminator: 'aws4_request', not 'aws5_request'"),
        (b"/20", b"/19", "Date in Credential scope does not match YYYYMMDD"),
    ],
)
def test_a_changed_authorization_is_refused(old: bytes, new: bytes, message: str) -> None:
    with pytest.raises(InvalidSignatureException, match=message):
        verifier().screen(with_authorization(sign(), old, new))(BODY)


def test_a_signature_for_another_service_is_refused() -> None:
    with pytest.raises(InvalidSignatureException, match="correct service: 'dynamodb'"):
        verifier().screen(sign(service="s3"))(BODY)


@pytest.mark.parametrize("minutes", [-14.5, 14.5])
def test_clocks_may_differ_by_a_quarter_of_an_hour(minutes: float) -> None:
    verifier(minutes).screen(sign())(BODY)


def test_an_old_signature_has_expired() -> None:
    with pytest.raises(InvalidSignatureException, match=r"^Signature expired: .* - 15 min\.\)$"):
        verifier(15.1).screen(sign())(BODY)


def test_a_signature_from_the_future_is_not_yet_current() -> None:
    with pytest.raises(InvalidSignatureException, match=r"^Signature not yet current: .*15 min"):
        verifier(-15.1).screen(sign())(BODY)


@pytest.mark.parametrize("headers", [sign(key="AKIDOTHER"), sign(token="a session's")])
def test_an_unknown_key_or_a_session_token_is_refused(headers: Headers) -> None:
    with pytest.raises(UnrecognizedClientException) as caught:
        verifier().screen(headers)(BODY)
    assert caught.value.message == "The security token included in the request is invalid."


def test_an_unsigned_request_is_refused() -> None:
    with pytest.raises(MissingAuthenticationTokenException) as caught:
        verifier().screen(without(sign(), b"authorization"))(BODY)
    assert caught.value.message == (
        "Request must contain either a valid (registered) AWS access key ID or X.509 certificate."
    )


@pytest.mark.parametrize(
    ("headers", "message"),
    [
        (without(sign(), b"x-amz-date"), "requires existence of either a 'X-Amz-Date'"),
        (sign() | {b"x-amz-date": b"today"}, "Date must be in ISO-8601 'basic format'"),
        (with_authorization(sign(), b"Signature=", b"S="), "requires 'Signature' parameter"),
        (with_authorization(sign(), b"SignedHeaders=", b""), "missing equal-sign"),
        (with_authorization(sign(), b"/dynamodb", b""), "exactly 5 slash-delimited elements"),
        (with_authorization(sign(), b"AWS4-HMAC-SHA256", b"X"), "Unsupported AWS 'algorithm': 'X'"),
    ],
)
def test_an_incomplete_signature_is_refused(headers: Headers, message: str) -> None:
    with pytest.raises(IncompleteSignatureException, match=message):
        verifier().screen(headers)(BODY)


def test_a_complaint_does_not_repeat_the_header() -> None:
    with pytest.raises(IncompleteSignatureException) as caught:
        parse({b"authorization": b"AWS4-HMAC-SHA256 Credential=secret-key"})
    assert "secret-key" not in caught.value.message


@pytest.fixture(scope="module")
def locked(engine: Engine) -> Iterator[str]:
    """Serve to those who have the key; give the URL."""
    with running(engine, Settings(port=0, keys={KEY: SECRET})) as url:
        yield url


def test_a_client_with_the_key_is_served_in_any_region(locked: str) -> None:
    assert connect(locked, key=KEY, secret=SECRET).list_tables()["TableNames"] == ["Music"]
    assert connect(locked, key=KEY, secret=SECRET, region="eu-west-1").list_tables()[
        "TableNames"
    ] == ["Music"]


@pytest.mark.parametrize(
    ("key", "secret", "code"),
    [
        (KEY, "wrong", "InvalidSignatureException"),
        ("AKIDOTHER", SECRET, "UnrecognizedClientException"),
    ],
)
def test_a_client_with_another_key_is_refused(
    locked: str, key: str, secret: str, code: str
) -> None:
    with pytest.raises(ClientError) as caught:
        connect(locked, key=key, secret=secret).list_tables()
    assert caught.value.response["Error"]["Code"] == code


def test_with_keys_nobody_else_is_served(locked: str) -> None:
    assert ask(locked, authorization=None).error == (400, "MissingAuthenticationTokenException")
    assert ask(locked, authorization=ANYONE).error == (400, "IncompleteSignatureException")


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        (without(sign(), b"authorization"), "MissingAuthenticationTokenException"),
        (with_authorization(sign(), b"Signature=", b"S="), "IncompleteSignatureException"),
        (sign(key="AKIDOTHER"), "UnrecognizedClientException"),
        (sign(service="s3"), "InvalidSignatureException"),
        (sign(at="20200101T000000Z"), "InvalidSignatureException"),
    ],
)
def test_strangers_are_refused_before_they_send_a_body(
    locked: str, headers: Headers, code: str
) -> None:
    with Connection(locked) as connection:
        connection.send(head(headers))
        assert connection.reply().error == (400, code)
        connection.send(BODY)
        assert connection.is_closed()


def test_who_names_a_known_key_is_asked_for_the_body(locked: str) -> None:
    with Connection(locked) as connection:
        connection.send(head(sign()))
        assert connection.socket.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.send(BODY)
        assert connection.reply().json == {"TableNames": ["Music"]}


def test_a_verifier_with_other_keys_refuses() -> None:
    with pytest.raises(UnrecognizedClientException):
        replace(verifier(), secrets={}).screen(sign())(BODY)
