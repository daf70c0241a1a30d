"""Collections with a limit: what one request gives, put together."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from singletable.errors import UsageError
from singletable.model.entity import Entity
from singletable.model.table import Table
from singletable.model.views import collect
from singletable.store.observing.events import RequestEvent
from singletable.store.store import Store

table = Table("collected")


class Note(Entity, table=table, pk="TOPIC#{topic}", sk="NOTE#{number:03d}"):
    """Stands before its topic."""

    topic: str
    number: int


class Topic(Entity, table=table, pk="TOPIC#{topic}", sk="TOPIC"):
    """Stands behind its notes."""

    topic: str


@dataclass
class Notes:
    """A topic with its notes."""

    topic: Topic
    notes: list[Note]


class Readings(Store, table=table):
    """Has no patterns."""


@pytest.fixture
def store() -> Iterator[Readings]:
    """A topic with nine notes."""
    with Readings.connect(":memory:") as made:
        made.put_many([Note(topic="t", number=at) for at in range(9)])
        made.put(Topic(topic="t"))
        yield made


def test_a_collection_with_a_limit_is_what_one_request_gives(store: Readings) -> None:
    events: list[RequestEvent] = []
    watching = Readings(store.backend, observers=[events.append])
    newest = watching.bind(collect(Notes, topic="t").newest_first().limit(4))
    assert newest.one() == Notes(Topic(topic="t"), [Note(topic="t", number=at) for at in (8, 7, 6)])
    assert len(events) == 1
    assert asyncio.run(newest.aone()) == newest.one()
    with pytest.raises(UsageError, match="whole number from 1"):
        collect(Notes, topic="t").limit(0)


def test_children_whose_parent_a_limit_cuts_off_are_reported(store: Readings) -> None:
    page = store.bind(collect(Notes, topic="t").limit(2)).page()
    assert page.items == []
    assert [one.key["SK"]["S"] for one in page.skipped] == ["NOTE#000", "NOTE#001"]
