"""What is read is written back as the design has it, and the rest by a backfill."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from singletable import get_many
from singletable.backends.embedded import EmbeddedBackend
from singletable.errors import ProvisionedThroughputExceededException
from singletable.migrate.backfilling import Backfill, backfill, lazily, survey
from singletable.store.retries import Retries

from .backfills import Crm, First, User, Visit, fill


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "crm.db"
    Crm.connect(made).close()
    with First.connect(made) as store:
        fill(store, users=5, visits=4)
    return made


@pytest.fixture
def store(path: Path) -> Iterator[Crm]:
    with Crm.connect(path) as made:
        yield lazily(made)


def left(path: Path) -> int:
    return survey(Backfill(Crm, str(path))).left


def test_reads_count_down_and_a_backfill_does_the_rest(store: Crm, path: Path) -> None:
    assert left(path) == 9
    assert store.bind(User.get(user_id="u0")).one().first_name == "Ann0"
    assert left(path) == 8
    page = store.bind(Visit.query(user_id="u1")).page()
    assert [one.visit_id for one in page] == ["v1"]
    gets = [User.get(user_id="u1"), User.get(user_id="u2")]
    assert len(store.bind(get_many(gets)).all()) == 2
    assert left(path) == 5
    backfill(Backfill(Crm, str(path), folder=path.parent), executor=ThreadPoolExecutor(1))
    assert left(path) == 0


def test_a_second_read_writes_nothing(store: Crm) -> None:
    for _ in range(3):
        store.bind(User.get(user_id="u0")).one()
    assert store.backend.rewritten == 1  # type: ignore[attr-defined] # it is lazily's


def test_async_reads_write_back_too(store: Crm, path: Path) -> None:
    asyncio.run(store.bind(User.get(user_id="u0")).aone())
    assert left(path) == 8


def test_counts_and_projections_have_nothing_to_write_back(store: Crm, path: Path) -> None:
    assert store.bind(Visit.query(user_id="u1")).count() == 1
    assert left(path) == 9


def test_a_read_does_not_fail_where_the_rewrite_does(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Crm.connect(path, retries=Retries(attempts=1)) as inner:
        original = EmbeddedBackend.call

        def throttled(self: EmbeddedBackend, operation: str, request: dict[str, Any]) -> Any:
            if operation == "UpdateItem":
                raise ProvisionedThroughputExceededException("slow down")
            return original(self, operation, request)

        store = lazily(inner)
        monkeypatch.setattr(EmbeddedBackend, "call", throttled)
        assert store.bind(User.get(user_id="u0")).one().first_name == "Ann0"
        assert store.backend.failed == 1  # type: ignore[attr-defined] # it is lazily's


def test_a_read_does_not_fail_for_what_an_item_has_become_since(
    store: Crm, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = EmbeddedBackend.call

    def meddled(self: EmbeddedBackend, operation: str, request: dict[str, Any]) -> Any:
        if operation == "UpdateItem":  # its upgrade asks for a name
            nameless = {**request["Key"], "Type": {"S": "User"}, "user_id": {"S": "u0"}}
            original(self, "PutItem", {"TableName": "crm", "Item": nameless})
        return original(self, operation, request)

    monkeypatch.setattr(EmbeddedBackend, "call", meddled)
    assert store.bind(User.get(user_id="u0")).one().first_name == "Ann0"
    assert store.backend.failed == 1  # type: ignore[attr-defined] # it is lazily's


def test_other_tables_and_indexes_are_read_as_ever(store: Crm, path: Path) -> None:
    with First.connect(path, table_name="crm-copy") as copy:
        fill(copy, users=5, visits=4)
    assert len(store.send("Scan", {"TableName": "crm-copy"})["Items"]) == 9
    assert left(path) == 9
    with First.connect(path) as first:
        unknown = {"TableName": "crm", "IndexName": "GSI2"}
        assert lazily(first).send("Scan", unknown)["Items"] == []
