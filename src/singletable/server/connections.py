"""A client's connection: bytes in, one request after the other, answers out in their order.

The parser is httptools. What uvicorn has around it is not used: the tasks and messages of ASGI cost
more than reading an item does, and hardly any of the bounds that are kept here are kept there.

A request may be answered before its body was read: because of who sent it, or because it is too
long or too slow. The connection then ends, but not at once: one closed with bytes unread is reset,
and the client would lose the answer.
"""

from __future__ import annotations

import asyncio
from asyncio import Future, Transport
from collections import deque
from enum import Enum, auto
from itertools import chain
from math import inf
from typing import cast

try:
    import httptools
except ModuleNotFoundError as error:
    error.add_note("The server is an extra: pip install 'singletable[server]'")
    raise

from singletable.server import bounds
from singletable.server.answers import PLAIN, Answer, RequestTimeoutException, failure
from singletable.server.deadlines import Deadline
from singletable.server.exchange import NO_HEAD, Exchange, Head, Site

CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
NOT_HTTP = Answer(b"Invalid HTTP request received.\n", 400, PLAIN)
ONCE = (
    b"host",
    b"origin",
    b"authorization",
    b"x-amz-date",
    b"date",
    b"x-amz-target",
    b"content-type",
)
"""The headers that decide: given twice, two readers could take them for two things."""


class HeadRefused(Exception):
    """A head is too large, or could be taken for another; the parser stops at it."""


class Awaited(Enum):
    """What a connection waits for: the client, or in ``WORK`` the engine."""

    REQUEST = auto()
    HEAD = auto()
    BODY = auto()
    WORK = auto()
    READER = auto()
    END = auto()


BLOCKED = (Awaited.WORK, Awaited.READER, Awaited.END)
"""No request is begun meanwhile."""


