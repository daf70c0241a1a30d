"""Signatures: made and checked as the specification says."""

from __future__ import annotations

import base64
import hashlib
import hmac
import time

import pytest

from singletable.errors import UsageError
from singletable.streams.events import NotAuthentic, new_secret, verify
from singletable.streams.events.signatures import keys_of, signed

KEY = bytes(range(32))
SECRET = "whsec_" + base64.b64encode(KEY).decode()
OTHER = new_secret()
BODY = b'{"specversion":"1.0"}'


def _headers(
    secrets: str | list[str] = SECRET, *, at: float | None = None, body: bytes = BODY
) -> dict[str, str]:
    now = int(time.time() if at is None else at)
    return {
        "Webhook-Id": "msg_1",
        "Webhook-Timestamp": str(now),
        "Webhook-Signature": signed(keys_of(secrets), "msg_1", now, body),
    }


def test_a_signature_is_the_hmac_of_id_timestamp_and_body() -> None:
    content = b"msg_1.1674087231." + BODY
    expected = base64.b64encode(hmac.new(KEY, content, hashlib.sha256).digest()).decode()
    assert signed([KEY], "msg_1", 1674087231, BODY) == f"v1,{expected}"


def test_what_was_signed_is_authentic_and_its_id_is_given() -> None:
    assert verify(_headers(), BODY, SECRET) == "msg_1"
    lower = {name.lower(): value for name, value in _headers().items()}
    assert verify(lower, BODY, SECRET) == "msg_1"


def test_while_a_secret_is_replaced_either_will_do() -> None:
    both = _headers([SECRET, OTHER])
    assert both["Webhook-Signature"].count("v1,") == 2
    assert verify(both, BODY, SECRET) == verify(both, BODY, OTHER) == "msg_1"
    assert verify(_headers(OTHER), BODY, [SECRET, OTHER]) == "msg_1"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Webhook-Id", "msg_2"),
        ("Webhook-Signature", "v1,"),
        ("Webhook-Signature", "v2,abc v1a,abc"),
        ("Webhook-Signature", "żółw v1,\ud800"),
        ("Webhook-Id", "\udcff"),
    ],
)
def test_what_was_changed_is_not_authentic(name: str, value: str) -> None:
    with pytest.raises(NotAuthentic, match="another secret, or for another message"):
        verify({**_headers(), name: value}, BODY, SECRET)


def test_another_body_another_time_or_another_secret_is_not_authentic() -> None:
    headers = _headers()
    shifted = str(int(headers["Webhook-Timestamp"]) + 1)
    with pytest.raises(NotAuthentic):
        verify(headers, BODY + b" ", SECRET)
    with pytest.raises(NotAuthentic):
        verify({**headers, "Webhook-Timestamp": shifted}, BODY, SECRET)
    with pytest.raises(NotAuthentic):
        verify(headers, BODY, OTHER)


@pytest.mark.parametrize("away_s", [-320, 320])
def test_what_was_signed_long_ago_or_ahead_is_refused(away_s: float) -> None:
    headers = _headers(at=time.time() + away_s)
    with pytest.raises(NotAuthentic, match="more than 300 s away from now"):
        verify(headers, BODY, SECRET)
    assert verify(headers, BODY, SECRET, tolerance_s=600) == "msg_1"


@pytest.mark.parametrize("timestamp", ["soon", "-1", "1e9", "9" * 5000, "\u0661"])
def test_a_timestamp_is_a_number_of_seconds(timestamp: str) -> None:
    with pytest.raises(NotAuthentic, match="is no number of seconds"):
        verify({**_headers(), "Webhook-Timestamp": timestamp}, BODY, SECRET)


def test_a_request_without_a_signature_is_refused() -> None:
    with pytest.raises(NotAuthentic, match="no webhook-id and no webhook-timestamp and no webhook"):
        verify({}, BODY, SECRET)


@pytest.mark.parametrize(
    "secret", ["", "s3cret", "whsec_", "whsec_c2hvcnQ=", SECRET[6:], "whsec_*"]
)
def test_a_secret_that_is_none_is_refused_and_not_shown(secret: str) -> None:
    with pytest.raises(UsageError, match="24 to 64 bytes in base64") as caught:
        keys_of(secret)
    assert not secret.removeprefix("whsec_") or secret not in str(caught.value)


def test_there_is_at_least_one_secret() -> None:
    with pytest.raises(UsageError, match="needs a secret"):
        verify(_headers(), BODY, [])


def test_a_new_secret_is_another_each_time() -> None:
    assert new_secret() != new_secret()
    assert len(keys_of(new_secret())[0]) == 32
