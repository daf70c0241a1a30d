"""The DynamoDB JSON protocol: from a request to an engine call, and nothing of what it means.

What takes a moment and waits for nothing runs on the event loop, since handing it to a thread costs
more than the work: reading an item or a page of a query, and in memory also writing. All else runs
on worker threads, so that a long Scan or a disk that syncs delays nobody but its caller. Writers
take turns, and may wait long for one, while an index is filled say; so readers have their own.
"""

from __future__ import annotations

import asyncio
import logging
from asyncio import Future
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

from singletable.engine import Engine
from singletable.engine.operations import OPERATIONS
from singletable.errors import InternalServerError, ServiceError, UnknownOperationException
from singletable.server.answers import NOT_AN_OPERATION, Answer, Headers, failure, healthy, is_json
from singletable.server.exchange import Head, Work

TARGETS = {
    f"{operation.service}_20120810.{name}".encode(): name for name, operation in OPERATIONS.items()
}
HEALTH_CHECKS = frozenset({b"GET", b"HEAD"})
READS = frozenset({"GetItem", "Query"})
WRITES = frozenset({"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"})
QUICK_BYTES_MAX = 64 * 1024
"""Only to parse a longer body would keep everybody waiting."""
READERS = ("BatchGet", "Describe", "Get", "List", "Query", "Scan", "TransactGet")
"""How the names of the operations begin that wait for no writer of a file."""
THREADS = 8
"""For those who read, and as many for the others."""

P = ParamSpec("P")
R = TypeVar("R")
Check = Callable[[bytes], object]
Authenticate = Callable[[Headers], Check]
log = logging.getLogger("singletable.server")


class Application:
    """Answers DynamoDB requests from an engine, to those who may call.

    ``authenticate`` judges the headers before a body is read, and gives what judges the body.
    """

    def __init__(self, engine: Engine, authenticate: Authenticate) -> None:
        self._engine = engine
        self._authenticate = authenticate
        self._quick = READS | WRITES if engine.in_memory else READS
        self._readers = ThreadPoolExecutor(THREADS, "singletable-reader")
        self._writers = ThreadPoolExecutor(THREADS, "singletable-writer")

    def open(self, head: Head) -> Answer | Work:
        """Judge a request by its head: answer it, or give what answers its body."""
        return _attempt(self._open, head)

    def close(self) -> None:
        """Wait for the operations that run."""
        self._readers.shutdown()
        self._writers.shutdown()

    def _open(self, head: Head) -> Answer | Work:
        if head.target != b"/":
            return NOT_AN_OPERATION
        if head.method in HEALTH_CHECKS:
            return healthy(self._engine.region)
        if head.method != b"POST" or not is_json(head.headers):
            return NOT_AN_OPERATION
        operation = TARGETS.get(head.headers.get(b"x-amz-target", b""))
        if operation is None:
            raise UnknownOperationException
        check = self._authenticate(head.headers)
        return partial(self._run, operation, check)

    def _run(self, operation: str, check: Check, body: bytes) -> Answer | Future[Answer]:
        answer = _attempt(self._call_now, operation, check, body)
        if answer is not None:
            return answer
        loop = asyncio.get_running_loop()
        threads = self._readers if operation.startswith(READERS) else self._writers
        return loop.run_in_executor(threads, _attempt, self._call, operation, body)

    def _call_now(self, operation: str, check: Check, body: bytes) -> Answer | None:
        check(body)
        if operation not in self._quick or len(body) > QUICK_BYTES_MAX:
            return None
        answer = self._engine.call_json_now(operation, body)
        return None if answer is None else Answer(answer)

    def _call(self, operation: str, body: bytes) -> Answer:
        return Answer(self._engine.call_json(operation, body))


def _attempt(step: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R | Answer:
    """Take a step; a failure of ours is a 500 and leaves the server alive."""
    try:
        return step(*args, **kwargs)
    except ServiceError as error:
        return failure(error)
    except Exception:
        log.exception("a request failed")
        return failure(InternalServerError("Internal server error"))
