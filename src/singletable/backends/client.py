"""Any DynamoDB client of boto3 or aiobotocore as a backend, whatever it is connected to.

A client is taken as it is, with its own endpoint, timeouts and retries; ``aws`` makes clients that
leave retrying to the store. What is asked of streams goes through a second client, where one was
given: the SDKs have DynamoDB Streams as a service of its own.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectionError,  # noqa: A004 - botocore's name; Python's own is not used here
    EndpointConnectionError,
    HTTPClientError,
    ParamValidationError,
)

from singletable.errors import (
    ServiceError,
    SingletableError,
    UnknownOperationException,
    Unreachable,
    UsageError,
    ValidationException,
    service_error,
)

from . import STREAMS

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_dynamodbstreams import DynamoDBStreamsClient

Method = tuple[Callable[..., Any], str]
"""What carries out an operation, and at which endpoint."""

FAILURES = (ClientError, BotoCoreError)
NOT_MEMBERS = frozenset({"Error", "ResponseMetadata", "message", "Message"})


class ClientBackend:
    """Sends requests through boto3 clients, and closes these only when they are ``owned``."""

    def __init__(
        self,
        client: DynamoDBClient,
        *,
        streams: DynamoDBStreamsClient | None = None,
        owned: bool = False,
    ) -> None:
        self.client = client
        self.streams = streams
        self._methods = _methods(client, streams)
        self._owned = owned

    def call(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        """Answer one request."""
        method, endpoint = self._methods.get(operation) or _missing(operation, self)
        try:
            answer: dict[str, Any] = method(**request)
        except FAILURES as error:
            raise translated(error, operation, endpoint) from error
        return _body(answer, operation, endpoint)

    async def acall(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        """Answer one request from a worker thread."""
        return await asyncio.to_thread(self.call, operation, request)

    def close(self) -> None:
        """Close the clients if they are owned."""
        if self._owned:
            self.client.close()
            if self.streams:
                self.streams.close()

    async def aclose(self) -> None:
        """Close the clients if they are owned."""
        self.close()


class AsyncClientBackend:
    """Sends requests through aiobotocore clients, in their event loop; closes nothing."""

    def __init__(self, client: Any, *, streams: Any = None) -> None:
        self.client = client
        self.streams = streams
        self._methods = _methods(client, streams)

    def call(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        """Refuse: such a client can only be awaited."""
        raise UsageError(
            f"{operation} was called without await, but the store is connected through an "
            "aiobotocore client: await the async method, or connect by an address or a boto3 client"
        )

    async def acall(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        """Answer one request."""
        method, endpoint = self._methods.get(operation) or _missing(operation, self)
        try:
            answer: dict[str, Any] = await method(**request)
        except FAILURES as error:
            raise translated(error, operation, endpoint) from error
        return _body(answer, operation, endpoint)

    def close(self) -> None:
        """Do nothing: clients belong to the block that opened them."""

    async def aclose(self) -> None:
        """Do nothing: clients belong to the block that opened them."""


def _methods(*clients: Any) -> dict[str, Method]:
    return {
        operation: (getattr(client, name), client.meta.endpoint_url)
        for client in clients
        if client is not None
        for name, operation in client.meta.method_to_api_mapping.items()
    }


def _missing(operation: str, backend: object) -> NoReturn:
    """Refuse what no client has a method for."""
    if operation in STREAMS:
        kind = type(backend)
        raise UsageError(
            f'{operation} takes a client of the service "dynamodbstreams" beside that of '
            f'"dynamodb": connect by an address, or by {kind.__name__}(client, streams=…) of '
            f"{kind.__module__}"
        )
    raise UnknownOperationException(f"unknown operation: {operation}")


def _body(answer: dict[str, Any], operation: str, endpoint: str) -> dict[str, Any]:
    """Take the metadata off an answer; refuse one that botocore took from a web page.

    It reads any page as an empty answer: a write would seem done, and an item gone.
    """
    headers = answer.pop("ResponseMetadata", {}).get("HTTPHeaders", {})
    if headers.get("content-type", "").startswith("text/html"):
        raise Unreachable(
            f"{operation} got no answer from {endpoint}: a web page is served there, not DynamoDB",
            perhaps_done=False,
        )
    return answer


def translated(error: Exception, operation: str, endpoint: str) -> SingletableError:
    """Make the library's error of a client's."""
    match error:
        case ClientError():
            return _answered(error, operation)
        case ParamValidationError():
            return _named(ValidationException(str(error)), operation)
        case HTTPClientError() | ConnectionError():
            return Unreachable(
                f"{operation} got no answer from {endpoint}: {error}",
                perhaps_done=not _unsent(error),
            )
        case _:  # no credentials, no region, an expired login: nothing was sent
            return UsageError(f"{operation} cannot be sent to {endpoint}: {error}")


def _answered(error: ClientError, operation: str) -> ServiceError:
    response: dict[str, Any] = dict(error.response)
    metadata = response.get("ResponseMetadata", {})
    members = {name: value for name, value in response.items() if name not in NOT_MEMBERS}
    told = response.get("Error", {})
    status = metadata.get("HTTPStatusCode", 400)
    made = service_error(told.get("Code", ""), told.get("Message", ""), status, **members)
    made.request_id = metadata.get("RequestId", "")
    return _named(made, operation)


def _named(error: ServiceError, operation: str) -> ServiceError:
    error.operation_name = operation
    return error


def _unsent(error: Exception) -> bool:
    """Tell whether there was no connection that could have carried the request."""
    if not isinstance(error, ConnectionError):
        return False
    cause, aiohttp = error.kwargs.get("error"), sys.modules.get("aiohttp")
    if aiohttp is None or not isinstance(error, EndpointConnectionError):
        return True
    # aiobotocore names a connection that broke as it names one that never was.
    broke = isinstance(cause, aiohttp.ClientConnectionError)
    return not broke or isinstance(cause, aiohttp.ClientConnectorError)
