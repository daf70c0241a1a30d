"""Reads a request's body and sends an answer over ASGI, within bounds of length and time.

A body that is too long or too slow is answered before it was read. The connection then ends, but
not at once: one closed with bytes unread is reset, and the client would lose the answer.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from singletable.server.answers import (
    Answer,
    Headers,
    RequestEntityTooLargeException,
    RequestTimeoutException,
)

if TYPE_CHECKING:
    from starlette.types import Receive, Send

BODY_BYTES_MAX = 16 * 1024 * 1024
BODY_SECONDS_MAX = 30
LINGER_BYTES_MAX = 64 * 1024 * 1024
LINGER_SECONDS_MAX = 5


class ClientGone(Exception):
    """Says that the client hung up before its request was complete."""


async def read_body(headers: Headers, receive: Receive) -> bytes:
    """Read the whole body; one that is too long or too slow is an error."""
    if int(headers.get(b"content-length", b"0")) > BODY_BYTES_MAX:
        raise _too_large()
    try:
        async with asyncio.timeout(BODY_SECONDS_MAX):
            return await _collect(receive)
    except TimeoutError:
        raise RequestTimeoutException("The request body did not arrive in time") from None


async def respond(answer: Answer, receive: Receive, send: Send) -> None:
    """Send an answer; after the last one, wait a little for the client to finish sending."""
    start = {"type": "http.response.start", "status": answer.status}
    await send(start | {"headers": answer.headers()})
    await send({"type": "http.response.body", "body": answer.body, "more_body": answer.last})
    if answer.last:
        await _linger(receive)
        await send({"type": "http.response.body"})


async def _collect(receive: Receive) -> bytes:
    body = bytearray()
    while True:
        message = await receive()
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


async def _linger(receive: Receive) -> None:
    """Throw away what still comes in, up to a bound."""
    left = LINGER_BYTES_MAX
    try:
        async with asyncio.timeout(LINGER_SECONDS_MAX):
            while left > 0:
                message = await receive()
                left -= len(message.get("body", b""))
                if not message.get("more_body"):
                    return
    except TimeoutError:
        return


def _too_large() -> RequestEntityTooLargeException:
    return RequestEntityTooLargeException(
        f"Request size exceeded the limit of {BODY_BYTES_MAX} bytes"
    )
