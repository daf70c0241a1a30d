"""Every backend, called either way, as one fixture."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from singletable.backends import Backend
from singletable.backends.address import connect
from singletable.backends.boto3 import client, streams_client
from singletable.backends.client import ClientBackend
from singletable.engine import Engine
from singletable.server import running

Call = Callable[[str, dict[str, Any]], dict[str, Any]]

TABLE: dict[str, Any] = {
    "TableName": "Music",
    "KeySchema": [
        {"AttributeName": "pk", "KeyType": "HASH"},
        {"AttributeName": "sk", "KeyType": "RANGE"},
    ],
    "AttributeDefinitions": [
        {"AttributeName": "pk", "AttributeType": "S"},
        {"AttributeName": "sk", "AttributeType": "N"},
    ],
    "BillingMode": "PAY_PER_REQUEST",
}


@pytest.fixture
def no_aws(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Take away every region, profile and credential that this machine may have configured."""
    for name in ("ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "SESSION_TOKEN", "PROFILE"):
        monkeypatch.delenv(f"AWS_{name}", raising=False)
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "no-config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "no-credentials"))


@pytest.fixture
def engine() -> Iterator[Engine]:
    """Give an engine in memory that has the table Music."""
    with Engine() as engine:
        engine.call("CreateTable", TABLE)
        yield engine


@pytest.fixture
def url(engine: Engine) -> Iterator[str]:
    """Serve the engine; give the URL."""
    with running(engine) as url:
        yield url


@pytest.fixture(params=["memory", "file", "client", "http", "local"])
def backend(request: pytest.FixtureRequest, no_aws: None, tmp_path: Path) -> Backend:
    """Give a backend of each kind that has the table Music; what calls it, closes it."""
    made = _made(request, tmp_path)
    made.call("CreateTable", TABLE)
    return made


def _made(request: pytest.FixtureRequest, folder: Path) -> Backend:
    match request.param:
        case "memory":
            return connect(":memory:")
        case "file":
            return connect(folder / "music.db")
        case "client":
            engine = Engine()
            request.addfinalizer(engine.close)
            return ClientBackend(client(engine), streams=streams_client(engine))
        case "http":
            stack = ExitStack()
            request.addfinalizer(stack.close)
            return connect(stack.enter_context(running(stack.enter_context(Engine()))))
        case _:
            # DynamoDB Local keeps tables apart by access key.
            nobody = (uuid.uuid4().hex[:16], "secret")
            return connect(request.getfixturevalue("dynamodb_local"), credentials=nobody)


@pytest.fixture(params=["sync", "async"])
def call(request: pytest.FixtureRequest, backend: Backend) -> Iterator[Call]:
    """Give the function that calls the backend, with and without an event loop."""
    with calling(backend, awaited=request.param == "async") as call:
        yield call


@contextmanager
def calling(backend: Backend, *, awaited: bool) -> Iterator[Call]:
    """Give the function that calls a backend; close the backend after that."""
    if not awaited:
        yield backend.call
        backend.close()
        return
    with asyncio.Runner() as runner:
        yield lambda operation, request: runner.run(backend.acall(operation, request))
        runner.run(backend.aclose())
