"""Every backend, in either way: what a store does, it does on all of them."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from datetime import datetime
from itertools import count
from typing import Any, TypeVar

import pytest

from singletable import Engine, Store
from singletable.backends import Backend
from singletable.backends.address import as_backend, connect
from singletable.backends.aws import AwsBackend
from singletable.server import running
from singletable.store.retries import Retries

from .design import NOW, Shops
from .ways import Way, either

S = TypeVar("S", bound=Store)

BACKENDS = ["memory", "file", "boto3", "http", "local"]
TABLES = count(1)
"""Tables of one backend are told apart by their names."""


@pytest.fixture(scope="module", params=BACKENDS)
def backend(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Backend]:
    """Give a backend of each kind."""
    with ExitStack() as stack:
        match request.param:
            case "memory":
                made = connect(":memory:")
            case "file":
                made = connect(tmp_path_factory.mktemp("suite") / "suite.db")
            case "boto3":
                made = as_backend(_client(_served(stack)))
            case "http":
                made = connect(_served(stack))
            case _:
                # DynamoDB Local keeps tables apart by access key.
                nobody = (uuid.uuid4().hex[:16], "secret")
                made = connect(request.getfixturevalue("dynamodb_local"), credentials=nobody)
        stack.callback(made.close)
        yield made


def _served(stack: ExitStack) -> str:
    return stack.enter_context(running(stack.enter_context(Engine())))


def _client(url: str) -> Any:
    import boto3

    return boto3.client(
        "dynamodb",
        endpoint_url=url,
        region_name="eu-west-1",
        aws_access_key_id="nobody",
        aws_secret_access_key="secret",
    )


@pytest.fixture(scope="module", params=["sync", "async"])
def do(request: pytest.FixtureRequest, backend: Backend) -> Iterator[Way]:
    """Give the way to call methods."""
    with either(awaited=request.param == "async") as way:
        yield way
        if isinstance(backend, AwsBackend):
            way(backend.close)  # for its connections are of this way's event loop


class Clock:
    """Tells a time that moves only when told to."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        """Tell the time."""
        return self.now


@pytest.fixture
def clock() -> Clock:
    """Give a clock that stands still."""
    return Clock()


Opened = Callable[..., Any]


@pytest.fixture
def opened(backend: Backend, do: Way, clock: Clock) -> Callable[[type[S]], S]:
    """Give the function that opens a store on a table of its own."""

    def open_store(kind: type[S], items: Iterable[Any] = (), **options: Any) -> S:
        store = kind(
            backend,
            table_name=f"{kind.table.name}-{next(TABLES)}",
            clock=clock,
            retries=Retries(base_s=0.001),
            **options,
        )
        do(store.create_table)
        for item in items:
            do(store.create, item)
        return store

    return open_store


@pytest.fixture
def shops(opened: Callable[[type[Shops]], Shops]) -> Shops:
    """Give a store of shops that is empty."""
    return opened(Shops)
