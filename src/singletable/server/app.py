"""The DynamoDB JSON protocol as an ASGI application, and nothing of what operations mean.

A point read runs on the event loop, since handing it to a thread costs more than the read. All
else runs on worker threads, so that a long Scan or a disk that syncs delays nobody but its caller.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from singletable.engine import Engine
from singletable.engine.operations import OPERATIONS
from singletable.errors import InternalServerError, ServiceError, UnknownOperationException
from singletable.server.answers import NOT_AN_OPERATION, Answer, Headers, failure, healthy, is_json
from singletable.server.exchange import ClientGone, read_body, respond

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

TARGETS = {
    f"{operation.service}_20120810.{name}".encode(): name for name, operation in OPERATIONS.items()
}
QUICK = frozenset({"GetItem"})
THREADS = 8

Authenticate = Callable[[Headers, bytes], object]
log = logging.getLogger("singletable.server")


class Application:
    """Answers DynamoDB requests from an engine; ``authenticate`` raises for who may not call."""

    def __init__(self, engine: Engine, authenticate: Authenticate) -> None:
        self._engine = engine
        self._authenticate = authenticate
        self._threads = ThreadPoolExecutor(THREADS, "singletable-server")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; a failure of ours is a 500 and leaves the server alive."""
        try:
            answer = await self._answer(scope, receive)
        except ClientGone:
            return
        except ServiceError as error:
            answer = failure(error)
        except Exception:
            log.exception("a request failed")
            answer = failure(InternalServerError("Internal server error"))
        await respond(answer, receive, send)

    def close(self) -> None:
        """Wait for the operations that run."""
        self._threads.shutdown()

    async def _answer(self, scope: Scope, receive: Receive) -> Answer:
        method, headers = scope["method"], dict(scope["headers"])
        if scope["path"] != "/" or scope["query_string"]:
            return NOT_AN_OPERATION
        if method == "GET":
            return healthy(self._engine.region)
        if method != "POST" or not is_json(headers):
            return NOT_AN_OPERATION
        body = await read_body(headers, receive)
        operation = TARGETS.get(headers.get(b"x-amz-target", b""))
        if operation is None:
            raise UnknownOperationException
        self._authenticate(headers, body)
        return Answer(await self._run(operation, body))

    async def _run(self, operation: str, body: bytes) -> bytes:
        if operation in QUICK:
            return self._engine.call_json(operation, body)
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, self._engine.call_json, operation, body)
