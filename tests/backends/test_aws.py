"""AWS and endpoints: what is sent, with what, and what is open after that."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from singletable.backends.aws import AwsBackend, _InLoop, is_loopback
from singletable.engine import Engine
from singletable.errors import UsageError, ValidationException
from tests.components import free_port

pytestmark = pytest.mark.usefixtures("no_aws")

DYNAMODB, STREAMS = "dynamodb", "dynamodbstreams"


@pytest.fixture
def backend(url: str) -> Iterator[AwsBackend]:
    """Give a backend of the server's endpoint."""
    with closing(AwsBackend(endpoint=url)) as backend:
        yield backend


def client_of(backend: AwsBackend, service: str = DYNAMODB) -> Any:
    """Give the client that a backend makes for ``call``."""
    return backend._open(service).client


def credentials_of(backend: AwsBackend) -> tuple[str, str]:
    """Give the access key and the region that a backend signs with."""
    client = client_of(backend)
    signer = client._request_signer
    return signer._credentials.access_key, client.meta.region_name


def test_a_loopback_endpoint_needs_no_configuration(backend: AwsBackend) -> None:
    assert credentials_of(backend) == ("local", "us-east-1")
    assert backend.call("ListTables", {}) == {"TableNames": ["Music"]}


def test_a_loopback_endpoint_waits_for_no_metadata_service(
    backend: AwsBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as metadata:
        port = metadata.getsockname()[1]
        monkeypatch.setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", f"http://127.0.0.1:{port}")
        backend.call("ListTables", {})
        metadata.setblocking(False)
        with pytest.raises(BlockingIOError):
            metadata.accept()


def test_credentials_and_region_of_the_environment_come_first(
    backend: AwsBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "mine")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_REGION", "eu-west-1")
    assert credentials_of(backend) == ("mine", "eu-west-1")


def test_credentials_that_are_given_win(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "mine")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    with closing(AwsBackend(endpoint=url, credentials=("given", "secret", "token"))) as backend:
        assert credentials_of(backend) == ("given", "us-east-1")
        assert client_of(backend)._request_signer._credentials.token == "token"  # noqa: S105 - made up


def test_a_profile_brings_its_credentials_and_region(
    url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "config"
    lines = [
        "[profile work]",
        "region=eu-north-1",
        "aws_access_key_id=w",
        "aws_secret_access_key=s",
    ]
    file.write_text("\n".join(lines))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(file))
    with closing(AwsBackend(endpoint=url, profile="work")) as backend:
        assert credentials_of(backend) == ("w", "eu-north-1")


def test_a_region_that_is_given_wins(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_REGION", "eu-west-1")
    with closing(AwsBackend("ap-south-1", endpoint=url)) as backend:
        assert credentials_of(backend)[1] == "ap-south-1"


def test_a_region_of_aws_is_its_endpoint() -> None:
    backend = AwsBackend("eu-west-1", credentials=("a", "b"))
    with closing(backend):
        assert client_of(backend).meta.endpoint_url == "https://dynamodb.eu-west-1.amazonaws.com"


def test_streams_have_an_endpoint_of_their_own_in_a_region() -> None:
    backend = AwsBackend("eu-west-1", credentials=("a", "b"))
    with closing(backend):
        endpoint = client_of(backend, STREAMS).meta.endpoint_url
        assert endpoint == "https://streams.dynamodb.eu-west-1.amazonaws.com"


def test_streams_are_read_through_a_second_client_of_the_same_session(backend: AwsBackend) -> None:
    backend.call("ListTables", {})
    session = backend._session
    assert list(backend._clients) == [DYNAMODB]
    assert backend.call("ListStreams", {}) == {"Streams": []}
    assert list(backend._clients) == [DYNAMODB, STREAMS]
    assert backend._session is session
    one, two = (client_of(backend, service).meta for service in (DYNAMODB, STREAMS))
    assert (one.endpoint_url, one.region_name) == (two.endpoint_url, two.region_name)
    assert one.config.retries == two.config.retries


def test_clients_of_an_event_loop_share_its_session(backend: AwsBackend) -> None:
    async def ask() -> None:
        await backend.acall("ListTables", {})
        [here] = backend._loops.values()
        session = here.session
        assert await backend.acall("ListStreams", {}) == {"Streams": []}
        assert list(here.clients) == [DYNAMODB, STREAMS]
        assert here.session is session
        await backend.aclose()

    asyncio.run(ask())
    assert not backend._clients


def test_closing_closes_both_clients(backend: AwsBackend) -> None:
    clients = [client_of(backend, service) for service in (DYNAMODB, STREAMS)]
    with ExitStack() as stack:
        closed = [stack.enter_context(mock.patch.object(each, "close")) for each in clients]
        backend.close()
        assert [each.call_count for each in closed] == [1, 1]
    for client in clients:
        client.close()
    assert backend.call("ListStreams", {}) == {"Streams": []}


def test_without_a_region_the_error_says_where_to_put_it() -> None:
    with pytest.raises(UsageError, match='"aws:eu-west-1", or set AWS_REGION'):
        AwsBackend().call("ListTables", {})


def test_a_profile_that_does_not_exist_is_named() -> None:
    backend = AwsBackend("eu-west-1", profile="nobody")
    with pytest.raises(UsageError, match="nobody"):
        backend.call("ListTables", {})
    with pytest.raises(UsageError, match="nobody"):
        asyncio.run(backend.acall("ListTables", {}))


def test_retries_are_left_to_the_store(backend: AwsBackend) -> None:
    config = client_of(backend).meta.config
    assert config.retries["total_max_attempts"] == 1
    assert (config.connect_timeout, config.read_timeout) == (3.0, 15.0)


def test_the_service_validates_and_not_the_client(backend: AwsBackend) -> None:
    with pytest.raises(ValidationException, match="1 validation error detected"):
        backend.call("GetItem", {"TableName": "Music"})


def test_threads_share_one_client(backend: AwsBackend) -> None:
    together = threading.Barrier(8)

    def ask(_: int) -> int:
        together.wait()
        backend.call("ListTables", {})
        return id(backend._clients[DYNAMODB])

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(ask, range(8)))) == 1