class ClientConnection(asyncio.Protocol):
    """One client's connection: its requests are answered in order, and it ends within bounds."""

    def __init__(
        self, site: Site, connections: set[ClientConnection], stopping: asyncio.Event
    ) -> None:
        self._site = site
        self._connections = connections
        self._stopping = stopping
        self.gone: Future[None] = asyncio.get_running_loop().create_future()
        self._parser = httptools.HttpRequestParser(self)
        self._deadline = Deadline(self._give_up)
        self._awaited = Awaited.HEAD
        self._exchanges: deque[Exchange] = deque()
        self._is_deaf = False
        self._in_head = False
        self._head_bytes = 0
        self._linger_bytes = 0
        self._url = b""
        self._headers: list[tuple[bytes, bytes]] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Give the client its time for a first request; close at once if it is one too many.

        It is so, too, if it was let in just before the server began to stop.
        """
        self._transport = cast("Transport", transport)
        self._connections.add(self)
        self._wait_for(Awaited.HEAD, bounds.HEAD_SECONDS_MAX)
        if self._stopping.is_set() or len(self._connections) > bounds.CONNECTIONS_MAX:
            transport.close()

    def data_received(self, data: bytes) -> None:
        """Take what came, and answer what can be answered."""
        if self._awaited is Awaited.END or self._is_deaf:
            self._throw_away(data)
            return
        was_idle, headers = self._awaited is Awaited.REQUEST, self._headers
        self._head_bytes += len(data)
        self._parse(data)
        is_new = self._headers is not headers
        if self._is_too_large(self._head_bytes):
            self._refuse()
        self._advance()
        if self._awaited is Awaited.REQUEST and (self._in_head or (was_idle and not is_new)):
            self._wait_for(Awaited.HEAD, bounds.HEAD_SECONDS_MAX)
        if len(self._exchanges) > 1:
            self._transport.pause_reading()
        elif len(data) > bounds.TURN_BYTES_MAX:
            self._transport.pause_reading()
            self._give_turn()

    def eof_received(self) -> bool:
        """Answer a client that has said all it had to say; hang up on one that has not."""
        self._drop_unfinished()
        return self._end_with_the_last()

    def connection_lost(self, _why: Exception | None) -> None:
        """Forget the client; what runs for it is done and not answered."""
        self._connections.discard(self)
        self.gone.set_result(None)
        self._deadline.cancel()
        self._exchanges.clear()
        self._awaited = Awaited.END

    def pause_writing(self) -> None:
        """Give the client its time to read what it was sent."""
        if self._awaited is not Awaited.END:
            self._wait_for(Awaited.READER, bounds.UNREAD_SECONDS_MAX)

    def resume_writing(self) -> None:
        """Go on: the client has read."""
        if self._awaited is Awaited.READER:
            self._wait_for(Awaited.REQUEST, bounds.IDLE_SECONDS_MAX)
            self._go_on()

    def stop(self) -> None:
        """Answer the requests that are there, and no more."""
        if self._awaited is not Awaited.END and not self._end_with_the_last():
            self._end()

    def abort(self) -> None:
        """Hang up, whatever is going on."""
        self._transport.abort()

    # What the parser tells: it is kept until all that came is parsed.

    def on_message_begin(self) -> None:
        """Start to collect a head."""
        self._url, self._headers = b"", []
        self._in_head, self._head_bytes = True, 0

    def on_url(self, url: bytes) -> None:
        """Take a piece of the request's target."""
        self._url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header; blanks behind it, and trailers behind the body, are no part of it."""
        if self._in_head:
            self._headers.append((name.lower(), value.rstrip(b" \t")))

    def on_headers_complete(self) -> None:
        """Have a request, if its head is within the bounds."""
        self._in_head, self._head_bytes = False, 0
        parser, headers = self._parser, dict(self._headers)
        size = len(self._url) + sum(map(len, chain.from_iterable(self._headers)))
        if self._is_too_large(size) or self._is_ambiguous(headers):
            raise HeadRefused
        keep_alive = parser.should_keep_alive() and parser.get_http_version() != "1.0"
        head = Head(parser.get_method(), _origin_form(self._url), headers)
        self._exchanges.append(Exchange(head, keep_alive))

    def on_body(self, data: bytes) -> None:
        """Take a piece of a body; what follows may be trailers, and counts as head again."""
        self._exchanges[-1].add(data)
        self._head_bytes = 0

    def on_message_complete(self) -> None:
        """Have all of a request."""
        self._exchanges[-1].whole = True
        self._head_bytes = 0

    def _parse(self, data: bytes) -> None:
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            # Another protocol was asked for: the answer is HTTP's, what follows it is not.
            self._exchanges[-1].keep_alive = False
            self._is_deaf = True
        except httptools.HttpParserError:
            self._refuse()

    def _is_ambiguous(self, headers: dict[bytes, bytes]) -> bool:
        if len(headers) < len(self._headers):
            names = [name for name, _ in self._headers]
            if any(names.count(name) > 1 for name in ONCE):
                return True
        # Of a request that asks for another protocol, httptools takes the body for a request.
        has_body = b"content-length" in headers or b"transfer-encoding" in headers
        return has_body and bool(self._parser.should_upgrade())

    def _is_too_large(self, size: int) -> bool:
        return size > bounds.HEAD_BYTES_MAX or len(self._headers) > bounds.HEADERS_MAX

    def _refuse(self) -> None:
        """Have no more of this client; tell it so, unless it has an answer to wait for."""
        self._drop_unfinished()
        if not self._end_with_the_last():
            self._exchanges.append(Exchange(NO_HEAD, keep_alive=False, opened=NOT_HTTP))
        self._is_deaf = True

    def _drop_unfinished(self) -> None:
        if self._exchanges and not self._exchanges[-1].whole:
            self._exchanges.pop()

    # From requests to answers.

    def _advance(self) -> None:
        """Answer what can be answered now; behind some, it is the turn of other clients."""
        for _ in range(bounds.TURN_REQUESTS_MAX):
            if not self._exchanges or self._awaited in BLOCKED:
                return
            exchange = self._exchanges[0]
            answer = self._begin(exchange)
            if answer is None:
                return
            self._answer(exchange, answer)
        self._give_turn()

    def _begin(self, exchange: Exchange) -> Answer | None:
        """Give a request's answer, or None if the body or the engine is waited for."""
        opened = exchange.open(self._site)
        if isinstance(opened, Answer):
            return opened
        if not exchange.whole:
            self._await_body(exchange)
            return None
        answer = opened(exchange.body())
        if isinstance(answer, Answer):
            return answer
        self._wait_for(Awaited.WORK, inf)
        answer.add_done_callback(self._finish)
        return None

    def _await_body(self, exchange: Exchange) -> None:
        if self._awaited is not Awaited.BODY:
            self._wait_for(Awaited.BODY, bounds.BODY_SECONDS_MAX)
            if exchange.is_held_back():
                self._transport.write(CONTINUE)

    def _finish(self, work: Future[Answer]) -> None:
        if self._awaited is Awaited.WORK:
            self._answer(self._exchanges[0], work.result())
            self._go_on()

    def _give_turn(self) -> None:
        asyncio.get_running_loop().call_soon(self._go_on)

    def _go_on(self) -> None:
        self._advance()
        if len(self._exchanges) <= 1:
            self._transport.resume_reading()

    def _answer(self, exchange: Exchange, answer: Answer) -> None:
        self._exchanges.popleft()
        is_last = not (exchange.keep_alive and exchange.whole)
        headers = self._site.shared(exchange.head.headers)
        if is_last:
            headers = [*headers, (b"connection", b"close")]
        self._wait_for(Awaited.REQUEST, bounds.IDLE_SECONDS_MAX)
        body = b"" if exchange.head.method == b"HEAD" else answer.body
        self._transport.write(answer.head(headers) + body)
        if is_last:
            has_more = self._in_head or self._exchanges or not exchange.whole
            self._end(with_bytes_unread=self._is_deaf or bool(has_more))

    # How it ends.

    def _wait_for(self, awaited: Awaited, seconds: float) -> None:
        self._awaited = awaited
        self._deadline.set(seconds)

    def _give_up(self) -> None:
        """Tell a client that its body is missing; hang up on one that could not be told."""
        if self._awaited is Awaited.BODY:
            late = RequestTimeoutException("The request body did not arrive in time")
            self._answer(self._exchanges[0], failure(late))
        else:
            self.abort()

    def _end_with_the_last(self) -> bool:
        """Have the answer to the last request end the connection; say False if none is there."""
        if self._exchanges:
            self._exchanges[-1].keep_alive = False
        return bool(self._exchanges)

    def _end(self, *, with_bytes_unread: bool = False) -> None:
        """Close; what the client still sends is read and thrown away, up to a bound."""
        self._exchanges.clear()
        if with_bytes_unread:
            self._wait_for(Awaited.END, bounds.LINGER_SECONDS_MAX)
            self._transport.resume_reading()
            self._transport.write_eof()
        else:
            self._wait_for(Awaited.END, bounds.UNREAD_SECONDS_MAX)
            self._transport.close()

    def _throw_away(self, data: bytes) -> None:
        self._linger_bytes += len(data)
        if self._linger_bytes > bounds.LINGER_BYTES_MAX:
            self.abort()


def _origin_form(target: bytes) -> bytes:
    """Leave host and port out of a target, which proxies put in; an error if it is none."""
    if target == b"/":
        return target
    url = httptools.parse_url(target)
    return (url.path or b"") + (b"?" + url.query if url.query else b"")
