"""One world for all attacks, and a copy of it for each."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from singletable.engine import Engine
from tests.bad_input.samples import create_world


@pytest.fixture(scope="session")
def world() -> Iterator[Engine]:
    """Give an engine that nobody changes."""
    with create_world() as engine:
        yield engine


@pytest.fixture
def engine(world: Engine) -> Iterator[Engine]:
    """Give an engine to attack."""
    with world.fork() as engine:
        yield engine
