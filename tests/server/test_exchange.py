"""Bodies that are long, slow, in pieces or half, and connections that are used again."""

from __future__ import annotations

import socket
import struct
import tracemalloc
from typing import Any

import pytest

from singletable.engine import Engine
from singletable.server import bounds, running
from singletable.server.exchange import NO_HEAD, Exchange
from tests.server.support import Connection, ask, request

LIMIT = bounds.BODY_BYTES_MAX
TOO_LARGE = (413, "RequestEntityTooLargeException")


def test_a_connection_is_used_again(url: str) -> None:
    with Connection(url) as connection:
        for _ in range(3):
            connection.send(request())
            assert connection.reply().status == 200


def test_a_connection_survives_an_error(url: str) -> None:
    with Connection(url) as connection:
        connection.send(request(b"{"))
        assert connection.reply().status == 400
        connection.send(request())
        assert connection.reply().status == 200


def test_pipelined_requests_are_answered_in_order(url: str) -> None:
    with Connection(url) as connection:
        connection.send(request() + request(b"{") + request() + request(x_amz_target="No.Such"))
        assert [connection.reply().status for _ in range(4)] == [200, 400, 200, 400]


def test_a_client_that_asks_for_it_is_disconnected(url: str) -> None:
    with Connection(url) as connection:
        connection.send(request(connection="close"))
        assert connection.reply().status == 200
        assert connection.is_closed()


def test_a_client_that_has_said_all_still_gets_its_answers(url: str) -> None:
    with Connection(url) as connection:
        connection.send(request() + request(b"{"))
        connection.socket.shutdown(socket.SHUT_WR)
        assert [connection.reply().status for _ in range(2)] == [200, 400]
        assert connection.is_closed()


def test_a_body_may_come_byte_by_byte(url: str) -> None:
    with Connection(url) as connection:
        for byte in request(b'{"Limit": 1}'):
            connection.send(bytes([byte]))
        assert connection.reply().status == 200


def test_a_body_may_be_chunked(url: str) -> None:
    chunked = request(b"", content_length=None, transfer_encoding="chunked")
    with Connection(url) as connection:
        connection.send(chunked + b"1\r\n{\r\n1\r\n}\r\n0\r\n\r\n")
        assert connection.reply().status == 200


def test_a_body_in_many_chunks_takes_no_more_room_than_it_is_long() -> None:
    exchange = Exchange(NO_HEAD, keep_alive=True)
    tracemalloc.start()
    for number in range(100_000):
        exchange.add(b"%02d" % (number % 100))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2 * exchange.size
    assert exchange.body() == b"".join(b"%02d" % number for number in range(100)) * 1000


def test_a_client_may_wait_to_be_told_to_continue(url: str) -> None:
    with Connection(url) as connection:
        connection.send(request(b"", content_length="2", expect="100-continue"))
        assert connection.socket.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.send(b"{}")
        assert connection.reply().status == 200


def test_a_body_of_the_greatest_length_is_read(url: str) -> None:
    assert ask(url, b'{"Limit": 1}'.ljust(LIMIT)).status == 200


def test_a_body_that_says_it_is_too_long_is_refused_before_it_comes(url: str) -> None:
    with Connection(url) as connection:
        connection.send(request(b"", content_length=str(LIMIT + 1)))
        assert connection.reply().error == TOO_LARGE


def test_a_client_that_sends_all_of_a_long_body_still_gets_the_answer(url: str) -> None:
    assert ask(url, bytes(2 * LIMIT)).error == TOO_LARGE
    assert ask(url).status == 200


def test_a_chunked_body_without_end_is_refused_once_it_is_too_long(url: str) -> None:
    chunk = b"%x\r\n%s\r\n" % (1 << 20, bytes(1 << 20))
    with Connection(url) as connection:
        connection.send(request(b"", content_length=None, transfer_encoding="chunked"))
        connection.send(chunk * (LIMIT // len(bytes(1 << 20)) + 1))
        assert connection.reply().error == TOO_LARGE


def test_a_body_may_have_trailers(url: str) -> None:
    chunks = b"2\r\n{}\r\n0\r\na: " + b"x" * 1000 + b"\r\nhost: elsewhere\r\n\r\n"
    chunked = request(chunks, content_length=None, transfer_encoding="chunked")
    with Connection(url) as connection:
        connection.send(chunked + request())
        assert [connection.reply().status for _ in range(2)] == [200, 200]


def test_a_body_that_does_not_come_is_given_up(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "BODY_SECONDS_MAX", 0.1)
    monkeypatch.setattr(bounds, "LINGER_SECONDS_MAX", 0.1)
    with running(engine) as url, Connection(url) as connection:
        connection.send(request(b"{", content_length="2"))
        assert connection.reply().error == (408, "RequestTimeoutException")
        assert connection.is_closed()


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"content_type": "text/plain"}, 404),
        ({"host": "elsewhere.example"}, 403),
        ({"x_amz_target": "No.Such"}, 400),
        ({"authorization": None}, 400),
    ],
)
def test_a_refusal_does_not_wait_for_the_body_and_ends_the_connection(
    url: str, headers: dict[str, Any], status: int
) -> None:
    with Connection(url) as connection:
        connection.send(request(b"", content_length="2", **headers))
        assert connection.reply().status == status
        connection.send(b"{}")
        assert connection.is_closed()


def test_a_refusal_of_a_request_without_a_body_keeps_the_connection(url: str) -> None:
    with Connection(url) as connection:
        connection.send(request(b"", "GET /favicon.ico HTTP/1.1", content_length=None))
        assert connection.reply().status == 404
        connection.send(request())
        assert connection.reply().status == 200


def test_half_requests_keep_nobody_waiting(url: str) -> None:
    with Connection(url) as head, Connection(url) as body:
        head.send(request()[:30])
        body.send(request(b"{", content_length="2"))
        assert ask(url).status == 200
        body.send(b"}")
        assert body.reply().status == 200  # nor was it given up for the other


def test_a_client_that_hangs_up_leaves_nothing_behind(
    url: str, caplog: pytest.LogCaptureFixture
) -> None:
    for cut in (20, -1):
        with Connection(url) as connection:
            connection.send(request()[:cut])
    assert ask(url).status == 200
    assert not caplog.records


@pytest.mark.parametrize("count", [1, 2, 5])
def test_a_client_that_breaks_off_with_requests_in_flight_leaves_nothing_behind(
    url: str, caplog: pytest.LogCaptureFixture, count: int
) -> None:
    for _ in range(10):
        with Connection(url) as connection:
            connection.send(request() * count)
            at_once = struct.pack("ii", 1, 0)
            connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, at_once)
    assert ask(url).status == 200
    assert not caplog.records


@pytest.mark.parametrize(
    "data", [b"\x16\x03\x01\x02\x00\x01\x00", b"nonsense\r\n\r\n", b"\r\n" * 9]
)
def test_what_is_not_http_is_refused(url: str, data: bytes) -> None:
    with Connection(url) as connection:
        connection.send(data + b"nonsense\r\n\r\n")
        assert connection.reply().status == 400
        assert connection.is_closed()
    assert ask(url).status == 200