def test_tasks_share_one_client_for_each_event_loop(backend: AwsBackend) -> None:
    async def ask() -> int:
        try:
            answers = await asyncio.gather(*(backend.acall("ListTables", {}) for _ in range(20)))
            assert answers == [{"TableNames": ["Music"]}] * 20
            [here] = backend._loops.values()
            return id(here.clients[DYNAMODB])
        finally:
            await backend.aclose()

    asyncio.run(ask())
    asyncio.run(ask())
    assert not backend._loops


def test_tasks_that_come_while_a_client_is_opened_wait_for_it() -> None:
    made: list[AwsBackend] = []

    async def make(service: str, here: object) -> AwsBackend:
        await asyncio.sleep(0)
        made.append(AwsBackend())
        return made[-1]

    async def ask() -> None:
        here = _InLoop(make)
        assert await asyncio.gather(*(here.open(DYNAMODB) for _ in range(3))) == made * 3

    asyncio.run(ask())


def test_async_calls_go_through_aiobotocore(backend: AwsBackend) -> None:
    async def ask() -> None:
        await backend.acall("ListTables", {})
        assert not backend._clients
        await backend.aclose()

    asyncio.run(ask())


@pytest.mark.parametrize("operation", ["BatchWriteItem", "TransactWriteItems"])
def test_large_requests_do_not_hold_up_the_event_loop(
    engine: Engine, backend: AwsBackend, operation: str
) -> None:
    """Where they would, aiohttp warns, and warnings are errors here."""
    items = [
        {"pk": {"S": "large"}, "sk": {"N": str(number)}, "text": {"S": str(number) * 380_000}}
        for number in range(6)
    ]
    requests: dict[str, dict[str, Any]] = {
        "BatchWriteItem": {
            "RequestItems": {"Music": [{"PutRequest": {"Item": item}} for item in items]}
        },
        "TransactWriteItems": {
            "TransactItems": [{"Put": {"TableName": "Music", "Item": item}} for item in items]
        },
    }

    async def ask() -> None:
        try:
            await backend.acall(operation, requests[operation])
        finally:
            await backend.aclose()

    asyncio.run(ask())
    keys = [{"pk": item["pk"], "sk": item["sk"]} for item in items]
    stored = [engine.call("GetItem", {"TableName": "Music", "Key": key})["Item"] for key in keys]
    assert stored == items


def test_without_aiobotocore_async_calls_go_through_a_thread(
    backend: AwsBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "aiobotocore", None)

    async def ask() -> None:
        assert await backend.acall("ListTables", {}) == {"TableNames": ["Music"]}
        assert list(backend._clients) == [DYNAMODB]
        await backend.aclose()

    asyncio.run(ask())


def test_without_boto3_the_error_says_what_to_install(
    backend: AwsBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("aiobotocore", "botocore", "botocore.exceptions"):
        monkeypatch.setitem(sys.modules, name, None)
    for ask in (backend.call, lambda *asked: asyncio.run(backend.acall(*asked))):
        with pytest.raises(UsageError, match=r'pip install "singletable\[aws\]"'):
            ask("ListTables", {})


def test_a_loop_that_ended_unclosed_is_forgotten(backend: AwsBackend) -> None:
    """Without aiobotocore there is nothing to close; with it, aiohttp warns by itself."""
    ended = asyncio.new_event_loop()
    backend._enter(ended)
    ended.close()

    async def ask() -> None:
        await backend.acall("ListTables", {})
        assert list(backend._loops) == [asyncio.get_running_loop()]
        await backend.aclose()

    asyncio.run(ask())


def test_a_closed_backend_opens_when_next_used(backend: AwsBackend) -> None:
    backend.call("ListTables", {})
    backend.close()
    assert backend.call("ListTables", {}) == {"TableNames": ["Music"]}


def test_a_connection_is_used_again(engine: Engine, backend: AwsBackend) -> None:
    for _ in range(5):
        backend.call("ListTables", {})
    pools = client_of(backend)._endpoint.http_session._manager.pools
    [pool] = [pools[key] for key in pools.keys()]  # noqa: SIM118 - no mapping: it is not iterable
    assert (pool.num_connections, pool.num_requests) == (1, 5)


@pytest.mark.parametrize(
    ("endpoint", "here"),
    [
        ("http://localhost:8000", True),
        ("http://db.localhost", True),
        ("http://127.0.0.9:1", True),
        ("https://[::1]:8000", True),
        ("http://dynamodb:8000", False),
        ("http://10.0.0.1:8000", False),
        ("https://localhost.example.com", False),
    ],
)
def test_a_loopback_endpoint_is_known_by_its_name(endpoint: str, here: bool) -> None:
    assert is_loopback(endpoint) is here


def test_no_sdk_is_loaded_before_the_first_call() -> None:
    code = (
        "import sys; from singletable.backends.address import connect; connect('aws:eu-west-1');"
        f"connect('http://127.0.0.1:{free_port()}');"
        "print({'boto3', 'botocore', 'aiobotocore', 'singletable.engine'} & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
