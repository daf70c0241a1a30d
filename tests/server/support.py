"""Raw HTTP for the server's tests: requests as bytes, so that any of them can be wrong."""

from __future__ import annotations

import json
import socket
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

import boto3
from botocore.config import Config

JSON = "application/x-amz-json-1.0"
ANYONE = (
    "AWS4-HMAC-SHA256 Credential=anyone/20260101/us-east-1/dynamodb/aws4_request, "
    "SignedHeaders=host, Signature=abc"
)
HEADERS = {
    "Host": "localhost",
    "Content-Type": JSON,
    "X-Amz-Target": "DynamoDB_20120810.ListTables",
    "Authorization": ANYONE,
}


@dataclass(frozen=True)
class Reply:
    """An HTTP answer; header names are in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """Decode the body."""
        return json.loads(self.body)

    @property
    def error(self) -> tuple[int, str]:
        """Give the status, and the error's name without its namespace."""
        return self.status, self.json["__type"].partition("#")[2]


class Connection:
    """A socket to a server that sends bytes as they are and reads answers one by one."""

    def __init__(self, url: str) -> None:
        where = urlsplit(url)
        assert where.hostname
        assert where.port
        self.socket = socket.create_connection((where.hostname, where.port), timeout=60)
        self._reader = self.socket.makefile("rb")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._reader.close()
        self.socket.close()

    def send(self, data: bytes) -> None:
        """Send bytes."""
        self.socket.sendall(data)

    def reply(self) -> Reply:
        """Read one answer."""
        status = int(self._reader.readline().split()[1])
        lines = iter(lambda: self._reader.readline().decode().strip(), "")
        headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
        return Reply(status, headers, self._reader.read(int(headers["content-length"])))

    def is_closed(self) -> bool:
        """Wait for the server to close the connection; False if it says more instead."""
        return self._reader.read(1) == b""


def request(body: bytes = b"{}", line: str = "POST / HTTP/1.1", **headers: str | None) -> bytes:
    """Write a request; a header given as None is left out, underscores stand for hyphens."""
    given = {name.replace("_", "-").title(): value for name, value in headers.items()}
    merged = {"Content-Length": str(len(body))} | HEADERS | given
    lines = [f"{name}: {value}" for name, value in merged.items() if value is not None]
    return "\r\n".join([line, *lines, "", ""]).encode() + body


def ask(
    url: str, body: bytes = b"{}", line: str = "POST / HTTP/1.1", **headers: str | None
) -> Reply:
    """Send one request and read its answer."""
    with Connection(url) as connection:
        connection.send(request(body, line, **headers))
        return connection.reply()


def target(operation: str, service: str = "DynamoDB_20120810") -> str:
    """Name an operation as X-Amz-Target does."""
    return f"{service}.{operation}"


def connect(
    url: str,
    service: str = "dynamodb",
    *,
    key: str = "anyone",
    secret: str = "anything",  # noqa: S107 # a server without keys takes any
    region: str = "us-east-1",
    attempts: int = 1,
) -> Any:
    """Make a boto3 client of a server; it does not try twice unless it is told to."""
    make: Any = boto3.client
    return make(
        service,
        endpoint_url=url,
        region_name=region,
        aws_access_key_id=key,
        aws_secret_access_key=secret,
        config=Config(retries={"total_max_attempts": attempts}),
    )
