"""Batches: cut to the limits, sent again until all is done, in order, each item once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from singletable import Engine
from singletable.backends.embedded import EmbeddedBackend
from singletable.errors import Throttled
from singletable.model.entity import Entity
from singletable.model.reads import get_many
from singletable.model.table import Table
from singletable.store.batches import chunks
from singletable.store.retries import Retries
from singletable.store.store import Store

table = Table("batches")


class Thing(Entity, table=table, pk="THING#{name}", sk="THING"):
    """Something small."""

    name: str
    size: int = 0


class Things(Store, table=table):
    """Has no patterns."""


class Stingy(EmbeddedBackend):
    """Does a few of a batch at a time, and at times nothing."""

    def __init__(self, does: list[int]) -> None:
        super().__init__(Engine(":memory:"), owned=True)
        self.does = does
        self.sizes: list[int] = []

    def call(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        """Answer one request, a batch in part."""
        if operation == "BatchGetItem":
            return self._get(request["RequestItems"][table.name])
        if operation == "BatchWriteItem":
            return self._write(request["RequestItems"][table.name])
        return super().call(operation, request)

    def _taken(self, number: int) -> int:
        self.sizes.append(number)
        return self.does.pop(0) if self.does else number

    def _get(self, wanted: dict[str, Any]) -> dict[str, Any]:
        keys = wanted["Keys"]
        taken = self._taken(len(keys))
        answer: dict[str, Any] = {"Responses": {}, "UnprocessedKeys": {}}
        if keys[:taken]:
            some = {table.name: {**wanted, "Keys": keys[:taken]}}
            answer |= super().call("BatchGetItem", {"RequestItems": some})
            answer["Responses"][table.name].reverse()  # no order is promised
        if keys[taken:]:
            answer["UnprocessedKeys"] = {table.name: {**wanted, "Keys": keys[taken:]}}
        return answer

    def _write(self, writes: list[Any]) -> dict[str, Any]:
        taken = self._taken(len(writes))
        if writes[:taken]:
            super().call("BatchWriteItem", {"RequestItems": {table.name: writes[:taken]}})
        left = {table.name: writes[taken:]}
        return {"UnprocessedItems": left if writes[taken:] else {}}


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses that were made, without waiting for them."""
    made: list[float] = []
    monkeypatch.setattr("singletable.store.drivers.time.sleep", made.append)
    return made


def opened(*does: int) -> Things:
    retries = Retries(attempts=4, base_s=1, cap_s=100, random=lambda: 1.0)
    return Things.connect(Stingy(list(does)), create=True, retries=retries)


def sizes(store: Things) -> list[int]:
    assert isinstance(store.backend, Stingy)
    return store.backend.sizes


def things(count: int) -> Iterator[Thing]:
    return (Thing(name=f"{at:03d}", size=at) for at in range(count))


def test_writes_go_out_in_25s_and_what_is_left_undone_again(pauses: list[float]) -> None:
    with opened(25, 10, 0, 0, 5) as store:
        told: list[tuple[int, int]] = []
        store.put_many(things(60), progress=lambda done, of: told.append((done, of)))
        assert sizes(store) == [25, 25, 15, 15, 15, 10, 10]
        assert pauses == [1, 2, 4, 1]
        assert told == [(25, 60), (50, 60), (60, 60)]
        assert store.bind(Thing.scan()).count() == 60


def test_the_last_write_of_an_item_stays(pauses: list[float]) -> None:
    with opened() as store:
        told: list[tuple[int, int]] = []
        many = [Thing(name="a", size=1), Thing(name="b"), Thing(name="a", size=2)]
        store.put_many(many, progress=lambda done, of: told.append((done, of)))
        assert store.bind(Thing.get(name="a")).one().size == 2
        assert sizes(store) == [2]
        assert told == [(2, 2)]
        store.put_many([])
        assert sizes(store) == [2]


def test_deletes_are_batches_too(pauses: list[float]) -> None:
    with opened() as store:
        store.put_many(things(30))
        store.delete_many(Thing.key(name=f"{at:03d}") for at in range(29))
        assert sizes(store) == [25, 5, 25, 4]
        assert [one.name for one in store.bind(Thing.scan()).all()] == ["029"]


def test_reads_are_in_order_whatever_is_left_undone(pauses: list[float]) -> None:
    with opened() as store:
        store.put_many(things(230))
        assert isinstance(store.backend, Stingy)
        store.backend.does = [40, 0, 0, 60, 100, 1]
        store.backend.sizes.clear()
        wanted = [f"{at * 7 % 230:03d}" for at in range(230)]
        found = store.bind(get_many(Thing.get(name=name) for name in [*wanted, wanted[0]])).all()
        assert [one.name for one in found] == [*wanted, wanted[0]]
        assert sizes(store) == [100, 60, 60, 60, 100, 30, 29]
        assert pauses == [1, 2, 4, 1]


HOPELESS: dict[str, Callable[[Things], Any]] = {
    "reads": lambda store: store.bind(get_many([Thing.get(name="a")])).all(),
    "writes": lambda store: store.put_many(things(1)),
}


@pytest.mark.parametrize("kind", HOPELESS)
def test_a_batch_that_gets_nowhere_is_given_up(pauses: list[float], kind: str) -> None:
    with opened(*[0] * 20) as store:
        with pytest.raises(Throttled, match="of a batch undone 4 times in a row"):
            HOPELESS[kind](store)
        assert pauses == [2, 4, 8]


def test_chunks_leave_nothing_out() -> None:
    assert list(chunks(range(5), 2)) == [[0, 1], [2, 3], [4]]
    assert list(chunks([], 2)) == []
