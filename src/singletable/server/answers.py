"""What an HTTP answer of DynamoDB looks like: statuses, headers, error bodies, the checksum.

Everything here is pure; nothing knows of sockets or of operations. Where the service answers in
something other than JSON (its health line, its XML refusal), so do these.
"""

from __future__ import annotations

import secrets
import time
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from email.utils import formatdate
from functools import lru_cache
from http import HTTPStatus
from typing import Any

from singletable.engine import wire
from singletable.errors import CORAL_SERVICE, ServiceError

JSON = b"application/x-amz-json-1.0"
PLAIN = b"text/plain"
# Refusing every other type also refuses what a web page may send without asking first
# (forms and plain text).
CONTENT_TYPES = frozenset({JSON, b"application/x-amz-json-1.1", b"application/json"})

Header = tuple[bytes, bytes]
Headers = dict[bytes, bytes]


@dataclass(frozen=True, slots=True)
class Answer:
    """One HTTP answer."""

    body: bytes
    status: int = 200
    content_type: bytes = JSON

    def head(self, more: Iterable[Header] = ()) -> bytes:
        """Write all that comes before the body, with some headers more."""
        lines = [b"%b: %b" % header for header in (*self.headers(), *more)]
        return b"\r\n".join([_status_line(self.status), *lines, b"", b""])

    def headers(self) -> list[Header]:
        """List the headers that SDKs look at: type, length, request id and checksum."""
        return [
            (b"date", _date(int(time.time()))),
            (b"content-type", self.content_type),
            (b"content-length", b"%d" % len(self.body)),
            (b"x-amzn-requestid", request_id()),
            (b"x-amz-crc32", b"%d" % zlib.crc32(self.body)),
        ]


class RequestEntityTooLargeException(ServiceError):
    """The body is longer than the service reads."""

    namespace = CORAL_SERVICE
    status = 413


class Forbidden(ServiceError):
    """The request names a host, or comes from a web page, that the server does not allow.

    The answer is the protocol's JSON, since SDKs can show nothing else.
    """

    namespace = CORAL_SERVICE
    message_member = "Message"
    wire_name = "AccessDeniedException"
    status = 403


class RequestTimeoutException(ServiceError):
    """The body did not arrive in time."""

    namespace = CORAL_SERVICE
    status = 408


NOT_AN_OPERATION = Answer(b"<UnknownOperationException/>\n", 404, b"application/xml")


def request_id() -> bytes:
    """Make a request id of the service's length and alphabet."""
    return secrets.token_hex(26).upper().encode()


def failure(error: ServiceError) -> Answer:
    """Write an error as the service does; one without a message has no such member."""
    body: dict[str, Any] = {"__type": f"{error.namespace}#{error.code}"}
    if error.message:
        body[error.message_member] = error.message
    return Answer(wire.encode(body | error.fields), error.status)


def healthy(region: str) -> Answer:
    """Answer a health check; the blank at the end is the service's."""
    return Answer(f"healthy: dynamodb.{region}.amazonaws.com ".encode(), content_type=PLAIN)


def is_json(headers: Headers) -> bool:
    """Say whether the body is declared as the protocol's JSON."""
    content_type = headers.get(b"content-type", b"")
    return content_type in CONTENT_TYPES or _essence(content_type) in CONTENT_TYPES


@lru_cache
def _status_line(status: int) -> bytes:
    return f"HTTP/1.1 {status} {HTTPStatus(status).phrase}".encode()


@lru_cache(maxsize=1)
def _date(second: int) -> bytes:
    return formatdate(second, usegmt=True).encode()


def _essence(content_type: bytes) -> bytes:
    return content_type.partition(b";")[0].strip().lower()
