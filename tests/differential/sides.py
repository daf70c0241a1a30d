"""The two sides that are compared: the engine in process, and AWS's DynamoDB Local over HTTP.

Both take boto3's forms and give an outcome in the wire's JSON. The connection to Local is kept and
does no more than HTTP: an SDK would take ten times as long, and check what is to be checked here.
"""

from __future__ import annotations

import http.client
from base64 import b64encode
from collections.abc import Callable
from datetime import datetime
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import orjson

from singletable.engine import Engine
from singletable.errors import ServiceError

from .known.forms import plain_numbers
from .outcome import Outcome, Request

STREAMS = frozenset({"ListStreams", "DescribeStream", "GetShardIterator", "GetRecords"})


Side = Callable[[str, Request], Outcome]


class Sides(NamedTuple):
    """The pair that is compared."""

    ours: Side
    local: Side

    def call(self, operation: str, request: Request) -> tuple[Outcome, Outcome]:
        """Make a request on both sides."""
        return self.ours(operation, request), self.local(operation, request)


def embedded(engine: Engine) -> Side:
    """Give the engine as a side."""

    def call(operation: str, request: Request) -> Outcome:
        try:
            answer = engine.call(operation, request)
            return Outcome(_json(answer), last=_last(answer))
        except ServiceError as error:
            return Outcome(_json(error.fields), error.code, error.message)

    return call


class Local:
    """DynamoDB Local as a side; an access key has tables of its own."""

    def __init__(self, url: str, access_key: str) -> None:
        address = urlsplit(url)
        self._connection = http.client.HTTPConnection(address.hostname or "", address.port)
        credential = f"{access_key}/20260101/us-east-1/dynamodb/aws4_request"
        self._headers = {
            "Content-Type": "application/x-amz-json-1.0",
            "Authorization": f"AWS4-HMAC-SHA256 Credential={credential}, "
            "SignedHeaders=host, Signature=0",
        }

    def __call__(self, operation: str, request: Request) -> Outcome:
        """Send a request and read its outcome."""
        service = "DynamoDBStreams" if operation in STREAMS else "DynamoDB"
        headers = {**self._headers, "X-Amz-Target": f"{service}_20120810.{operation}"}
        self._connection.request("POST", "/", orjson.dumps(request, default=_plain), headers)
        response = self._connection.getresponse()
        body = orjson.loads(response.read())
        if response.status == http.client.OK:
            return Outcome(plain_numbers(body), last=_last(body))
        code = body.pop("__type").rpartition("#")[2]
        message = body.pop("message", None) or body.pop("Message", None) or ""
        return Outcome(plain_numbers(body), code, message)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


def _last(answer: dict[str, Any]) -> Any:
    return answer.get("NextToken", answer.get("LastEvaluatedKey"))


def _json(answer: Any) -> dict[str, Any]:
    plain: dict[str, Any] = orjson.loads(
        orjson.dumps(answer, default=_plain, option=orjson.OPT_PASSTHROUGH_DATETIME)
    )
    return plain


def _plain(value: object) -> Any:
    if isinstance(value, bytes):
        return b64encode(value).decode()
    if isinstance(value, datetime):
        return value.timestamp()
    raise TypeError(type(value))
