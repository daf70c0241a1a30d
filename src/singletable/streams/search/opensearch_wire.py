"""HTTP to OpenSearch: JSON there and back, over connections that are kept; signed for AWS if asked.

Every request that an index makes may be sent twice, so one whose connection breaks is sent again.
"""

from __future__ import annotations

import base64
import http.client
import re
import ssl
import threading
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import orjson

from singletable.errors import InvalidAddress, SingletableError, Throttled, Unreachable, UsageError

BUSY = frozenset({429, 502, 503, 504})
_REGION = re.compile(r"\.([a-z]{2}(?:-[a-z]+)+-\d)\.(?:es|aos|aoss)\.")


class SearchRefused(SingletableError):
    """OpenSearch refused a request; ``kind`` is its name for the reason."""

    def __init__(self, message: str, status: int = 0, kind: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind


class Wire:
    """Sends requests to one endpoint."""

    def __init__(
        self, url: str, *, user: tuple[str, str] | None, aws: bool, timeout_s: float
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname or parts.query:
            raise InvalidAddress(f'{url!r} is no endpoint of OpenSearch: "https://host:9200"')
        self._url = f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"
        self._parts = parts
        self._timeout_s = timeout_s
        self._headers = {"Accept": "application/json"} | _authorization(user)
        self._sign = _signer(parts.hostname) if aws else None
        self._here = threading.local()
        self._connections: list[http.client.HTTPConnection] = []

    def send(self, method: str, path: str, body: Any = None) -> Any:
        """Send JSON, or lines of it, and give the JSON of the answer; raise what is refused."""
        lines = isinstance(body, bytes)
        content = b"" if body is None else body if lines else orjson.dumps(body)
        headers = dict(self._headers)
        if content:
            headers["Content-Type"] = f"application/{'x-ndjson' if lines else 'json'}"
        if self._sign is not None:
            headers |= self._sign(method, self._url + path, content, headers)
        status, answer = self._exchange(method, path, content, headers)
        if status in BUSY:
            raise Throttled(f"OpenSearch at {self._url} is busy: it answered {status}")
        told = _told(answer)
        if not 200 <= status < 300:  # noqa: PLR2004 - the statuses of success
            error = told.get("error") if isinstance(told, dict) else told
            raise refused(f"{method} {path}", status, error)
        return told

    def close(self) -> None:
        """Close the connections of all threads."""
        while self._connections:
            self._connections.pop().close()

    def _exchange(
        self, method: str, path: str, content: bytes, headers: Mapping[str, str]
    ) -> tuple[int, bytes]:
        target = self._parts.path.rstrip("/") + path
        for last in (False, True):
            connection = self._connection()
            try:
                connection.request(method, target, content or None, dict(headers))
                answer = connection.getresponse()
                return answer.status, answer.read()
            except (OSError, http.client.HTTPException) as error:
                connection.close()  # a server may close one that was not used for a while
                if last:
                    raise Unreachable(
                        f"No answer from OpenSearch at {self._url}: {error}"
                    ) from error
        raise AssertionError("unreachable")

    def _connection(self) -> http.client.HTTPConnection:
        connection: http.client.HTTPConnection | None = getattr(self._here, "connection", None)
        if connection is None:
            host, port = self._parts.hostname or "", self._parts.port
            if self._parts.scheme == "https":
                context = ssl.create_default_context()
                connection = http.client.HTTPSConnection(
                    host, port, timeout=self._timeout_s, context=context
                )
            else:
                connection = http.client.HTTPConnection(host, port, timeout=self._timeout_s)
            self._here.connection = connection
            self._connections.append(connection)
        return connection


def refused(what: str, status: int, error: Any) -> SearchRefused:
    """Make the error of what OpenSearch refused, in its words."""
    kind = error.get("type", "") if isinstance(error, dict) else ""
    reason = error.get("reason", "") if isinstance(error, dict) else error
    return SearchRefused(f"OpenSearch refused {what}: {status} {kind}: {reason}", status, kind)


def _told(answer: bytes) -> Any:
    try:
        return orjson.loads(answer) if answer else {}
    except orjson.JSONDecodeError:
        return {"error": answer[:200].decode("utf-8", "replace")}


def _authorization(user: tuple[str, str] | None) -> dict[str, str]:
    if user is None:
        return {}
    token = base64.b64encode(":".join(user).encode()).decode()
    return {"Authorization": f"Basic {token}"}


def _signer(host: str) -> Any:
    """Give what signs a request as AWS asks (SigV4), with the credentials of the environment."""
    try:
        from botocore.auth import SigV4Auth
        from botocore.awsrequest import AWSRequest
        from botocore.session import get_session
    except ImportError:
        raise UsageError("aws=True needs an extra: pip install 'singletable[aws]'") from None
    session = get_session()
    named = _REGION.search(host)
    region = named[1] if named else session.get_config_variable("region")
    credentials = session.get_credentials()
    if region is None or credentials is None:
        raise UsageError("aws=True needs credentials and a region of AWS in the environment")
    service = "aoss" if ".aoss." in host else "es"

    def sign(method: str, url: str, content: bytes, headers: Mapping[str, str]) -> dict[str, str]:
        request = AWSRequest(method, url, dict(headers), content)
        SigV4Auth(credentials, service, region).add_auth(request)
        return dict(request.headers.items())

    return sign
