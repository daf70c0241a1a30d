"""What happens after a write, done in the service's own process.

A Lambda function may follow the stream instead: ``lambda_handler(store, *consumers)``.
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
    """Have consumers follow the table's stream while the application runs, if settings say so."""
    app.state.consumers = [*getattr(app.state, "consumers", ()), *consumers]


@contextmanager
def following(app: FastAPI) -> Iterator[None]:
    """Run a worker for the consumers of an application, if it has any."""
    consumers: list[Any] = getattr(app.state, "consumers", [])
    service = app.state.service
    if not consumers or not service.settings.follows:
        yield
        return
    worker = Worker(service.store, *consumers, create=service.settings.is_development)
    thread = Thread(target=worker.run, name="stream worker")
    thread.start()
    try:
        yield
    finally:
        worker.stop()
        thread.join(STOP_S)
