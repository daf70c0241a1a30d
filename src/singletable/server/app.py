"""The DynamoDB JSON protocol as an ASGI application, and nothing of what operations mean.

What takes a moment and waits for nothing runs on the event loop, since handing it to a thread costs
more than the work: reading an item or a page of a query, and in memory also writing. All else runs
on worker threads, so that a long Scan or a disk that syncs delays nobody but its caller.
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
from singletable.server.exchange import ClientGone, Exchange

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

TARGETS = {
    f"{operation.service}_20120810.{name}".encode(): name for name, operation in OPERATIONS.items()
}
HEALTH_CHECKS = frozenset({"GET", "HEAD"})
READS = frozenset({"GetItem", "Query"})
WRITES = frozenset({"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"})
QUICK_BYTES_MAX = 64 * 1024
"""Only to parse a longer body would keep everybody waiting."""
THREADS = 8

Authenticate = Callable[[Headers], Callable[[bytes], object]]
log = logging.getLogger("singletable.server")


class Application:
    """Answers DynamoDB requests from an engine, to those who may call.

    ``authenticate`` judges the headers before a body is read, and gives what judges the body.
    """

    def __init__(self, engine: Engine, authenticate: Authenticate) -> None:
        self._engine = engine
        self._authenticate = authenticate
        self._quick = READS | WRITES if engine.in_memory else READS
        self._threads = ThreadPoolExecutor(THREADS, "singletable-server")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; a failure of ours is a 500 and leaves the server alive."""
        exchange = Exchange(scope, receive, send)
        try:
            answer = await self._answer(scope, exchange)
        except ClientGone:
            return
        except ServiceError as error:
            answer = failure(error)
        except Exception:
            log.exception("a request failed")
            answer = failure(InternalServerError("Internal server error"))
        await exchange.respond(answer)

    def close(self) -> None:
        """Wait for the operations that run."""
        self._threads.shutdown()

    async def _answer(self, scope: Scope, exchange: Exchange) -> Answer:
        method, headers = scope["method"], exchange.headers
        if scope["path"] != "/" or scope["query_string"]:
            return NOT_AN_OPERATION
        if method in HEALTH_CHECKS:
            return healthy(self._engine.region)
        if method != "POST" or not is_json(headers):
            return NOT_AN_OPERATION
        operation = TARGETS.get(headers.get(b"x-amz-target", b""))
        if operation is None:
            raise UnknownOperationException
        check = self._authenticate(headers)
        body = await exchange.read_body()
        check(body)
        return Answer(await self._run(operation, body))

    async def _run(self, operation: str, body: bytes) -> bytes:
        quick = operation in self._quick and len(body) <= QUICK_BYTES_MAX
        answer = self._engine.call_json_now(operation, body) if quick else None
        if answer is not None:
            return answer
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, self._engine.call_json, operation, body)
