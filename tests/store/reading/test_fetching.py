"""Snapshots: what a batch gives, as of one moment."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from singletable import Engine
from singletable.backends.embedded import EmbeddedBackend
from singletable.errors import OutOfScope, TransactionCanceledException, UsageError
from singletable.model.entity import Entity
from singletable.model.fields import expires
from singletable.model.reads import get_many
from singletable.model.table import Table
from singletable.store.retries import Retries
from singletable.store.store import Store

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
table = Table("fetched")


class Survey(Entity, table=table, pk="OWNER#{owner_id}", sk="SURVEY#{survey_id}"):
    """Something to read."""

    owner_id: str = "o"
    survey_id: str
    ends: datetime | None = expires()


class Readings(Store, table=table):
    """Has no patterns."""


@pytest.fixture
def store() -> Iterator[Readings]:
    """An empty table."""
    with Readings.connect(":memory:", clock=lambda: NOW) as made:
        yield made


def ids(found: Any) -> list[str]:
    return [one.survey_id for one in found]


def test_a_snapshot_gives_what_a_batch_gives(store: Readings) -> None:
    store.put_many(Survey(survey_id=one) for one in "123")
    broken = {"PK": {"S": "OWNER#o"}, "SK": {"S": "SURVEY#4"}, "Type": {"S": "Survey"}}
    store.backend.call("PutItem", {"TableName": table.name, "Item": broken})
    store.put(Survey(survey_id="5", ends=NOW))
    gets = get_many(Survey.get(owner_id="o", survey_id=one) for one in "3149952")
    batch, snapshot = store.bind(gets).page(), store.bind(gets.snapshot()).page()
    assert ids(snapshot) == ["3", "1", "2"]
    assert snapshot == batch
    assert len(snapshot.skipped) == 1
    assert ids(asyncio.run(store.bind(gets.snapshot()).aall())) == ["3", "1", "2"]
    first = store.bind(gets.snapshot()).first()
    assert first is not None
    assert first.survey_id == "3"


def test_a_snapshot_is_one_transaction_that_names_each_item_once(store: Readings) -> None:
    gets = get_many(Survey.get(owner_id="o", survey_id=one) for one in "1213").snapshot()
    request = store.bind(gets).request()
    assert [one["Get"]["Key"]["SK"]["S"] for one in request["TransactItems"]] == [
        *("SURVEY#1", "SURVEY#2", "SURVEY#3")
    ]
    assert {one["Get"]["TableName"] for one in request["TransactItems"]} == {table.name}
    (call,) = store.show(lambda shown: shown.bind(gets).all())
    assert (call.operation, call.request) == ("TransactGetItems", request)


def test_a_snapshot_is_of_at_most_a_hundred_different_items(store: Readings) -> None:
    names = [str(at) for at in range(100)]
    gets = [Survey.get(owner_id="o", survey_id=one) for one in names]
    assert store.bind(get_many([*gets, *gets]).snapshot()).all() == []
    more = store.bind(get_many([*gets, Survey.get(owner_id="o", survey_id="100")]).snapshot())
    for run in (more.all, more.requests):
        with pytest.raises(UsageError, match="at most 100 items, not of 101"):
            run()
    assert store.bind(get_many([]).snapshot()).all() == []
    assert store.bind(get_many([]).snapshot()).requests() == []


def test_a_snapshot_is_confined_as_any_read_is(store: Readings) -> None:
    store.put(Survey(survey_id="1"))
    mine, theirs = store.confined(owner_id="o"), store.confined(owner_id="p")
    gets = get_many([Survey.get(owner_id="o", survey_id="1")]).snapshot()
    assert ids(mine.bind(gets).all()) == ["1"]
    with pytest.raises(OutOfScope):
        theirs.bind(gets).all()


class Contended(EmbeddedBackend):
    """Cancels the first transactions, as DynamoDB does while somebody writes."""

    def __init__(self, cancels: int) -> None:
        super().__init__(Engine(":memory:"), owned=True)
        self.cancels = cancels

    def call(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        """Answer one request."""
        if operation == "TransactGetItems" and self.cancels:
            self.cancels -= 1
            reasons = [{"Code": "TransactionConflict"}]
            raise TransactionCanceledException("cancelled", CancellationReasons=reasons)
        return super().call(operation, request)


def test_a_snapshot_is_read_again_when_somebody_was_writing() -> None:
    retries = Retries(base_s=0.0)
    with Readings.connect(Contended(cancels=2), create=True, retries=retries) as store:
        store.put(Survey(survey_id="1"))
        gets = get_many([Survey.get(owner_id="o", survey_id="1")]).snapshot()
        assert ids(store.bind(gets).all()) == ["1"]
