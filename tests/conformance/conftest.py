"""One suite, three backends: the engine in process, the engine over HTTP, DynamoDB Local."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import ExitStack, closing

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from singletable.backends.boto3 import client as in_process
from singletable.backends.boto3 import streams_client as in_process_streams
from singletable.engine import Engine
from singletable.server.run import running

from .differences import LOCAL
from .support import Client

Clients = tuple[Client, Client]

# The service validates, not the SDK: many cases send what botocore would refuse to send.
CONFIG = Config(parameter_validation=False, retries={"total_max_attempts": 1})

# DynamoDB Local keeps tables apart by access key: a run sees only its own.
ACCESS_KEY = uuid.uuid4().hex[:16]

# How a case fails where the answer is another one; anything else is an error of the suite.
OTHER_ANSWER = (AssertionError, ClientError, KeyError, pytest.fail.Exception)


@pytest.fixture(scope="session", params=["inprocess", "http", "local"])
def backend(request: pytest.FixtureRequest) -> Iterator[Clients]:
    """Start one backend; yield its dynamodb and dynamodbstreams clients."""
    with ExitStack() as stack:
        match request.param:
            case "inprocess":
                engine = stack.enter_context(closing(Engine()))
                clients = (
                    in_process(engine, config=CONFIG),
                    in_process_streams(engine, config=CONFIG),
                )
            case "http":
                engine = stack.enter_context(closing(Engine()))
                clients = connect(stack.enter_context(running(engine)))
            case _:
                clients = connect(request.getfixturevalue("dynamodb_local"))
        for each in clients:
            stack.callback(each.close)
        yield clients


def connect(url: str) -> Clients:
    """Make boto3 clients that send requests to a URL as they are, once."""
    session = boto3.Session(
        aws_access_key_id=ACCESS_KEY, aws_secret_access_key="secret", region_name="us-east-1"
    )
    return (
        session.client("dynamodb", endpoint_url=url, config=CONFIG),
        session.client("dynamodbstreams", endpoint_url=url, config=CONFIG),
    )


@pytest.fixture(scope="session")
def client(backend: Clients) -> Client:
    """The backend's dynamodb client."""
    return backend[0]


@pytest.fixture(scope="session")
def streams(backend: Clients) -> Client:
    """The backend's dynamodbstreams client."""
    return backend[1]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Expect DynamoDB Local to fail the cases that are listed as differences, and no others."""
    for each in items:
        reason = difference(each)
        if reason:
            each.add_marker(pytest.mark.xfail(reason=reason, strict=True, raises=OTHER_ANSWER))


def difference(each: pytest.Item) -> str | None:
    """Look up why DynamoDB Local fails a case; None for a case that it passes."""
    if not isinstance(each, pytest.Function) or not hasattr(each, "callspec"):
        return None
    if each.callspec.params.get("backend") != "local":
        return None
    test = f"{each.path.name}::{each.originalname}"
    case = each.callspec.id.removeprefix("local").removeprefix("-")
    return LOCAL.get(test) or LOCAL.get(f"{test}[{case}]")
