"""What is written to an item of an older schema is not lost by its upgrade."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

import pytest

from singletable import (
    ConditionFailed,
    Entity,
    F,
    Index,
    NotFound,
    Store,
    Table,
    add,
    count_of,
    updated,
    upgrade,
    version,
)
from singletable.store.observing.events import RequestEvent
from tests.store.bench import NOW

table = Table("upgraded", indexes=["GSI1"])


class Person(Entity, table=table, pk="PERSON#{id}", sk="PERSON", schema=3):
    """Had one name, then two, and then a birthday that was an age before."""

    by_last = Index("GSI1", pk="LAST#{last}", sk="{first}")

    id: str
    first: str = ""
    last: str = ""
    born: int = 0
    visits: int = 0
    friends: int = count_of("Friend")
    version: int = version()
    updated_at: datetime = updated()

    @upgrade(1)
    def _names(values: dict[str, Any]) -> dict[str, Any]:  # noqa: N805 - it is no method
        values["first"], values["last"] = values.pop("name").split()
        return values

    @upgrade(2)
    def _born(values: dict[str, Any]) -> dict[str, Any]:  # noqa: N805 - it is no method
        values["born"] = 2026 - values.pop("age", 0)
        return values


class Friend(Entity, table=table, pk="PERSON#{id}", sk="FRIEND#{friend}"):
    """Counted."""

    id: str
    friend: str


class Plain(Entity, table=table, pk="PLAIN#{id}", sk="PLAIN", schema=2):
    """Has no version: an edit watches its attributes."""

    id: str
    size: int = 0
    note: str = ""

    @upgrade(1)
    def _size(values: dict[str, Any]) -> dict[str, Any]:  # noqa: N805 - it is no method
        values["size"] = values.pop("length") * 2
        return values


class Stamped(Entity, table=table, pk="STAMPED#{id}", sk="STAMPED", schema=2):
    """Got a field more, and needs no upgrade."""

    id: str
    size: int = 0


class People(Store, table=table):
    """No patterns: items are read by key."""


KEY = Person.key(id="1")
OLD = {
    "PK": {"S": "PERSON#1"},
    "SK": {"S": "PERSON"},
    "Type": {"S": "Person"},
    "id": {"S": "1"},
    "name": {"S": "Ann Lee"},
    "age": {"N": "26"},
    "visits": {"N": "7"},
    "foreign": {"S": "x"},
    "friends": {"N": "2"},
    "version": {"N": "4"},
    "updated_at": {"S": "2020-01-01T00:00:00.000000Z"},
}


def put(store: People, item: dict[str, Any]) -> None:
    """Write an item past the store."""
    store.backend.call("PutItem", {"TableName": "upgraded", "Item": item})


def raw(store: People, key: Any = KEY) -> dict[str, Any]:
    """Read an item as it is stored."""
    request = {"TableName": "upgraded", "Key": key.item_key}
    item: dict[str, Any] = store.backend.call("GetItem", request)["Item"]
    return item


@pytest.fixture
def events() -> list[RequestEvent]:
    return []


@pytest.fixture
def store(events: list[RequestEvent]) -> Iterator[People]:
    """A store with an item of the first schema."""
    with People.connect(":memory:", observers=[events.append], clock=lambda: NOW) as made:
        put(made, OLD)
        events.clear()
        yield made


def test_an_update_upgrades_first(store: People, events: list[RequestEvent]) -> None:
    made = store.update(KEY, first="Anna", last="Lee", visits=add(1))
    assert [event.operation for event in events] == [
        "UpdateItem",
        "GetItem",
        "GetItem",
        "UpdateItem",
        "GetItem",
        "UpdateItem",
    ]
    assert (made.first, made.last, made.born, made.visits) == ("Anna", "Lee", 2000, 8)
    assert store.bind(Person.get(id="1")).one() == made
    item = raw(store)
    assert {"name", "age"}.isdisjoint(item)
    assert (item["foreign"], item["SchemaVersion"]) == ({"S": "x"}, {"N": "3"})
    assert (made.version, made.friends) == (5, 2)
    assert [one.id for one in store.bind(Person.by_last.query(last="Lee"))] == ["1"]


def test_an_update_of_a_current_item_is_one_request(
    store: People, events: list[RequestEvent]
) -> None:
    store.put(Person(id="2", first="B", last="B"))
    events.clear()
    store.update(Person.key(id="2"), visits=add(1))
    assert [event.operation for event in events] == ["UpdateItem"]


def test_an_item_of_a_newer_schema_is_left_to_those_who_know_it(store: People) -> None:
    put(store, newer := {**OLD, "SchemaVersion": {"N": "4"}})
    writes: list[Callable[[], object]] = [
        lambda: store.update(KEY, visits=add(1)),
        lambda: store.update(Person(id="1", last="Lee", version=4), visits=8),
        lambda: store.upsert(KEY, visits=add(1)),
        lambda: store.upsert(Person(id="1", first="Ann", last="Lee")),
        lambda: store.edit(KEY, lambda person: person.model_copy(update={"visits": 8})),
    ]
    for write in writes:
        with pytest.raises(ConditionFailed, match=r"schema 4 is newer than the 3 .*release"):
            write()
    assert raw(store) == newer


def test_a_schema_without_upgrades_knows_those_before_it(store: People) -> None:
    item = {**Stamped.key(id="1").item_key, "id": {"S": "1"}, "Type": {"S": "Stamped"}}
    put(store, item)
    assert store.update(Stamped.key(id="1"), size=1).size == 1
    put(store, {**item, "SchemaVersion": {"N": "3"}})
    with pytest.raises(ConditionFailed, match="schema 3 is newer than the 2"):
        store.update(Stamped.key(id="1"), size=2)
    with pytest.raises(NotFound):
        store.update(Stamped.key(id="2"), size=2)


def test_an_entity_that_was_read_can_be_updated(store: People) -> None:
    person = store.bind(Person.get(id="1")).one()
    made = store.update(person, first="Anna")
    assert (made.first, made.last, made.version) == ("Anna", "Lee", 5)


def test_a_transaction_upgrades_first_too(store: People) -> None:
    with store.transaction() as tx:
        tx.update(KEY, visits=add(1))
        tx.create(Plain(id="p"))
    assert store.bind(Person.get(id="1")).one().visits == 8
    assert "name" not in raw(store)


def test_a_condition_is_asked_of_the_upgraded_item(store: People) -> None:
    assert store.update(KEY, visits=add(1), only_if=F("born") == 2000).visits == 8


def test_nothing_is_upgraded_where_nothing_is(store: People) -> None:
    with pytest.raises(NotFound):
        store.update(Person.key(id="9"), visits=1)


def test_an_edit_removes_what_the_upgrade_used_up(store: People) -> None:
    made = store.edit(KEY, lambda one: one.model_copy(update={"first": "Anna"}))
    assert (made.first, made.last, made.visits) == ("Anna", "Lee", 7)
    assert store.bind(Person.get(id="1")).one() == made
    assert {"name", "age"}.isdisjoint(raw(store))
    assert raw(store)["foreign"] == {"S": "x"}


def test_an_edit_watches_what_the_upgrade_uses_up(store: People) -> None:
    old = {"PK": {"S": "PLAIN#1"}, "SK": {"S": "PLAIN"}, "Type": {"S": "Plain"}, "id": {"S": "1"}}
    put(store, {**old, "length": {"N": "1"}})
    times = 0

    def change(one: Plain) -> Plain:
        nonlocal times
        times += 1
        if times == 1:
            put(store, {**old, "length": {"N": "5"}})
        return one.model_copy(update={"note": "seen"})

    made = store.edit(Plain.key(id="1"), change)
    assert (made.size, made.note, times) == (10, "seen", 2)
    assert "length" not in raw(store, Plain.key(id="1"))


def test_somebody_else_may_write_while_it_is_upgraded(store: People) -> None:
    call = store.backend.call
    sent: list[str] = []

    def meanwhile(operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        sent.append(operation)
        if sent == ["UpdateItem", "GetItem", "GetItem", "UpdateItem"]:
            call("PutItem", {"TableName": "upgraded", "Item": {**OLD, "visits": {"N": "20"}}})
        return call(operation, request)

    store.backend.call = meanwhile  # type: ignore[method-assign]  # to write in between
    assert store.update(KEY, visits=add(1)).visits == 21


def test_whoever_changes_nothing_upgrades_nothing(store: People) -> None:
    assert store.edit(KEY, lambda _: None).first == "Ann"
    assert raw(store) == OLD


class Poster(Entity, table=table, pk="POSTER#{id}#{copy}", sk="POSTER", schema=2, copies=2):
    """There are two of it."""

    id: str
    title: str = ""

    @upgrade(1)
    def _title(values: dict[str, Any]) -> dict[str, Any]:  # noqa: N805 - it is no method
        values["title"] = values.pop("heading")
        return values


def test_all_copies_of_an_item_are_upgraded(store: People) -> None:
    schema = Poster.__schema__
    for key in (schema.item_key({"id": "1"}, copy) for copy in range(2)):
        put(store, {**key, "Type": {"S": "Poster"}, "id": {"S": "1"}, "heading": {"S": "x"}})
    store.edit(Poster.key(id="1"), lambda poster: poster.model_copy(update={"title": "y"}))
    assert [one.title for one in store.bind(Poster.scan()).all()] == ["y"]
    posters = store.send("Scan", {"TableName": "upgraded"})["Items"]
    marks = [one["SchemaVersion"]["N"] for one in posters if one["Type"] == {"S": "Poster"}]
    assert marks == ["2", "2"]
