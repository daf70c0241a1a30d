"""An emulator of AWS, and its clients."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import boto3
import pytest
from botocore.config import Config

from tests import components

Clients = Callable[[str], Any]


@pytest.fixture(scope="session")
def emulator() -> Iterator[str]:
    """Run an emulator of AWS; give its URL."""
    port = components.free_port()
    program = components.script("moto_server", "moto[server]")
    with components.server([program, "-H", "127.0.0.1", "-p", str(port)], port) as url:
        yield url


@pytest.fixture
def aws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Credentials and a region in the environment, as a sink's own client looks for them."""
    for name, value in {
        "AWS_ACCESS_KEY_ID": "any",
        "AWS_SECRET_ACCESS_KEY": "any",
        "AWS_DEFAULT_REGION": "eu-west-1",
    }.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def clients(emulator: str, aws: None) -> Iterator[Clients]:
    """Clients of the emulator, by service."""
    made: dict[str, Any] = {}
    make: Any = boto3.client
    yield lambda service: made.setdefault(service, make(service, endpoint_url=emulator))
    for client in made.values():
        client.close()


@pytest.fixture
def stubbed(aws: None) -> Clients:
    """Clients that reach nothing: a Stubber answers them."""
    make: Any = boto3.client
    config = Config(retries={"total_max_attempts": 1})
    return lambda service: make(service, config=config)
