"""Tables to migrate from, wherever they can be."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import pytest

from singletable.backends import Backend
from singletable.backends.address import connect
from singletable.engine import Engine
from singletable.server import running


@pytest.fixture(params=["memory", "http", "local"])
def backend(request: pytest.FixtureRequest) -> Iterator[Backend]:
    """Give the embedded engine, the same over HTTP, and DynamoDB Local, each without tables."""
    match request.param:
        case "memory":
            made = connect(":memory:")
            yield made
        case "http":
            with Engine() as engine, running(engine) as url:
                made = connect(url)
                yield made
                made.close()
            return
        case _:
            nobody = (uuid.uuid4().hex[:16], "secret")
            made = connect(request.getfixturevalue("dynamodb_local"), credentials=nobody)
            yield made
    made.close()


@pytest.fixture
def memory() -> Iterator[Backend]:
    """Give the embedded engine without tables."""
    made = connect(":memory:")
    yield made
    made.close()
