"""DynamoDB clients of boto3 and aiobotocore as backends."""

from __future__ import annotations

import asyncio
import pickle
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any
from unittest import mock

import boto3
import pytest
from aiobotocore.config import AioConfig  # type: ignore[import-untyped] # has no types
from aiobotocore.session import AioSession  # type: ignore[import-untyped] # has no types
from botocore.config import Config
from botocore.exceptions import ClientError

from singletable.backends import boto3 as bound
from singletable.backends.client import AsyncClientBackend, ClientBackend
from singletable.engine import Engine
from singletable.errors import (
    ResourceNotFoundException,
    ServiceError,
    UnknownOperationException,
    Unreachable,
    UsageError,
    ValidationException,
)
from tests.components import free_port

SETTINGS: dict[str, Any] = {
    "retries": {"total_max_attempts": 1},
    "connect_timeout": 50,
    "read_timeout": 50,
}
AT_ONCE = struct.pack("ii", 1, 0)
ARGUMENTS: dict[str, Any] = {
    "region_name": "us-east-1",
    "aws_access_key_id": "a",
    "aws_secret_access_key": "b",
}


def list_tables(url: str) -> dict[str, Any]:
    """List the tables of an endpoint through boto3."""
    client = boto3.client("dynamodb", endpoint_url=url, config=Config(**SETTINGS), **ARGUMENTS)
    with closing(ClientBackend(client, owned=True)) as backend:
        return backend.call("ListTables", {})


def list_tables_async(url: str) -> dict[str, Any]:
    """List the tables of an endpoint through aiobotocore."""

    async def listed() -> dict[str, Any]:
        async with AioSession().create_client(
            "dynamodb", endpoint_url=url, config=AioConfig(**SETTINGS), **ARGUMENTS
        ) as client:
            return await AsyncClientBackend(client).acall("ListTables", {})

    return asyncio.run(listed())


either_way = pytest.mark.parametrize("ask", [list_tables, list_tables_async])
Ask = Callable[[str], dict[str, Any]]


@contextmanager
def talking(reply: bytes, *, reset: bool = False) -> Iterator[str]:
    """Listen on a port; answer whatever comes with a reply, and hang up or break off."""

    def talk() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(65_536)
            connection.sendall(reply)
            if reset:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, AT_ONCE)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=talk)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        thread.join()


