"""Writes of many entities: in batches where no rule is at stake, one by one where one is."""

from __future__ import annotations

from typing import Annotated

import pytest

from singletable import (
    ConditionFailed,
    Entity,
    Query,
    Store,
    Table,
    Unique,
    UniqueViolation,
    count_of,
    pattern,
)
from singletable.store.observing.events import RequestEvent

table = Table("bulk")


class Folder(Entity, table=table, pk="FOLDER#{folder_id}", sk="FOLDER"):
    """Counts its pages."""

    folder_id: str
    page_count: int = count_of("Leaf")


class Leaf(Entity, table=table, pk="FOLDER#{folder_id}", sk="LEAF#{number:05d}"):
    """Counted."""

    folder_id: str
    number: int


class Plain(Entity, table=table, pk="PLAIN", sk="PLAIN#{number:05d}"):
    """Has no rules."""

    number: int
    text: str = ""


class Named(Entity, table=table, pk="NAMED#{number}", sk="NAMED"):
    """Has a name of its own."""

    number: int
    name: Annotated[str, Unique()]


class Bulk(Store, table=table):
    """Reads what was written."""

    @pattern()
    def plains(self) -> Query[Plain]:
        """Every plain one."""
        return Plain.query()


@pytest.fixture
def events() -> list[RequestEvent]:
    return []


@pytest.fixture
def store(events: list[RequestEvent]) -> Bulk:
    made = Bulk.connect(":memory:", observers=[events.append])
    events.clear()
    return made


def test_batches_are_cut_to_25_and_told_of(store: Bulk, events: list[RequestEvent]) -> None:
    told: list[tuple[int, int]] = []
    many = [Plain(number=number) for number in range(60)]
    store.put_many(many, progress=lambda done, total: told.append((done, total)))
    assert [event.items for event in events] == [25, 25, 10]
    assert told == [(25, 60), (50, 60), (60, 60)]
    assert store.plains().all() == many


def test_the_last_of_two_writes_of_one_item_stays(store: Bulk) -> None:
    store.put_many([Plain(number=1, text="a"), Plain(number=2), Plain(number=1, text="b")])
    assert [(one.number, one.text) for one in store.plains()] == [(1, "b"), (2, "")]


def test_deletes_go_in_batches_too(store: Bulk, events: list[RequestEvent]) -> None:
    many = [Plain(number=number) for number in range(30)]
    store.put_many(many)
    events.clear()
    store.delete_many([*many[:20], *(Plain.key(number=number) for number in range(20, 30))])
    assert [event.operation for event in events] == ["BatchWriteItem"] * 2
    assert store.plains().all() == []


def test_what_is_counted_is_counted(store: Bulk) -> None:
    store.create(Folder(folder_id="f"))
    store.put_many(Leaf(folder_id="f", number=number) for number in range(7))
    store.delete_many([Leaf.key(folder_id="f", number=3)])
    assert store.bind(Folder.get(folder_id="f")).one().page_count == 6


def test_children_go_before_the_parents_that_count_them(store: Bulk) -> None:
    leaves = [Leaf(folder_id="f", number=number) for number in range(3)]
    store.create(Folder(folder_id="f"))
    store.put_many(leaves)
    with pytest.raises(ConditionFailed, match="page_count is 1"):
        store.delete_many([Folder.key(folder_id="f"), *leaves[:2]])
    store.delete_many([Folder.key(folder_id="f"), leaves[2]])
    assert store.bind(Folder.scan()).all() == []


def test_orphans_stay_behind_if_told_to(store: Bulk) -> None:
    store.create(Folder(folder_id="f"))
    store.put(Leaf(folder_id="f", number=1))
    store.delete_many([Folder.key(folder_id="f")], orphans=True)
    assert store.bind(Folder.scan()).all() == []
    assert store.bind(Leaf.scan()).count() == 1


def test_what_is_unique_stays_unique(store: Bulk) -> None:
    with pytest.raises(UniqueViolation, match="'x'"):
        store.put_many([Named(number=1, name="x"), Named(number=2, name="x")])
    assert [one.number for one in store.bind(Named.scan()).all()] == [1]
