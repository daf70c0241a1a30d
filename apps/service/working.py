"""What happens after a write, done in the service's own process.

In production a Lambda function follows the stream instead: ``lambda_handler(store, *consumers)``.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any

from fastapi import FastAPI

from singletable.streams import Consumer, Worker

STOP_S = 30.0


def follow(app: FastAPI, *consumers: Consumer) -> None:
    """Have consumers follow the table's stream for as long as the application runs."""
    app.state.consumers = [*getattr(app.state, "consumers", ()), *consumers]


@contextmanager
def following(app: FastAPI) -> Iterator[None]:
    """Run a worker for the consumers of an application, if it has any."""
    consumers: list[Any] = getattr(app.state, "consumers", [])
    if not consumers:
        yield
        return
    worker = Worker(app.state.service.store, *consumers)
    thread = Thread(target=worker.run, name="stream worker")
    thread.start()
    try:
        yield
    finally:
        worker.stop()
        thread.join(STOP_S)
