"""DynamoDB at AWS or any other endpoint, through clients that are made when they are first needed.

The clients are botocore's, as boto3 hands them out, and aiobotocore's where that is installed. They
send each request once, since retries are the store's, and leave validation to the service: it says
the same to every backend, and checking everything twice would cost time. DynamoDB and DynamoDB
Streams have a client each, of one session: an application that reads no stream makes no second.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from io import BytesIO
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from singletable.errors import UsageError

from . import STREAMS

if TYPE_CHECKING:
    from botocore.awsrequest import AWSPreparedRequest
    from botocore.session import Session

    from . import Backend
    from .client import ClientBackend

REGION_OF_ENDPOINTS = "us-east-1"
ANYBODY = ("local", "local")
WHOLE_BODY_BYTES_MAX = 2**19
CREDENTIALS = ("aws_access_key_id", "aws_secret_access_key", "aws_session_token")


class AwsBackend:
    """Sends requests to DynamoDB in a region of AWS, or to an endpoint.

    A region that is not given is taken from the environment or the profile. Credentials, an access
    key with its secret and perhaps a session token, are found as boto3 finds them unless they are
    given; a loopback endpoint needs none. A closed backend opens when next used.
    """

    def __init__(
        self,
        region: str | None = None,
        *,
        endpoint: str | None = None,
        profile: str | None = None,
        credentials: tuple[str, ...] | None = None,
        connect_timeout: float = 3.0,
        read_timeout: float = 15.0,
        connections: int = 64,
    ) -> None:
        self._region = region
        self._endpoint = endpoint
        self._profile = profile
        self._credentials = credentials
        self._config: dict[str, Any] = {
            "connect_timeout": connect_timeout,
            "read_timeout": read_timeout,
            "max_pool_connections": connections,
            "tcp_keepalive": True,
            "parameter_validation": False,
            "retries": {"total_max_attempts": 1},
        }
        self._lock = threading.Lock()
        self._session: Session | None = None
        self._clients: dict[str, ClientBackend] = {}
        self._loops: dict[asyncio.AbstractEventLoop, _InLoop] = {}

    def call(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        """Answer one request through a botocore client that all threads share."""
        service = _service(operation)
        return (self._clients.get(service) or self._open(service)).call(operation, request)

    async def acall(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        """Answer one request through this event loop's client, or a thread without aiobotocore."""
        loop, service = asyncio.get_running_loop(), _service(operation)
        here = self._loops.get(loop) or self._enter(loop)
        client = here.clients.get(service) or await here.open(service)
        return await client.acall(operation, request)

    def close(self) -> None:
        """Close the clients of ``call``; those of event loops are closed there, by ``aclose``."""
        with self._lock:
            clients, self._clients, self._session = self._clients, {}, None
        for client in clients.values():
            client.close()

    async def aclose(self) -> None:
        """Close the clients of ``call`` and those of this event loop."""
        self.close()
        here = self._loops.pop(asyncio.get_running_loop(), None)
        if here:
            await here.close()

    def _open(self, service: str) -> ClientBackend:
        with self._lock, _explained():
            if service not in self._clients:
                from botocore.config import Config
                from botocore.session import Session

                from .client import ClientBackend

                session = self._session or Session(profile=self._profile)
                made: Any = session.create_client(
                    service, config=Config(**self._config), **self._arguments()
                )
                self._session = session
                self._clients[service] = ClientBackend(made, owned=True)
            return self._clients[service]

    async def _open_async(self, service: str, here: _InLoop) -> Backend:
        try:
            from aiobotocore import config, session  # type: ignore[import-untyped] # has no types
        except ModuleNotFoundError:
            return self._open(service)
        from .client import AsyncClientBackend

        with _explained():
            # A session for each loop: what refreshes credentials belongs to an event loop.
            opened = here.session or session.AioSession(profile=self._profile)
            context = opened.create_client(
                service, config=config.AioConfig(**self._config), **self._arguments()
            )
            client = await here.stack.enter_async_context(context)
            here.session = opened
        client.meta.events.register("before-send.dynamodb", _in_pieces)
        return AsyncClientBackend(client)

    def _enter(self, loop: asyncio.AbstractEventLoop) -> _InLoop:
        with self._lock:
            for each in [each for each in self._loops if each.is_closed()]:
                del self._loops[each]
            return self._loops.setdefault(loop, _InLoop(self._open_async))

    def _arguments(self) -> dict[str, Any]:
        """Give what a client of either kind is made with."""
        from botocore.session import Session

        session = Session(profile=self._profile)
        region = self._region or os.environ.get("AWS_REGION") or _configured_region(session)
        if region is None and self._endpoint is None:
            raise UsageError(
                'no AWS region is configured: name it, as in "aws:eu-west-1", or set AWS_REGION'
            )
        credentials = self._credentials
        if not credentials and self._endpoint and is_loopback(self._endpoint):
            credentials = None if _has_credentials(session) else ANYBODY
        return {
            "region_name": region or REGION_OF_ENDPOINTS,
            "endpoint_url": self._endpoint,
            **dict(zip(CREDENTIALS, credentials or (), strict=False)),
        }


class _InLoop:
    """The clients of one event loop, each opened once, however many tasks come first."""

    def __init__(self, make: Callable[[str, _InLoop], Awaitable[Backend]]) -> None:
        self.clients: dict[str, Backend] = {}
        self.session: Any = None
        self.stack = AsyncExitStack()
        self._make = make
        self._lock = asyncio.Lock()

    async def open(self, service: str) -> Backend:
        async with self._lock:
            if service not in self.clients:
                self.clients[service] = await self._make(service, self)
            return self.clients[service]

    async def close(self) -> None:
        async with self._lock:
            self.clients, self.session = {}, None
            await self.stack.aclose()


def _service(operation: str) -> str:
    return "dynamodbstreams" if operation in STREAMS else "dynamodb"


def _in_pieces(request: AWSPreparedRequest, **_: Any) -> None:
    """Let a large body be sent piece by piece: aiohttp warns that as bytes it holds up the loop."""
    body = request.body
    if isinstance(body, bytes) and len(body) > WHOLE_BODY_BYTES_MAX:
        request.body = BytesIO(body)


def is_loopback(endpoint: str) -> bool:
    """Tell whether an endpoint is on this machine, by its name alone."""
    host = urlsplit(endpoint).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _configured_region(session: Session) -> str | None:
    region: str | None = session.get_config_variable("region")
    return region


def _has_credentials(session: Session) -> bool:
    # The metadata service of an EC2 instance would be waited for where there is none.
    session.get_component("credential_provider").remove("iam-role")
    return session.get_credentials() is not None


@contextmanager
def _explained() -> Iterator[None]:
    """Say what is missing or misconfigured, where a client cannot be made."""
    try:
        from botocore.exceptions import BotoCoreError
    except ModuleNotFoundError as error:
        raise UsageError(
            "boto3, which AWS and endpoints are reached with, is not installed: "
            'pip install "singletable[aws]"'
        ) from error
    try:
        yield
    except BotoCoreError as error:
        raise UsageError(f"no client for DynamoDB can be made: {error}") from error
