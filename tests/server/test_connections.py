"""Heads that are long, slow, many or odd, and more connections than there may be."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from singletable.engine import Engine
from singletable.server import bounds, connections, running
from tests.server.support import HEADERS, Connection, ask, request, target

LIMIT = bounds.HEAD_BYTES_MAX
SECONDS = 0.3
"""The time that these tests give a head."""


@pytest.fixture
def impatient(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Serve with little time for heads; give the URL."""
    monkeypatch.setattr(bounds, "HEAD_SECONDS_MAX", SECONDS)
    with running(engine) as url:
        yield url


@pytest.fixture
def one_at_a_time(engine: Engine, impatient: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Serve one connection, with little time for everything, and a long item; give the URL."""
    monkeypatch.setattr(bounds, "CONNECTIONS_MAX", 1)
    monkeypatch.setattr(bounds, "UNREAD_SECONDS_MAX", SECONDS)
    monkeypatch.setattr(bounds, "IDLE_SECONDS_MAX", SECONDS)
    item = {"pk": {"S": "long"}, "data": {"S": "x" * 300_000}}
    engine.call("PutItem", {"TableName": "Music", "Item": item})
    with running(engine) as url:
        yield url
    engine.call("DeleteItem", {"TableName": "Music", "Key": {"pk": item["pk"]}})


def headers(count: int) -> dict[str, Any]:
    """Make empty headers with different names."""
    return {f"x_{number}": "" for number in range(count)}


def flood(connection: Connection, data: bytes, times: int) -> int:
    """Send the same again and again until the server hangs up; give the bytes that it took."""
    for sent in range(times):
        try:
            connection.send(data)
        except OSError:
            return sent * len(data)
    return times * len(data)


def get_long(**headers: Any) -> bytes:
    """Ask for the long item."""
    body = b'{"TableName": "Music", "Key": {"pk": {"S": "long"}}}'
    return request(body, x_amz_target=target("GetItem"), **headers)


def is_served_again(url: str) -> bool:
    """Ask until there is an answer, or it has taken too long."""
    deadline = time.monotonic() + 50
    while time.monotonic() < deadline:
        try:
            return ask(url).status == 200
        except (OSError, IndexError):
            time.sleep(SECONDS / 10)
    return False


def is_refused(url: str, head: bytes) -> bool:
    """Send a whole head: whether the answer is 400 and the end; one cut off says as much."""
    with Connection(url) as connection:
        connection.send(head)
        try:
            return connection.reply().status == 400 and connection.is_closed()
        except (OSError, IndexError):
            return True


def test_long_and_many_headers_are_taken_within_the_bounds(url: str) -> None:
    assert ask(url, x_long="x" * (LIMIT - 1024)).status == 200
    assert ask(url, **headers(bounds.HEADERS_MAX - 10)).status == 200


def test_blanks_around_headers_do_not_count(url: str) -> None:
    blank: dict[str, Any] = {
        name.replace("-", "_"): f" {value} \t" for name, value in HEADERS.items()
    }
    assert ask(url, **blank).json == {"TableNames": ["Music"]}


def test_headers_beyond_the_bounds_are_refused(url: str) -> None:
    assert is_refused(url, request(x_long="x" * LIMIT))
    assert is_refused(url, request(line=f"POST /{'x' * LIMIT} HTTP/1.1"))
    assert is_refused(url, request(**headers(bounds.HEADERS_MAX)))
    assert ask(url).status == 200


@pytest.mark.parametrize("data", [b"x" * 65_536, b"a: b\r\n" * 10_000], ids=["long", "many"])
@pytest.mark.parametrize("start", [b"POST / HTTP/1.1\r\na: ", b"POST /"], ids=["header", "path"])
def test_a_head_without_end_is_cut_off(url: str, start: bytes, data: bytes) -> None:
    with Connection(url) as connection:
        connection.send(start)
        assert flood(connection, data, 2000) < 2000 * len(data)
    assert ask(url).status == 200


def test_a_head_without_end_is_cut_off_behind_a_request(url: str) -> None:
    with Connection(url) as connection:
        connection.send(request() + b"POST / HTTP/1.1\r\na: ")
        assert flood(connection, b"x" * 65_536, 2000) < 2000 * 65_536


@pytest.mark.parametrize("end", [b"0\r\na: ", b"2;a="], ids=["trailer", "extension"])
def test_what_frames_a_body_is_bounded_as_a_head_is(url: str, end: bytes) -> None:
    chunks = b"2\r\n{}\r\n" + end
    with Connection(url) as connection:
        connection.send(request(chunks, content_length=None, transfer_encoding="chunked"))
        assert flood(connection, b"x" * 65_536, 2000) < 2000 * 65_536
    assert ask(url).status == 200


def test_a_body_does_not_count_as_head(url: str) -> None:
    long = request(b"{}".ljust(4 * LIMIT))
    with Connection(url) as connection:
        connection.send(long[:50])
        time.sleep(0.05)
        connection.send(long[50:] + request()[:50])
        assert connection.reply().status == 200
        connection.send(request()[50:])
        assert connection.reply().status == 200


@pytest.mark.parametrize("start", [b"", b"\r\n", b"POST"])
def test_a_client_that_asks_nothing_is_hung_up_on(impatient: str, start: bytes) -> None:
    with Connection(impatient) as connection:
        connection.send(start)
        assert connection.is_closed()


@pytest.mark.parametrize("start", [b"\r\n", b"POST"])
def test_a_client_that_asks_nothing_more_is_hung_up_on(
    url: str, start: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Connection(url) as connection:
        connection.send(request())
        assert connection.reply().status == 200
        monkeypatch.setattr(bounds, "HEAD_SECONDS_MAX", SECONDS)
        connection.send(start)
        assert connection.is_closed()


def test_a_head_may_not_come_byte_by_byte_for_ever(impatient: str) -> None:
    with Connection(impatient) as connection:
        connection.send(b"POST / HTTP/1.1\r\na: ")
        started = time.monotonic()
        try:
            while time.monotonic() - started < 50:
                connection.send(b"x")
                time.sleep(SECONDS / 10)
        except OSError:
            pass
        assert time.monotonic() - started < 50


def test_the_time_for_the_head_ends_with_it(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "HEAD_SECONDS_MAX", 1)  # enough for a slow machine to send it
    with Connection(url) as connection:
        for _ in range(2):
            connection.send(request(b"", content_length="2"))
            time.sleep(1.2)
            connection.send(b"{}")
            assert connection.reply().status == 200


def test_a_connection_too_many_is_closed_and_the_others_are_served(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "CONNECTIONS_MAX", 3)
    with running(engine) as url, ExitStack() as stack:
        held = [stack.enter_context(Connection(url)) for _ in range(3)]
        with Connection(url) as late:
            assert late.is_closed()
        for connection in held:
            connection.send(request())
            assert connection.reply().status == 200
        held[0].send(request(connection="close"))
        assert held[0].reply().status == 200
        assert held[0].is_closed()
        assert ask(url).status == 200


def test_a_client_that_reads_no_answers_is_hung_up_on(one_at_a_time: str) -> None:
    with Connection(one_at_a_time) as connection:
        connection.send(get_long() * 100)
        assert is_served_again(one_at_a_time)


@pytest.mark.parametrize(
    "last", [get_long(connection="close"), b"POST", b""], ids=["close", "head", "idle"]
)
def test_a_client_that_reads_not_even_the_last_answers_is_hung_up_on(
    one_at_a_time: str, last: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is left is then too little for the server to stop writing, and wait."""
    made = connections.ClientConnection.connection_made

    def without_bounds(self: connections.ClientConnection, transport: Any) -> None:
        transport.set_write_buffer_limits(high=1 << 30)
        made(self, transport)

    monkeypatch.setattr(connections.ClientConnection, "connection_made", without_bounds)
    with Connection(one_at_a_time) as connection:
        connection.send(get_long() * 50 + last)
        assert is_served_again(one_at_a_time)


def test_a_client_that_reads_slowly_gets_its_answers(one_at_a_time: str) -> None:
    with Connection(one_at_a_time) as connection:
        connection.send(get_long() * 50)
        for _ in range(50):
            assert len(connection.reply().body) > 300_000
            time.sleep(SECONDS / 30)


def test_requests_wait_outside_while_one_is_at_work(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or a client could have the server keep any number of them."""
    go_on = threading.Event()

    def slowly(_operation: str, _body: bytes) -> bytes:
        go_on.wait(60)
        return b"{}"

    monkeypatch.setattr(engine, "call_json", slowly)
    some = request() * 500
    with running(engine) as url, Connection(url) as connection:
        connection.socket.settimeout(0.5)
        sent = flood(connection, some, 1000)
        assert 0 < sent < 1000 * len(some)
        connection.socket.settimeout(60)
        go_on.set()
        assert [connection.reply().status for _ in range(500)] == [200] * 500


def test_an_answer_lets_no_more_requests_in_than_it_was_for(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or those that came with it would pile up, by some hundreds an answer."""
    may_run = threading.Semaphore(0)

    def slowly(_operation: str, _body: bytes) -> bytes:
        may_run.acquire(timeout=60)
        return b"{}"

    monkeypatch.setattr(engine, "call_json", slowly)
    with running(engine) as url, Connection(url) as connection:
        connection.socket.settimeout(0.5)
        flood(connection, request(), 100_000)
        may_run.release(50)
        connection.socket.settimeout(60)
        assert [connection.reply().status for _ in range(50)] == [200] * 50
        connection.socket.settimeout(0.5)
        assert flood(connection, request(), 100_000) < 1 << 20
        may_run.release(100_000)


def test_who_sends_many_requests_at_once_keeps_nobody_waiting(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bytes] = []
    entered, go_on = threading.Event(), threading.Event()

    def call(_operation: str, body: bytes) -> bytes:
        asked.append(body)
        entered.set()
        go_on.wait(60)
        return body

    monkeypatch.setattr(engine, "call_json_now", call)
    many = [b"%d" % number for number in range(100)]
    get = target("GetItem")
    with running(engine) as url, Connection(url) as one, Connection(url) as other:
        other.send(request(line="GET / HTTP/1.1"))
        assert other.reply().status == 200
        one.send(b"".join(request(body, x_amz_target=get) for body in many))
        assert entered.wait(60)
        other.send(request(b"other", x_amz_target=get))
        go_on.set()
        assert other.reply().body == b"other"
        assert [one.reply().body for _ in many] == many
    assert asked.index(b"other") < len(many) / 2


def test_who_sends_a_long_body_lets_others_have_their_turn(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What came is not all read in one turn of the loop, as uvloop would."""
    received = connections.ClientConnection.data_received
    goes_on: list[bool] = []

    def spy(self: connections.ClientConnection, data: bytes) -> None:
        received(self, data)
        if len(data) > bounds.TURN_BYTES_MAX:
            goes_on.append(self._transport.is_reading())

    monkeypatch.setattr(connections.ClientConnection, "data_received", spy)
    assert ask(url, b"{}".ljust(8 << 20)).status == 200
    assert goes_on
    assert not any(goes_on)


def test_a_broken_request_behind_a_whole_one_ends_with_its_answer(url: str) -> None:
    broken = request(b"-1\r\n", content_length=None, transfer_encoding="chunked")
    with Connection(url) as connection:
        connection.send(request() + broken)
        assert connection.reply().status == 200
        assert connection.is_closed()


@pytest.mark.parametrize("more", [request(), b"POST / HTTP/1.1\r\n"], ids=["whole", "begun"])
def test_who_has_sent_more_than_is_answered_is_not_cut_off(url: str, more: bytes) -> None:
    """A connection that is reset may lose the answer that ended it."""
    with Connection(url) as connection:
        connection.send(request(line="POST / HTTP/1.0", connection="keep-alive") + more)
        assert connection.reply().headers["connection"] == "close"
        for _ in range(2):
            connection.send(more)
            time.sleep(0.1)
        assert connection.is_closed()


def test_a_target_may_name_the_server_as_proxies_do(url: str) -> None:
    assert ask(url, line="POST http://localhost:8000/ HTTP/1.1").status == 200
    assert ask(url, line="POST http://localhost:8000/Music HTTP/1.1").status == 404


@pytest.mark.parametrize(
    ("line", "headers"),
    [
        ("GET / HTTP/1.0", {}),
        ("GET / HTTP/1.0", {"connection": "keep-alive"}),
        ("GET / HTTP/1.1", {"connection": "Upgrade", "upgrade": "h2c"}),
    ],
    ids=["old", "old-and-kept", "another-protocol"],
)
def test_who_speaks_another_version_gets_one_answer(
    url: str, line: str, headers: dict[str, Any]
) -> None:
    with Connection(url) as connection:
        connection.send(request(b"", line, content_length=None, **headers))
        reply = connection.reply()
        assert (reply.status, reply.headers["connection"]) == (200, "close")
        assert connection.is_closed()
