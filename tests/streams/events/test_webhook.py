"""Webhooks, sent to a receiver on loopback."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler
from types import SimpleNamespace

import pytest

from singletable.errors import UsageError
from singletable.store.retries import Retries
from singletable.streams.events import NotSent, SinkUnreachable, Webhook, new_secret, verify
from singletable.streams.events.webhook import NOT_TRIED
from tests import components
from tests.streams.events.receiver import (
    Behaviour,
    Receiver,
    answer,
    answer_and_hang_up,
    hang_up,
    receiver,
)
from tests.streams.events.samples import AT_ONCE, SOURCE, enveloped, event

SECRET = new_secret()


@pytest.fixture
def told() -> Iterator[Receiver]:
    """A receiver."""
    with receiver() as running:
        yield running


@pytest.fixture
def webhook(told: Receiver) -> Iterator[Webhook]:
    """A webhook of the receiver, which tries three times, at once."""
    made = Webhook(f"{told.url}/hooks?to=us", secrets=SECRET, source=SOURCE, retries=AT_ONCE)
    yield made
    made.close()


def test_an_event_is_posted_with_its_envelope_and_a_signature(
    told: Receiver, webhook: Webhook
) -> None:
    sent = event(1, title="Żółw")
    webhook.send([sent])
    (request,) = told.requests
    assert request.path == "/hooks?to=us"
    assert request.headers["Content-Type"] == "application/cloudevents+json; charset=utf-8"
    assert json.loads(request.body) == enveloped(sent)
    assert verify(request.headers, request.body, SECRET) == sent.id
    key = base64.b64decode(SECRET.removeprefix("whsec_"))
    content = f"{sent.id}.{request.headers['webhook-timestamp']}.".encode() + request.body
    signature = base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()).decode()
    assert request.headers["webhook-signature"] == f"v1,{signature}"


def test_with_two_secrets_either_verifies(told: Receiver) -> None:
    other = new_secret()
    webhook = Webhook(told.url, secrets=[other, SECRET], source=SOURCE)
    webhook.send([event()])
    webhook.close()
    (request,) = told.requests
    for secret in (SECRET, other):
        verify(request.headers, request.body, secret)


def test_an_id_that_no_header_can_hold_is_sent_as_its_hash(
    told: Receiver, webhook: Webhook
) -> None:
    webhook.send([replace(event(), id="Żółw.1\r\nx: y")])
    (request,) = told.requests
    assert verify(request.headers, request.body, SECRET).isalnum()
    assert json.loads(request.body)["id"] == "Żółw.1\r\nx: y"


def test_events_are_sent_in_order_over_one_connection(told: Receiver, webhook: Webhook) -> None:
    told.answers += [answer(201, b"thanks"), answer(204)]
    webhook.send([event(number) for number in range(5)])
    webhook.send([event(5)])
    assert [json.loads(request.body)["data"]["number"] for request in told.requests] == [*range(6)]
    assert len({request.peer for request in told.requests}) == 1


def test_what_fails_twice_is_sent_a_third_time_with_the_same_id(
    told: Receiver, webhook: Webhook
) -> None:
    told.answers += [answer(503), answer(500)]
    webhook.send([event(1), event(2)])
    ids = [verify(request.headers, request.body, SECRET) for request in told.requests]
    assert ids == [event(1).id] * 3 + [event(2).id]


def test_each_attempt_is_signed_anew(
    told: Receiver, webhook: Webhook, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter(range(1_800_000_000, 1_900_000_000, 100))
    monkeypatch.setattr(time, "time", lambda: float(next(clock)))
    told.answers += [answer(503)]
    webhook.send([event()])
    first, second = (request.headers for request in told.requests)
    assert first["webhook-timestamp"] != second["webhook-timestamp"]
    assert first["webhook-signature"] != second["webhook-signature"]


def test_a_receiver_that_closes_the_connection_is_asked_again(
    told: Receiver, webhook: Webhook
) -> None:
    told.answers += [hang_up]
    webhook.send([event()])
    assert len(told.requests) == 2


def test_a_connection_that_was_closed_while_idle_is_no_failure(told: Receiver) -> None:
    webhook = Webhook(told.url, secrets=SECRET, source=SOURCE, retries=Retries(attempts=1))
    told.answers += [answer_and_hang_up]
    webhook.send([event(1)])
    time.sleep(0.05)
    webhook.send([event(2)])
    webhook.close()
    assert len({request.peer for request in told.requests}) == 2


@pytest.mark.parametrize("retry_after", ["60", "date"])
def test_a_receiver_says_when_to_come_back(
    told: Receiver, retry_after: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []
    clock = SimpleNamespace(time=time.time, sleep=slept.append)
    monkeypatch.setattr("singletable.streams.events.webhook.time", clock)
    if retry_after == "date":
        retry_after = formatdate(time.time() + 60, usegmt=True)
    patient = Webhook(
        told.url, secrets=SECRET, source=SOURCE, retries=Retries(base_s=0.0, cap_s=100.0)
    )
    told.answers += [answer(429, Retry_After=retry_after)]
    patient.send([event()])
    patient.close()
    [waited] = slept
    assert 30 < waited <= 60
    assert len(told.requests) == 2


def test_a_receiver_that_asks_for_a_long_time_is_out_of_reach_at_once(
    told: Receiver, webhook: Webhook
) -> None:
    told.answers += [answer(503, b"maintenance", Retry_After="3600")]
    with pytest.raises(SinkUnreachable, match="answered 503 maintenance"):
        webhook.send([event()])
    assert len(told.requests) == 1


@pytest.mark.parametrize("retry_after", ["soon", "-1", "Wed, 99 Foo 2026", "²"])
def test_a_retry_after_that_says_nothing_is_ignored(
    told: Receiver, webhook: Webhook, retry_after: str
) -> None:
    told.answers += [answer(503, Retry_After=retry_after)]
    webhook.send([event()])
    assert len(told.requests) == 2


@pytest.mark.parametrize("status", [400, 401, 404, 410, 422])
def test_what_is_refused_is_not_sent_again_and_others_are_sent(
    told: Receiver, webhook: Webhook, status: int
) -> None:
    told.answers += [answer(status, b"no\nsuch story")]
    sent = [event(1), event(2)]
    with pytest.raises(NotSent) as caught:
        webhook.send(sent)
    assert caught.value.failed == [(sent[0], f"answered {status} no such story")]
    assert not isinstance(caught.value, SinkUnreachable)
    assert len(told.requests) == 2


@pytest.mark.parametrize("status", [301, 307])
def test_redirects_are_not_followed(told: Receiver, webhook: Webhook, status: int) -> None:
    told.answers += [answer(status, Location=f"{told.url}/elsewhere")]
    with pytest.raises(NotSent, match=f"answered {status}: redirects are not followed"):
        webhook.send([event()])
    assert [request.path for request in told.requests] == ["/hooks?to=us"]


@pytest.mark.parametrize(
    ("status", "out_of_reach"), [(500, False), (408, False), (429, True), (502, True), (503, True)]
)
def test_after_the_last_attempt_the_others_are_not_tried(
    told: Receiver, webhook: Webhook, status: int, out_of_reach: bool
) -> None:
    told.answers += [answer(status)] * 3
    sent = [event(1), event(2)]
    with pytest.raises(NotSent) as caught:
        webhook.send(sent)
    assert caught.value.failed == [(sent[0], f"answered {status}"), (sent[1], NOT_TRIED)]
    assert isinstance(caught.value, SinkUnreachable) is out_of_reach
    assert len(told.requests) == 3


def test_nobody_there_is_out_of_reach() -> None:
    url = f"http://localhost:{components.free_port()}"
    with pytest.raises(SinkUnreachable, match="no connection: "):
        Webhook(url, secrets=SECRET, source=SOURCE, retries=AT_ONCE).send([event()])


def _never_ending(first: bytes, more: bytes) -> Behaviour:
    """Begin an answer and never end it; a byte now and then keeps a socket from timing out."""

    def behave(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(first)
        for _ in range(5_000):
            handler.wfile.write(more)
            time.sleep(0.01)

    return behave


@pytest.mark.parametrize("slow", [_never_ending(b"", b""), _never_ending(b"HTTP/1.1", b" ")])
def test_a_receiver_that_is_slow_is_waited_for_no_longer_than_the_timeout(
    told: Receiver, slow: Behaviour, monkeypatch: pytest.MonkeyPatch
) -> None:
    webhook = Webhook(told.url, secrets=SECRET, source=SOURCE, retries=Retries(attempts=1))
    webhook.send([event(1)])
    monkeypatch.setattr(webhook._endpoint, "_timeout_s", 0.2)
    told.answers += [slow]
    with pytest.raises(NotSent, match="no answer: timed out"):
        webhook.send([event(2)])
    webhook.close()


def test_an_answer_counts_as_soon_as_its_status_is_there(told: Receiver) -> None:
    webhook = Webhook(told.url, secrets=SECRET, source=SOURCE, timeout_s=2.0)
    told.answers += [_never_ending(b"HTTP/1.1 200 OK\r\nX-Slow: ", b"x"), _broken]
    webhook.send([event(1), event(2)])
    assert len(told.requests) == 2
    webhook.close()


def _endless(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.end_headers()
    for _ in range(1_000):
        handler.wfile.write(b"x" * 100_000)


def test_of_a_long_answer_only_the_beginning_is_read(told: Receiver) -> None:
    """A connection with the rest of it is not used again."""
    once = Retries(attempts=1)
    webhook = Webhook(told.url, secrets=SECRET, source=SOURCE, retries=once)
    told.answers += [_endless, answer(200, b"x" * 100_000)]
    webhook.send([event(1), event(2), event(3)])
    webhook.close()
    assert len({request.peer for request in told.requests}) == 3


def _broken(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "100")
    handler.end_headers()
    handler.wfile.write(b"x")
    handler.close_connection = True


def _nonsense(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"nonsense\r\n\r\n")
    handler.close_connection = True


def test_what_is_no_http_is_no_answer(told: Receiver, webhook: Webhook) -> None:
    told.answers += [_nonsense] * 3
    with pytest.raises(NotSent, match="no answer: nonsense"):
        webhook.send([event()])


def test_threads_may_share_a_webhook(told: Receiver, webhook: Webhook) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: webhook.send([event(number)]), range(80)))
    received = sorted(json.loads(request.body)["data"]["number"] for request in told.requests)
    assert received == list(range(80))
    assert len({request.peer for request in told.requests}) <= 8


@pytest.mark.parametrize(
    "url",
    ["", "stories", "ftp://a/b", "https://", "https://u:p@a/", "https://a:b/", "https://a/ b\r\n"],
)
def test_what_is_no_url_is_refused(url: str) -> None:
    with pytest.raises(UsageError, match="This is no URL of a webhook"):
        Webhook(url, secrets=SECRET, source=SOURCE)


@pytest.mark.parametrize("host", ["example.com", "10.0.0.1", "127.0.0.1.example.com"])
def test_https_is_needed_but_on_loopback(host: str) -> None:
    with pytest.raises(UsageError, match=f"Events would go to {host} in the clear"):
        Webhook(f"http://{host}/hooks", secrets=SECRET, source=SOURCE)
    for url in (f"https://{host}/", "http://localhost:1/", "http://[::1]:1/", "http://127.0.0.9/"):
        Webhook(url, secrets=SECRET, source=SOURCE)


def test_neither_secret_nor_path_is_shown() -> None:
    webhook = Webhook("https://example.com/t0ken?key=1", secrets=SECRET, source=SOURCE)
    assert repr(webhook) == "Webhook('https://example.com')"
