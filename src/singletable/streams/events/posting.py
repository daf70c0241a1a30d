"""POST to one URL, over connections that are used again.

Nothing that the other side does takes longer than a timeout or more memory than a few KB: an
answer is its status, and of its body only the beginning is read. Redirects are not followed, and
proxies that the environment names are not used.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from ipaddress import ip_address
from ssl import SSLContext
from threading import Timer
from typing import Final, Self
from urllib.parse import SplitResult, urlsplit

from singletable.errors import UsageError

ANSWER_BYTES_MAX: Final = 4096
_URL: Final = re.compile(r"https?://[!-~]+")


class NotConnected(OSError):
    """There is no connection: nothing was sent."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back."""

    status: int
    retry_after: str | None
    text: str


class Endpoint:
    """A URL that is posted to; threads may share it."""

    def __init__(self, url: str, timeout_s: float, context: SSLContext | None = None) -> None:
        parts = _checked(url)
        self._host, self._port = parts.hostname or "", parts.port
        self._secure = parts.scheme == "https"
        self._target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        self._timeout_s = timeout_s
        self._context = context
        self._idle: list[HTTPConnection] = []
        # A path or a query may hold what is not for everybody to see.
        self.shown = f"{parts.scheme}://{parts.netloc}"

    def post(self, headers: Mapping[str, str], body: bytes) -> Answer:
        """Send one request; raise an ``OSError`` or ``HTTPException`` where no answer came."""
        while self._idle:
            # Taken by another thread; closed by the receiver while it was idle.
            with suppress(IndexError, ConnectionError):
                return self._exchange(self._idle.pop(), headers, body)
        return self._exchange(self._connected(), headers, body)

    def close(self) -> None:
        """Close the connections that are idle; a later request opens new ones."""
        while self._idle:
            self._idle.pop().close()

    def _connected(self) -> HTTPConnection:
        if self._secure:
            connection: HTTPConnection = HTTPSConnection(
                self._host, self._port, timeout=self._timeout_s, context=self._context
            )
        else:
            connection = HTTPConnection(self._host, self._port, timeout=self._timeout_s)
        try:
            connection.connect()
        except OSError as error:
            connection.close()
            raise NotConnected(str(error)) from error
        return connection

    def _exchange(
        self, connection: HTTPConnection, headers: Mapping[str, str], body: bytes
    ) -> Answer:
        reusable = False
        try:
            with _Deadline(connection.sock, self._timeout_s) as deadline:
                connection.request("POST", self._target, body, dict(headers))
                response = connection.getresponse()
                text = _beginning(response)
            reusable = response.isclosed() and not deadline.over and connection.sock is not None
            return Answer(response.status, response.headers["Retry-After"], text)
        finally:
            if reusable:
                self._idle.append(connection)
            else:
                connection.close()


class _Deadline:
    """Cuts a connection when the time is over: a socket's own timeout begins anew at each byte."""

    def __init__(self, connected: socket.socket, seconds: float) -> None:
        self.over = False
        self._socket = connected
        self._timer = Timer(seconds, self._cut)
        self._timer.daemon = True

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self._timer.cancel()
        if self.over and isinstance(error, OSError | HTTPException):
            raise TimeoutError("timed out") from error

    def _cut(self) -> None:
        self.over = True
        with suppress(OSError):
            # Not that of SSLSocket, which would go on without encryption.
            socket.socket.shutdown(self._socket, socket.SHUT_RDWR)


def _beginning(response: HTTPResponse) -> str:
    """Read what is looked at of an answer; that it breaks off does not change its status."""
    with suppress(OSError, HTTPException):
        return response.read(ANSWER_BYTES_MAX).decode(errors="replace")
    return ""


def _checked(url: str) -> SplitResult:
    """Read a URL, or refuse it; an error shows no more of it than its host."""
    try:
        parts = urlsplit(url if _URL.fullmatch(url) else "")
        host, port, user = parts.hostname, parts.port, parts.username
    except ValueError:
        host = None
    if host is None or port == 0 or user is not None:
        raise UsageError("This is no URL of a webhook: give https://host/path, with no user")
    if parts.scheme == "http" and not _is_loopback(host):
        raise UsageError(f"Events would go to {host} in the clear: give an https URL")
    return parts


def _is_loopback(host: str) -> bool:
    with suppress(ValueError):
        return ip_address(host).is_loopback
    return host == "localhost"
