"""Fixtures for pytest: an engine of its own for every test, and boto3 clients bound to it.

    def test_greeting(dynamodb_client):
        dynamodb_client.create_table(...)

Every engine is a copy, made in milliseconds, of ``dynamodb_template``. To start each test with
tables and data, override that one fixture in a ``conftest.py`` or a module, by a copy of its own:

    @pytest.fixture(scope="session")
    def dynamodb_template(dynamodb_template):
        with dynamodb_template.fork() as template:
            template.create_table(...)
            yield template

The template may have another scope, such as ``module``. Pytest makes the one that is overridden
once for all who do so: what is written into that one is found by tests that are not theirs.

Code that makes its own clients, in any language or process, is pointed at
``dynamodb_endpoint_url``.

pytest loads this module whenever the library is installed, so it imports nothing at the top that
pytest has not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mypy_boto3_dynamodb import DynamoDBClient, DynamoDBServiceResource
    from mypy_boto3_dynamodbstreams import DynamoDBStreamsClient

    from singletable.engine import Engine


@pytest.fixture(scope="session")
def dynamodb_template() -> Iterator[Engine]:
    """Give the engine that every test's own is copied from: empty, unless overridden."""
    from singletable.engine import Engine

    with Engine() as engine:
        yield engine


@pytest.fixture
def dynamodb_engine(dynamodb_template: Engine) -> Iterator[Engine]:
    """Give an engine in memory for one test: a copy of ``dynamodb_template``."""
    with dynamodb_template.fork() as engine:
        yield engine


@pytest.fixture
def dynamodb_client(dynamodb_engine: Engine) -> DynamoDBClient:
    """Give a boto3 client that ``dynamodb_engine`` answers."""
    from singletable.backends import boto3

    return boto3.client(dynamodb_engine)


@pytest.fixture
def dynamodb_streams_client(dynamodb_engine: Engine) -> DynamoDBStreamsClient:
    """Give a boto3 streams client that ``dynamodb_engine`` answers."""
    from singletable.backends import boto3

    return boto3.streams_client(dynamodb_engine)


@pytest.fixture
def dynamodb_resource(dynamodb_engine: Engine) -> DynamoDBServiceResource:
    """Give a boto3 resource that ``dynamodb_engine`` answers."""
    from singletable.backends import boto3

    return boto3.resource(dynamodb_engine)


@pytest.fixture
def dynamodb_endpoint_url(dynamodb_engine: Engine) -> Iterator[str]:
    """Give the URL at which ``dynamodb_engine`` is served over HTTP; any credentials will do."""
    from singletable.server import running

    with running(dynamodb_engine) as url:
        yield url
