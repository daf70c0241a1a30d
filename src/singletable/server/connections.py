"""Bounds what a client may hold before anybody knows who it is: heads, their time, connections.

Bounded is also how long a client may leave its answers lying: who sends requests and reads nothing
would else have its connection for ever. It is aborted then, since to close waits for the reader.

uvicorn bounds none of these with httptools, its fast parser. Its ``limit_concurrency`` is not used:
it goes on accepting, and refuses those who were there before along with those who come too late.
"""

from __future__ import annotations

from asyncio import TimerHandle, Transport
from itertools import chain
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

CONNECTIONS_MAX = 512
HEAD_BYTES_MAX = 64 * 1024
HEAD_SECONDS_MAX = 30
HEADERS_MAX = 100
UNREAD_SECONDS_MAX = 30

ONCE = (b"host", b"origin", b"authorization", b"x-amz-date", b"x-amz-target", b"content-type")
"""The headers that decide: given twice, two readers could take them for two things."""


class HeadTooLarge(Exception):
    """Says that a request has too many or too long headers; the parser makes a 400 of it."""


class HeadAmbiguous(Exception):
    """Says that a request could be taken for two different ones; it gets a 400 too."""


class ClientConnection(HttpToolsProtocol):
    """Is uvicorn's connection to a client, within bounds until the head of a request is there."""

    _deadline: TimerHandle | None = None
    _unread_deadline: TimerHandle | None = None
    _answered: RequestResponseCycle | None = None
    _in_head = False
    _head_bytes = 0

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override] # as uvicorn
        """Give the client its time for a first request; close at once if there are too many."""
        super().connection_made(transport)
        self._start_deadline()
        if len(self.connections) > CONNECTIONS_MAX:
            transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Let go of the connection, and of the request that is answered: uvicorn tells the last."""
        self._stop_deadline()
        self._stop_unread_deadline()
        if self._answered is not None:
            self._answered.disconnected = True
            self._answered.message_event.set()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse what came; refuse a head that grows too large, close after one that is slow."""
        headers = self.headers
        super().data_received(data)
        if self._in_head:
            self._head_bytes += len(data) if self.headers is headers else 0
            self._refuse_if_too_large()
        if getattr(self.cycle, "response_complete", True):  # there is no cycle at first
            self._start_deadline()
        else:
            self._stop_deadline()

    def eof_received(self) -> Any:
        """Answer a client that has said all it had to say; hang up on one that has not."""
        return self._end_with_the_answer()

    def pause_writing(self) -> None:
        """Give the client its time to read what it was sent."""
        super().pause_writing()
        self._unread_deadline = self.loop.call_later(UNREAD_SECONDS_MAX, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on: the client has read."""
        super().resume_writing()
        self._stop_unread_deadline()

    def on_response_complete(self) -> None:
        """Go on with the next request; a connection that ends may not wait for its reader."""
        if self.pipeline:
            self._answered = self.pipeline[-1][0]
        super().on_response_complete()
        if self.transport.is_closing():
            self._start_deadline()

    def timeout_keep_alive_handler(self) -> None:
        """Hang up on a client that asks nothing more."""
        self.transport.abort()

    def send_400_response(self, msg: str) -> None:
        """Refuse what came, or throw it away behind a request that is there and has its answer."""
        if self._end_with_the_answer():
            self.flow.pause_reading()
        else:
            super().send_400_response(msg)

    def on_message_begin(self) -> None:
        """Start to count a head."""
        super().on_message_begin()
        self._in_head = True
        self._head_bytes = 0

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header; blanks behind it, and trailers behind the body, are no part of it."""
        if self._in_head:
            super().on_header(name, value.rstrip(b" \t"))

    def on_headers_complete(self) -> None:
        """Pass a request on whose head is within the bounds."""
        self._in_head = False
        if self._is_ambiguous():
            raise HeadAmbiguous
        if self._is_too_large(len(self.url) + sum(map(len, chain.from_iterable(self.headers)))):
            raise HeadTooLarge
        super().on_headers_complete()
        if not self.pipeline:
            self._answered = self.cycle

    def _end_with_the_answer(self) -> bool:
        """Have the answer to a whole request be the last; say False if none is awaited."""
        if getattr(self.cycle, "response_complete", True) or self.cycle.more_body:
            return False
        self.cycle.keep_alive = False
        return True

    def _is_ambiguous(self) -> bool:
        names = [name for name, _ in self.headers]
        if len(set(names)) < len(names) and any(names.count(name) > 1 for name in ONCE):
            return True
        # Of a request that asks for another protocol, httptools takes the body for a request.
        has_body = b"content-length" in names or b"transfer-encoding" in names
        return has_body and bool(self.parser.should_upgrade())

    def _refuse_if_too_large(self) -> None:
        if self._is_too_large(self._head_bytes) and not self.transport.is_closing():
            self.send_400_response("Request headers too large.")

    def _is_too_large(self, size: int) -> bool:
        return size > HEAD_BYTES_MAX or len(self.headers) > HEADERS_MAX

    def _start_deadline(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(HEAD_SECONDS_MAX, self.transport.abort)

    def _stop_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _stop_unread_deadline(self) -> None:
        if self._unread_deadline is not None:
            self._unread_deadline.cancel()
            self._unread_deadline = None
