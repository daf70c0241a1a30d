"""The attacks that need a socket: a 4xx or the end of the connection, and the server goes on."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from singletable.engine import Engine
from singletable.server import running
from tests.bad_input.samples import KEY, TABLE, create_world
from tests.bad_input.support import as_json, contents
from tests.bad_input.test_limits import LIMITS, prepare
from tests.server.support import ANYONE, JSON, Connection, Reply, ask, request, target

SECONDS_MAX = 5
GET = as_json({"TableName": TABLE, "Key": KEY})
PUT = as_json({"TableName": TABLE, "Item": KEY | {"sk": {"N": "666"}}})
SMUGGLED = request(PUT, x_amz_target=target("PutItem"))
"""Would write an item if it were taken for a request of its own."""


@pytest.fixture(scope="module")
def served() -> Iterator[tuple[str, Engine]]:
    """Serve a world; give the URL and the engine."""
    with create_world() as engine, running(engine) as url:
        yield url, engine


@pytest.fixture
def url(served: tuple[str, Engine], caplog: pytest.LogCaptureFixture) -> Iterator[str]:
    """Give the URL of a server that is none the worse for the test: alive, silent, unchanged."""
    url, engine = served
    before = contents(engine)
    yield url
    started = time.process_time()
    assert ask(url, GET, x_amz_target=target("GetItem")).json["Item"]["pk"] == {"S": "p"}
    assert time.process_time() - started < SECONDS_MAX
    assert contents(engine) == before
    assert not caplog.records


def replies(url: str, data: bytes) -> list[Reply]:
    """Send bytes and read all that the server says until it closes or has nothing to add."""
    with Connection(url) as connection:
        connection.send(data)
        found = [connection.reply()]
        connection.socket.settimeout(0.2)
        while True:
            try:
                found.append(connection.reply())
            except (OSError, IndexError, ValueError):
                return found


def raw(*headers: str, line: str = "POST / HTTP/1.1", body: bytes = b"") -> bytes:
    """Write a request as it stands, headers doubled, broken or missing."""
    common = [
        "Host: localhost",
        f"Content-Type: {JSON}",
        "X-Amz-Target: DynamoDB_20120810.ListTables",
        f"Authorization: {ANYONE}",
    ]
    return "\r\n".join([line, *common, *headers, "", ""]).encode("latin-1") + body


CHUNKED = "Transfer-Encoding: chunked"
TWO = "Content-Length: 2"
AMBIGUOUS = {
    "length-and-chunks": raw("Content-Length: 6", CHUNKED, body=b"0\r\n\r\n" + SMUGGLED),
    "chunks-and-length": raw(CHUNKED, "Content-Length: 6", body=b"0\r\n\r\n" + SMUGGLED),
    "two-lengths": raw(TWO, "Content-Length: 5", body=b"{}" + SMUGGLED),
    "length-of-two-lengths": raw("Content-Length: 2, 2", body=b"{}" + SMUGGLED),
    "no-length": raw(body=SMUGGLED.replace(b"POST", b"{} POST")),
    "length-negative": raw("Content-Length: -1", body=b"{}"),
    "length-signed": raw("Content-Length: +2", body=b"{}"),
    "length-hexadecimal": raw("Content-Length: 0x2", body=b"{}"),
    "length-beyond-64-bits": raw("Content-Length: 18446744073709551618", body=b"{}"),
    "length-before-a-blank": raw("Content-Length : 2", body=b"{}"),
    "length-folded": raw("Content-Length:", " 2", body=b"{}"),
    "coding-unknown": raw("Transfer-Encoding: xchunked", body=b"2\r\n{}\r\n0\r\n\r\n"),
    "coding-not-last": raw("Transfer-Encoding: chunked, gzip", body=b"2\r\n{}\r\n0\r\n\r\n"),
    "coding-behind-a-tab": raw("Transfer-Encoding: \x0bchunked", body=b"2\r\n{}\r\n0\r\n\r\n"),
    "chunk-negative": raw(CHUNKED, body=b"-1\r\n{}\r\n0\r\n\r\n"),
    "chunk-beyond-64-bits": raw(CHUNKED, body=b"F" * 17 + b"\r\n{}\r\n0\r\n\r\n"),
    "chunk-longer-than-said": raw(CHUNKED, body=b"2\r\n{}{}\r\n0\r\n\r\n"),
    "line-feeds": raw(TWO, body=b"{}").replace(b"\r\n", b"\n"),
    "nul-in-a-header": raw("X-A: a\0b", TWO, body=b"{}"),
    "blank-in-a-name": raw("X A: b", TWO, body=b"{}"),
    "two-hosts": raw("Host: evil.example", TWO, body=b"{}"),
    "two-targets": raw("X-Amz-Target: DynamoDB_20120810.DeleteTable", TWO, body=b"{}"),
    "two-dates": raw("Date: 20261118T000000Z", "Date: 20261119T000000Z", TWO, body=b"{}"),
    "two-origins": raw(
        "Origin: http://evil.example", "Origin: http://localhost", TWO, body=b"{}"
    ),
    "upgrade-to-websocket": raw(
        "Connection: Upgrade", "Upgrade: websocket", f"Content-Length: {len(SMUGGLED)}"
    ),
    "upgrade-to-http-2": raw("Connection: Upgrade", "Upgrade: h2c", CHUNKED, body=b"0\r\n\r\n"),
    "http-2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "http-9": raw(TWO, line="POST / HTTP/9.9", body=b"{}"),
    "lower-case": raw(TWO, line="post / HTTP/1.1", body=b"{}"),
    "connect": raw(line="CONNECT localhost:80 HTTP/1.1"),
    "not-ascii": raw(TWO, line="POST /\xff HTTP/1.1", body=b"{}"),
}  # fmt: skip


@pytest.mark.parametrize("case", AMBIGUOUS)
def test_a_request_that_could_be_read_in_two_ways_is_not_read(url: str, case: str) -> None:
    """One 400, and whatever else is in the bytes is thrown away with the connection."""
    assert [reply.status for reply in replies(url, AMBIGUOUS[case])] == [400]


def test_a_body_behind_an_upgrade_is_no_request(url: str) -> None:
    """It comes in a packet of its own, which is when a parser that has changed over reads it."""
    with Connection(url) as connection:
        connection.send(AMBIGUOUS["upgrade-to-websocket"])
        assert connection.reply().status == 400
        connection.send(SMUGGLED)
        with pytest.raises((OSError, IndexError)):
            connection.reply()


@pytest.mark.parametrize("junk", [b"nonsense\r\n\r\n", AMBIGUOUS["two-lengths"]])
def test_what_is_wrong_behind_a_request_does_not_take_its_answer(url: str, junk: bytes) -> None:
    """It is carried out, so to say 400 would be wrong; the connection ends with its answer."""
    [reply] = replies(url, request(GET, x_amz_target=target("GetItem")) + junk)
    assert reply.json["Item"]["pk"] == {"S": "p"}
    assert reply.headers["connection"] == "close"


def test_trailers_are_not_headers(url: str) -> None:
    """Else a body could change the operation, or the page, that was checked before it came."""
    trailers = b"".join(b"X-%d: y\r\n" % number for number in range(1000))
    body = b"2\r\n{}\r\n0\r\nX-Amz-Target: DynamoDB_20120810.DeleteTable\r\n%s\r\n" % trailers
    [reply] = replies(url, raw(CHUNKED, body=body))
    assert reply.json == {"TableNames": [TABLE]}


REFUSED = {
    "POST // HTTP/1.1": 404,
    "POST /../ HTTP/1.1": 404,
    "POST /%2f HTTP/1.1": 404,
    "POST /%00 HTTP/1.1": 404,
    "POST /%ff HTTP/1.1": 404,
    "POST /things HTTP/1.1": 404,
    "TRACE / HTTP/1.1": 404,
    "PATCH / HTTP/1.1": 404,
    "OPTIONS * HTTP/1.1": 404,
}


@pytest.mark.parametrize("line", REFUSED)
def test_no_other_path_or_method_leads_anywhere(url: str, line: str) -> None:
    [reply] = replies(url, raw(TWO, line=line, body=b"{}"))
    assert reply.status == REFUSED[line]


@pytest.mark.parametrize("operation", ["PutItem", "GetItem", "Scan", "CreateTable"])
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b" ",
        b"null",
        b"[]",
        b'"x"',
        b"{",
        b"{}{}",
        b"{} x",
        b"\xef\xbb\xbf{}",
        b'{"TableName": "things",}',
        b"{'TableName': 'things'}",
        b"{TableName: 1}",
        b'{"TableName": NaN}',
        b'{"TableName": Infinity}',
        b'{"TableName": 1e999}',
        b'{"TableName": "\xff"}',
        b'{"TableName": "\xc0\x80"}',
        b'{"TableName": "\xed\xa0\x80"}',
        b'{"TableName": "\\ud800"}',
        b'{"TableName": "\\udc00\\ud800"}',
        b'{"TableName": "\\x41"}',
        b'{"TableName": "a\nb"}',
        b'{"TableName": "things", "TableName": 7}',
        '{"TableName": "things"}'.encode("utf-16"),
        b"[" * 1_000_000,
        b'{"Item":' * 1_000_000,
        b"[" * 5000 + b"]" * 5000,
        b"\x1f\x8b\x08\x00",
    ],
    ids=lambda body: repr(body[:24]),
)
def test_what_is_not_a_json_object_is_a_serialization_exception(
    url: str, operation: str, body: bytes
) -> None:
    reply = ask(url, body, x_amz_target=target(operation))
    assert reply.error == (400, "SerializationException")
    assert b"Traceback" not in reply.body


BASE64 = ["YQ", "YQ=", "Y", "-_8=", "Y Q==", "====", "YQ==YQ==", "YQ==\\n", "é", "\\u0000", "Y=Q="]


@pytest.mark.parametrize("text", BASE64)
@pytest.mark.parametrize("value", ['{"B": "%s"}', '{"BS": ["YQ==", "%s"]}', '{"L": [{"B": "%s"}]}'])
def test_what_is_not_base64_is_a_serialization_exception(url: str, value: str, text: str) -> None:
    item = f'{{"pk": {{"S": "p"}}, "sk": {{"N": "1"}}, "v": {value % text}}}'
    body = f'{{"TableName": "{TABLE}", "Item": {item}}}'.encode()
    assert ask(url, body, x_amz_target=target("PutItem")).error == (400, "SerializationException")


NUMBERS = [
    "NaN", "Infinity", "-Infinity", "", " 1", "1 ", "0x10", "1_000", "1f", "\u0663", ".", "1e",
    "--1", "1e9999999999", "1" * 39, "1e126", "1e-131", "1" + "0" * 200,
]  # fmt: skip


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("kind", ["N", "NS"])
def test_what_is_not_a_number_of_dynamodb_is_invalid(url: str, kind: str, number: str) -> None:
    value = {kind: number if kind == "N" else ["1", number]}
    body = as_json({"TableName": TABLE, "Item": KEY | {"v": value}})
    assert ask(url, body, x_amz_target=target("PutItem")).error == (400, "ValidationException")


def test_limits_hold_over_http_on_one_connection() -> None:
    with create_world() as engine, running(engine) as url, Connection(url) as connection:
        prepare(engine)
        before = contents(engine)
        for make, most, message in LIMITS.values():
            operation, members = make(most + 1)
            connection.send(request(as_json(members), x_amz_target=target(operation)))
            reply = connection.reply()
            assert reply.status == 400
            assert reply.json.get("message", reply.json.get("Message")).startswith(message)
        assert contents(engine) == before


def test_a_point_read_with_a_long_body_keeps_nobody_waiting(
    url: str, served: tuple[str, Engine], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others are read on the event loop; only parsing this one takes seconds."""
    monkeypatch.setattr(served[1], "call_json_now", None)
    body = b'{"TableName": "things", "Key": {}, "AttributesToGet": [%s"a"]}' % (b'"a",' * 100_000)
    reply = ask(url, body, x_amz_target=target("GetItem"))
    assert reply.error == (400, "ValidationException")
    monkeypatch.undo()


def test_many_half_requests_keep_nobody_waiting(url: str) -> None:
    with ExitStack() as stack:
        for number in range(200):
            connection = stack.enter_context(Connection(url))
            connection.send(request(b"{")[: 5 + number])
        started = time.process_time()
        assert ask(url).status == 200
        assert time.process_time() - started < 1
