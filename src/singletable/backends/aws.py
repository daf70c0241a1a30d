"""DynamoDB at AWS or any other endpoint, through clients that are made when they are first needed.

The clients are botocore's, as boto3 hands them out, and aiobotocore's where that is installed. They
send each request once, since retries are the store's, and leave validation to the service: it says
the same to every backend, and checking everything twice would cost time.
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
        self._client: ClientBackend | None = None
        self._loops: dict[asyncio.AbstractEventLoop, _InLoop] = {}

    def call(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        """Answer one request through a botocore client that all threads share."""
        return (self._client or self._open()).call(operation, request)

    async def acall(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        """Answer one request through this event loop's client, or a thread without aiobotocore."""
        loop = asyncio.get_running_loop()
        here = self._loops.get(loop) or self._enter(loop)
        return await (here.client or await here.open()).acall(operation, request)

    def close(self) -> None:
        """Close the client of ``call``; those of event loops are closed there, by ``aclose``."""
        with self._lock:
            client, self._client = self._client, None
        if client:
            client.close()

    async def aclose(self) -> None:
        """Close the client of ``call`` and that of this event loop."""
        self.close()
        here = self._loops.pop(asyncio.get_running_loop(), None)
        if here:
            await here.close()

    def _open(self) -> ClientBackend:
        with self._lock, _explained():
            if self._client is None:
                from botocore.config import Config
                from botocore.session import Session

                from .client import ClientBackend

                made: Any = Session(profile=self._profile).create_client(
                    "dynamodb", config=Config(**self._config), **self._arguments()
                )
                self._client = ClientBackend(made, owned=True)
            return self._client

    async def _open_async(self, stack: AsyncExitStack) -> Backend:
        try:
            from aiobotocore import config, session  # type: ignore[import-untyped] # has no types
        except ModuleNotFoundError:
            return self._client or self._open()
        from .client import AsyncClientBackend

        with _explained():
            # A session for each client: what refreshes credentials belongs to an event loop.
            context = session.AioSession(profile=self._profile).create_client(
                "dynamodb", config=config.AioConfig(**self._config), **self._arguments()
            )
            client = await stack.enter_async_context(context)
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
    """Is the client of one event loop, opened once, however many tasks come first."""

    def __init__(self, make: Callable[[AsyncExitStack], Awaitable[Backend]]) -> None:
        self.client: Backend | None = None
        self._make = make
        self._stack = AsyncExitStack()
        self._lock = asyncio.Lock()

    async def open(self) -> Backend:
        async with self._lock:
            if self.client is None:
                self.client = await self._make(self._stack)
            return self.client

    async def close(self) -> None:
        async with self._lock:
            self.client = None
            await self._stack.aclose()


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
