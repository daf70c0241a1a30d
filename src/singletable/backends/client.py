"""Any DynamoDB client of boto3 or aiobotocore as a backend, whatever it is connected to.

A client is taken as it is, with its own endpoint, timeouts and retries; ``aws`` makes clients that
leave retrying to the store.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

FAILURES = (ClientError, BotoCoreError)
NOT_MEMBERS = frozenset({"Error", "ResponseMetadata", "message", "Message"})


class ClientBackend:
    """Sends requests through a boto3 client, and closes that client only when it is ``owned``."""

    def __init__(self, client: DynamoDBClient, *, owned: bool = False) -> None:
        self.client = client
        self._methods = _methods(client)
        self._owned = owned

    def call(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        """Answer one request."""
        method = _method(self._methods, operation)
        try:
            answer: dict[str, Any] = method(**request)
        except FAILURES as error:
            raise translated(error, operation, self.client.meta.endpoint_url) from error
        return _body(answer, operation, self.client.meta.endpoint_url)

    async def acall(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        """Answer one request from a worker thread."""
        return await asyncio.to_thread(self.call, operation, request)

    def close(self) -> None:
        """Close the client if it is owned."""
        if self._owned:
            self.client.close()

    async def aclose(self) -> None:
        """Close the client if it is owned."""
        self.close()


class AsyncClientBackend:
    """Sends requests through an aiobotocore client, in that client's event loop; closes nothing."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self._methods = _methods(client)

    def call(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        """Refuse: such a client can only be awaited."""
        raise UsageError(
            f"{operation} was called without await, but the store is connected through an "
            "aiobotocore client: await the async method, or connect by an address or a boto3 client"
        )

    async def acall(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        """Answer one request."""
        method = _method(self._methods, operation)
        try:
            answer: dict[str, Any] = await method(**request)
        except FAILURES as error:
            raise translated(error, operation, self.client.meta.endpoint_url) from error
        return _body(answer, operation, self.client.meta.endpoint_url)

    def close(self) -> None:
        """Do nothing: the client belongs to the block that opened it."""

    async def aclose(self) -> None:
        """Do nothing: the client belongs to the block that opened it."""


def _methods(client: Any) -> dict[str, Callable[..., Any]]:
    named = client.meta.method_to_api_mapping
    return {operation: getattr(client, name) for name, operation in named.items()}


def _method(methods: dict[str, Callable[..., Any]], operation: str) -> Callable[..., Any]:
    try:
        return methods[operation]
    except KeyError:
        raise UnknownOperationException(f"unknown operation: {operation}") from None


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
    status = response.get("ResponseMetadata", {}).get("HTTPStatusCode", 400)
    members = {name: value for name, value in response.items() if name not in NOT_MEMBERS}
    told = response.get("Error", {})
    made = service_error(told.get("Code", ""), told.get("Message", ""), status, **members)
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
