"""A shop on an engine whose clock is moved by hand."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from singletable import Engine
from tests.streams.design import Shop
from tests.streams.support import Clock


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def engine(clock: Clock) -> Iterator[Engine]:
    with Engine(clock=clock) as made:
        yield made


@pytest.fixture
def store(engine: Engine) -> Shop:
    return Shop.connect(engine, create=True)
