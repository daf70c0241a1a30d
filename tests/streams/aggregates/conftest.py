"""What tests of aggregates may ask for."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from singletable.streams.aggregates import Aggregates

from .sales import Feed, Sales


@pytest.fixture
def store() -> Iterator[Sales]:
    """An empty shop."""
    with Sales.connect(":memory:") as store:
        yield store


@pytest.fixture
def feed(store: Sales) -> Feed:
    """The stream of the shop."""
    return Feed(store)


@pytest.fixture
def aggregates(store: Sales) -> Aggregates:
    """The consumer."""
    return Aggregates(store)
