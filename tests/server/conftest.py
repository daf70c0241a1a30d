"""One server with one table for all tests of this folder that need no server of their own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from singletable.engine import Engine
from singletable.server import running

TABLE = {
    "TableName": "Music",
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
}


@pytest.fixture(scope="session")
def engine() -> Iterator[Engine]:
    """Give an engine in memory that has the table Music."""
    with Engine() as engine:
        engine.call("CreateTable", TABLE)
        yield engine


@pytest.fixture(scope="session")
def url(engine: Engine) -> Iterator[str]:
    """Serve the engine; give the URL."""
    with running(engine) as url:
        yield url
