"""What an address names, and what else can stand for a backend."""

from __future__ import annotations

import asyncio
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from aiobotocore.session import AioSession  # type: ignore[import-untyped] # has no types

from singletable.backends import boto3 as bound
from singletable.backends.address import as_backend, connect
from singletable.backends.aws import AwsBackend
from singletable.backends.client import AsyncClientBackend, ClientBackend
from singletable.backends.embedded import EmbeddedBackend
from singletable.engine import Engine
from singletable.errors import DatabaseUnusable, InvalidAddress, UsageError

from .conftest import TABLE


def embedded(address: str | Path, **options: Any) -> EmbeddedBackend:
    """Connect to an address that names an engine."""
    backend = connect(address, **options)
    assert isinstance(backend, EmbeddedBackend)
    return backend


def aws(address: str, **options: Any) -> AwsBackend:
    """Connect to an address that names an endpoint or a region."""
    backend = connect(address, **options)
    assert isinstance(backend, AwsBackend)
    return backend


def test_memory() -> None:
    with closing(embedded(":memory:")) as backend:
        assert backend.engine.in_memory


@pytest.mark.parametrize("name", ["music.db", "./music", "a/b.sqlite3", "./aws:x", "ünï.db"])
def test_the_path_of_a_file(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a").mkdir()
    with closing(embedded(name)) as backend:
        backend.call("CreateTable", TABLE)
    assert (tmp_path / name).is_file()
    with closing(embedded(tmp_path / name)) as again:
        assert again.call("ListTables", {}) == {"TableNames": ["Music"]}


def test_a_folder_that_does_not_exist_is_said(tmp_path: Path) -> None:
    path = str(tmp_path / "nope" / "music.db")
    with pytest.raises(DatabaseUnusable, match="a folder that exists") as caught:
        connect(path)
    assert path in str(caught.value)


def test_options_of_a_file_are_the_engines() -> None:
    with closing(embedded(":memory:", region="eu-west-1")) as backend:
        assert backend.engine.region == "eu-west-1"


def test_a_region_of_aws() -> None:
    assert aws("aws:eu-west-1")._region == "eu-west-1"
    assert aws("aws:us-gov-west-1", profile="work")._profile == "work"


def test_the_region_that_is_configured(monkeypatch: pytest.MonkeyPatch, no_aws: None) -> None:
    monkeypatch.setenv("AWS_REGION", "eu-north-1")
    with closing(aws("aws:")) as backend:
        assert backend._open("dynamodb").client.meta.region_name == "eu-north-1"


@pytest.mark.parametrize(
    "address", ["http://localhost:8000", "https://db.example.com", "http://[::1]:8000/"]
)
def test_the_url_of_an_endpoint(address: str) -> None:
    backend = aws(address, region="eu-west-1")
    assert (backend._endpoint, backend._region) == (address, "eu-west-1")


@pytest.mark.parametrize(
    "address",
    [
        "",
        "memory",
        "eu-west-1",
        "localhost:8000",
        "127.0.0.1:8000",
        "file:music.db",
        "c:music.db",
        "sqlite:///music.db",
        "ftp://example.com",
        "dynamodb://eu-west-1",
    ],
)
def test_what_is_no_address_is_named_beside_what_is_one(address: str) -> None:
    with pytest.raises(InvalidAddress) as caught:
        connect(address)
    for each in (repr(address), ":memory:", "campaigns.db", "aws:eu-west-1", "http://localhost"):
        assert each in str(caught.value)


@pytest.mark.parametrize("address", ["aws:eu_west", "aws:EU-WEST-1", "aws:eu-west-1/table"])
def test_what_is_no_region_is_named(address: str) -> None:
    with pytest.raises(InvalidAddress, match=f"'{address}' names no region"):
        connect(address)


@pytest.mark.parametrize(
    "address",
    [
        "http://",
        "http://:8000",
        "http://localhost:port",
        "http://localhost:8000/table",
        "http://localhost:8000?x=1",
        "http://me:secret@localhost:8000",
        "http://[::1",
    ],
)
def test_what_is_no_endpoint_is_named(address: str) -> None:
    with pytest.raises(InvalidAddress, match="is not an endpoint") as caught:
        connect(address)
    assert repr(address) in str(caught.value)


def test_a_backend_is_one_already(engine: Engine) -> None:
    backend = EmbeddedBackend(engine)
    assert as_backend(backend) is backend


def test_an_engine_stands_for_its_backend(engine: Engine) -> None:
    backend = as_backend(engine)
    backend.close()
    assert backend.call("ListTables", {}) == engine.call("ListTables", {})


def test_a_client_stands_for_its_backend(engine: Engine) -> None:
    backend = as_backend(bound.client(engine))
    assert isinstance(backend, ClientBackend)
    assert backend.call("ListTables", {}) == {"TableNames": ["Music"]}


def test_an_aiobotocore_client_stands_for_its_backend(url: str) -> None:
    async def ask() -> dict[str, Any]:
        async with AioSession().create_client(
            "dynamodb",
            endpoint_url=url,
            region_name="us-east-1",
            aws_access_key_id="a",
            aws_secret_access_key="b",
        ) as client:
            backend = as_backend(client)
            assert isinstance(backend, AsyncClientBackend)
            return await backend.acall("ListTables", {})

    assert asyncio.run(ask()) == {"TableNames": ["Music"]}


def test_an_address_stands_for_its_backend(tmp_path: Path) -> None:
    for address in (str(tmp_path / "a.db"), tmp_path / "b.db"):
        with closing(as_backend(address)) as backend:
            assert backend.call("ListTables", {}) == {"TableNames": []}


def test_anything_else_is_refused(engine: Engine) -> None:
    wrong: Any
    for wrong in (None, 8000, bound.streams_client(engine)):
        with pytest.raises(UsageError, match="a store cannot be connected to") as caught:
            as_backend(wrong)
        assert repr(wrong) in str(caught.value)
