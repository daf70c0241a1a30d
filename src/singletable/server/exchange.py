"""Is one request and its answer over ASGI, within bounds of length and time.

A request may be answered before its body was read: because of who sent it, or because it is too
long or too slow. The connection then ends, but not at once: one closed with bytes unread is reset,
and the client would lose the answer.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from singletable.server.answers import (
    Answer,
    RequestEntityTooLargeException,
    RequestTimeoutException,
)

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

BODY_BYTES_MAX = 16 * 1024 * 1024
BODY_SECONDS_MAX = 30
LINGER_BYTES_MAX = 64 * 1024 * 1024
LINGER_SECONDS_MAX = 5


class ClientGone(Exception):
    """Says that the client hung up before its request was complete."""


class Exchange:
    """Reads a request's body, if anybody asks for it, and sends the answer."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.headers = headers = dict(scope["headers"])
        self._receive = receive
        self._send = send
        self._unread = (
            headers.get(b"content-length", b"0") != b"0" or b"transfer-encoding" in headers
        )

    async def read_body(self) -> bytes:
        """Read the whole body; one that is too long or too slow is an error."""
        if int(self.headers.get(b"content-length", b"0")) > BODY_BYTES_MAX:
            raise _too_large()
        try:
            async with asyncio.timeout(BODY_SECONDS_MAX):
                body = await self._collect()
        except TimeoutError:
            raise RequestTimeoutException("The request body did not arrive in time") from None
        self._unread = False
        return body

    async def respond(self, answer: Answer) -> None:
        """Send an answer; with the body unread, wait a little for the client to finish sending."""
        headers = answer.headers()
        if self._unread:
            headers.append((b"connection", b"close"))
        await self._send(
            {"type": "http.response.start", "status": answer.status, "headers": headers}
        )
        await self._send(
            {"type": "http.response.body", "body": answer.body, "more_body": self._unread}
        )
        if self._unread:
            await self._linger()
            await self._send({"type": "http.response.body"})

    async def _collect(self) -> bytes:
        body = bytearray()
        while True:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                raise ClientGone
            if not message["more_body"] and not body:
                whole: bytes = message["body"]
                return whole
            body += message["body"]
            if len(body) > BODY_BYTES_MAX:
                raise _too_large()
            if not message["more_body"]:
                return bytes(body)

    async def _linger(self) -> None:
        """Throw away what still comes in, up to a bound."""
        left = LINGER_BYTES_MAX
        try:
            async with asyncio.timeout(LINGER_SECONDS_MAX):
                while left > 0:
                    message = await self._receive()
                    left -= len(message.get("body", b""))
                    if not message.get("more_body"):
                        return
        except TimeoutError:
            return


def _too_large() -> RequestEntityTooLargeException:
    return RequestEntityTooLargeException(
        f"Request size exceeded the limit of {BODY_BYTES_MAX} bytes"
    )