def answer(status: str, body: str, *headers: str) -> bytes:
    """Write an HTTP answer."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers, "", body]
    return "\r\n".join(lines).encode()


@either_way
def test_the_server_is_asked(ask: Ask, url: str) -> None:
    assert ask(url) == {"TableNames": ["Music"]}


@either_way
def test_an_endpoint_where_nothing_listens_is_unreachable(ask: Ask) -> None:
    url = f"http://127.0.0.1:{free_port()}"
    with pytest.raises(Unreachable, match=f"ListTables got no answer from {url}") as caught:
        ask(url)
    assert not caught.value.perhaps_done


@either_way
def test_a_request_that_is_never_answered_may_have_been_run(
    ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(SETTINGS, "read_timeout", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        with pytest.raises(Unreachable) as caught:
            ask(f"http://127.0.0.1:{silent.getsockname()[1]}")
        assert caught.value.perhaps_done


@either_way
@pytest.mark.parametrize("reset", [False, True])
def test_a_request_whose_connection_breaks_may_have_been_run(ask: Ask, reset: bool) -> None:
    with talking(b"", reset=reset) as url, pytest.raises(Unreachable) as caught:
        ask(url)
    assert caught.value.perhaps_done


@either_way
def test_a_web_page_is_not_taken_for_an_answer(ask: Ask) -> None:
    """A development server that answers everything with its page must not seem to store items."""
    page = answer("200 OK", "<html>Welcome!</html>", "Content-Type: text/html; charset=utf-8")
    with talking(page) as url, pytest.raises(Unreachable, match="a web page is served there"):
        ask(url)


@either_way
def test_an_error_that_nobody_knows_keeps_its_name_and_status(ask: Ask) -> None:
    body = '{"__type": "com.amazonaws.dynamodb#BrewingException", "message": "tea only"}'
    with talking(answer("418 Teapot", body)) as url, pytest.raises(ServiceError) as caught:
        ask(url)
    error = caught.value
    assert (error.code, error.status, error.message) == ("BrewingException", 418, "tea only")
    assert error.fields == {}


@either_way
def test_a_gateway_that_fails_is_a_service_error(ask: Ask) -> None:
    with talking(answer("503 No", "<html/>")) as url, pytest.raises(ServiceError) as caught:
        ask(url)
    assert caught.value.status == 503


def test_the_clients_own_error_is_kept_as_the_cause(engine: Engine) -> None:
    with pytest.raises(ResourceNotFoundException) as caught:
        ClientBackend(bound.client(engine)).call("DescribeTable", {"TableName": "Nope"})
    cause = caught.value.__cause__
    assert isinstance(cause, ClientError)
    assert cause.response["ResponseMetadata"]["RequestId"] == caught.value.request_id != ""


def test_what_boto3_refuses_to_send_is_a_validation_error(engine: Engine) -> None:
    with pytest.raises(ValidationException, match="Unknown parameter") as caught:
        ClientBackend(bound.client(engine)).call("ListTables", {"Nonsense": 1})
    assert caught.value.operation_name == "ListTables"


def test_without_credentials_nothing_is_sent(
    no_aws: None, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    client = boto3.Session().client("dynamodb", region_name="us-east-1", endpoint_url=url)
    with (
        closing(ClientBackend(client, owned=True)) as backend,
        pytest.raises(UsageError, match=f"ListTables cannot be sent to {url}: .*credentials"),
    ):
        backend.call("ListTables", {})


def test_an_aiobotocore_client_must_be_awaited() -> None:
    async def refused() -> None:
        async with AioSession().create_client("dynamodb", **ARGUMENTS) as client:
            with pytest.raises(UsageError, match="GetItem was called without await"):
                AsyncClientBackend(client).call("GetItem", {})
            with pytest.raises(UnknownOperationException):
                await AsyncClientBackend(client).acall("MakeCoffee", {})

    asyncio.run(refused())


STREAMS = ("ListStreams", "DescribeStream", "GetShardIterator", "GetRecords")


@pytest.mark.parametrize("operation", STREAMS)
def test_streams_take_a_second_client_and_the_error_says_so(engine: Engine, operation: str) -> None:
    backend = ClientBackend(bound.client(engine))
    remedy = rf"^{operation} takes .* by ClientBackend\(client, streams=…\) of singletable.backends"
    with pytest.raises(UsageError, match=remedy):
        backend.call(operation, {})
    with pytest.raises(UsageError, match=remedy):
        asyncio.run(backend.acall(operation, {}))


def test_streams_take_a_second_aiobotocore_client(url: str) -> None:
    async def ask() -> None:
        session = AioSession()
        both = [
            session.create_client(service, endpoint_url=url, **ARGUMENTS)
            for service in ("dynamodb", "dynamodbstreams")
        ]
        async with both[0] as client, both[1] as streams:
            with pytest.raises(UsageError, match=r"by AsyncClientBackend\(client, streams=…\)"):
                await AsyncClientBackend(client).acall("ListStreams", {})
            backend = AsyncClientBackend(client, streams=streams)
            assert await backend.acall("ListStreams", {}) == {"Streams": []}
            assert await backend.acall("ListTables", {}) == {"TableNames": ["Music"]}

    asyncio.run(ask())


def test_an_error_of_streams_names_their_endpoint(engine: Engine) -> None:
    nowhere = f"http://127.0.0.1:{free_port()}"
    streams = boto3.client(
        "dynamodbstreams", endpoint_url=nowhere, config=Config(**SETTINGS), **ARGUMENTS
    )
    backend = ClientBackend(bound.client(engine), streams=streams)
    with closing(streams), pytest.raises(Unreachable, match=f"got no answer from {nowhere}"):
        backend.call("ListStreams", {})


@pytest.mark.parametrize("owned", [False, True])
def test_closing_closes_clients_only_when_they_are_owned(engine: Engine, owned: bool) -> None:
    client, streams = bound.client(engine), bound.streams_client(engine)
    backend = ClientBackend(client, streams=streams, owned=owned)
    with mock.patch.object(client, "close") as one, mock.patch.object(streams, "close") as two:
        backend.close()
        asyncio.run(backend.aclose())
    assert one.call_count == two.call_count == (2 if owned else 0)


def test_an_unreachable_endpoint_can_be_told_to_another_process() -> None:
    error: Unreachable = pickle.loads(  # noqa: S301 - made right here
        pickle.dumps(Unreachable("gone", perhaps_done=False))
    )
    assert (str(error), error.perhaps_done) == ("gone", False)
