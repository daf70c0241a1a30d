"""Upserts by key change an item or begin it, in one request wherever that can be right."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from singletable import (
    Attribute,
    ConditionFailed,
    Entity,
    F,
    Index,
    Large,
    Store,
    Table,
    Unique,
    UniqueViolation,
    UnknownKeyParts,
    UsageError,
    add,
    append,
    count_of,
    created,
    expires,
    sequence,
    updated,
    upgrade,
    version,
)
from singletable.store.observing.events import RequestEvent
from tests.store.bench import NOW

table = Table("ensured", indexes=["GSI1"])


class Day(Entity, table=table, pk="PAGE#{page}", sk="DAY#{day}"):
    """Counts by day."""

    page: str
    day: str
    hits: int = 0
    label: str = "none"
    created_at: datetime = created()
    updated_at: datetime = updated()
    version: int = version()


class Stats(BaseModel):
    """A map."""

    reads: int = 0


class Job(Entity, table=table, pk="JOB#{job}", sk="JOB"):
    """Found by its state, for which it has a default."""

    by_state = Index("GSI1", pk="STATE#{state}", sk="{created_at}#{job}", when={"open": True})

    job: str
    state: Literal["NEW", "DONE"] = "NEW"
    open: bool = True
    tries: int = 0
    stats: Stats = Stats()
    created_at: datetime = created()


class Visit(Entity, table=table, pk="VISIT#{who}", sk="VISIT"):
    """Found by when it was; the time is always known."""

    latest = Index("GSI1", pk="VISITS", sk="{at}#{who}")

    who: str
    count: int = 0
    at: datetime = updated()


class Limit(Entity, table=table, pk="LIMIT#{who}", sk="LIMIT"):
    """Counts within an hour."""

    who: str
    hits: int = 0
    note: str | None = None
    until: datetime = expires(hours=1)


class Named(Entity, table=table, pk="NAMED#{id}", sk="NAMED"):
    """Has a name of its own, a number, and a required field."""

    id: str
    name: Annotated[str, Unique()]
    number: int = sequence("NAMES")
    size: int


class Shelf(Entity, table=table, pk="SHELF#{shelf}", sk="SHELF"):
    """Counts its books."""

    shelf: str
    books: int = count_of("Book")
    text: Large[str] | None = None


class Book(Entity, table=table, pk="SHELF#{shelf}", sk="BOOK#{book}"):
    """Counted."""

    shelf: str
    book: str
    title: str = ""


class Tagged(Entity, table=table, pk="TAGGED#{id}", sk="TAGGED"):
    """Has a set that is not empty by default."""

    id: str
    tags: set[str] = Field(default={"new"})
    marks: set[str] = Field(default_factory=lambda: {"m"})
    size: int = 0


class Renamed(Entity, table=table, pk="RENAMED#{id}", sk="RENAMED"):
    """Has an attribute that had another name."""

    id: str
    title: Annotated[str, Attribute("title", "heading")] = ""
    size: int = 0


class Grown(Entity, table=table, pk="GROWN#{id}", sk="GROWN", schema=2):
    """Had its size in another unit."""

    id: str
    metres: int = 0
    seen: int = 0

    @upgrade(1)
    def _metres(values: dict[str, Any]) -> dict[str, Any]:  # noqa: N805 - it is no method
        values["metres"] = values.pop("centimetres", 0) // 100
        return values


class Ensured(Store, table=table):
    """No patterns: what is written is read by key."""

    now = NOW


@pytest.fixture
def events() -> list[RequestEvent]:
    return []


@pytest.fixture
def store(events: list[RequestEvent]) -> Iterator[Ensured]:
    made: Ensured
    made = Ensured.connect(":memory:", observers=[events.append], clock=lambda: made.now)
    events.clear()
    with made:
        yield made


def operations(events: list[RequestEvent]) -> list[str]:
    sent = [event.operation for event in events]
    events.clear()
    return sent


DAY = Day.key(page="p", day="d")
JOB = Job.key(job="j")
LIMIT = Limit.key(who="w")


def test_a_counter_begins_at_nought_and_counts_on_in_one_request_each(
    store: Ensured, events: list[RequestEvent]
) -> None:
    first = store.upsert(DAY, hits=add(1))
    assert (first.hits, first.label, first.created_at, first.version) == (1, "none", NOW, 1)
    store.now += timedelta(minutes=1)
    second = store.upsert(DAY, {"hits": add(2)}, label="busy")
    assert (second.hits, second.label, second.version) == (3, "busy", 2)
    assert (second.created_at, second.updated_at) == (NOW, store.now)
    assert operations(events) == ["UpdateItem"] * 2


def test_what_it_begins_is_what_a_put_writes(store: Ensured) -> None:
    made = store.upsert(DAY, hits=1)
    upserted = store.bind(Day.get(page="p", day="d")).one()
    store.delete(DAY)
    put = store.put(Day(page="p", day="d", hits=1, created_at=NOW))
    assert made == upserted == put
    assert store.bind(Day.query(page="p")).all() == [put]


def test_it_begins_without_any_change(store: Ensured) -> None:
    assert store.upsert(DAY).hits == 0
    store.update(DAY, hits=7)
    assert store.upsert(DAY).hits == 7
    assert store.upsert(JOB).tries == 0
    store.update(JOB, tries=2)
    assert store.upsert(JOB).tries == 2


def test_an_index_key_that_is_known_goes_into_the_one_request(
    store: Ensured, events: list[RequestEvent]
) -> None:
    store.upsert(Visit.key(who="a"), count=add(1))
    store.now += timedelta(minutes=1)
    store.upsert(Visit.key(who="b"), count=add(1))
    store.now += timedelta(minutes=1)
    store.upsert(Visit.key(who="a"), count=add(1))
    assert operations(events) == ["UpdateItem"] * 3
    assert [(one.who, one.count) for one in store.bind(Visit.latest.query())] == [
        ("b", 1),
        ("a", 2),
    ]


def test_an_index_key_that_hangs_on_what_is_there_is_right_too(
    store: Ensured, events: list[RequestEvent]
) -> None:
    store.upsert(JOB, tries=add(1))
    assert operations(events) == ["GetItem", "PutItem"]
    store.edit(JOB, _done)
    events.clear()
    store.upsert(JOB, tries=add(1))
    assert operations(events) == ["GetItem", "UpdateItem"]
    (done,) = store.bind(Job.by_state.query(state="DONE"))
    assert (done.tries, done.state) == (2, "DONE")
    store.upsert(JOB, open=False)
    assert store.bind(Job.by_state.query(state="DONE")).all() == []
    assert store.upsert(JOB, tries=add(1)).tries == 3
    assert store.bind(Job.by_state.query(state="DONE")).all() == []


def _done(job: Job) -> Job:
    return job.model_copy(update={"state": "DONE"})


def test_a_path_into_a_map_changes_the_default_where_there_is_none(store: Ensured) -> None:
    assert store.upsert(JOB, {"stats.reads": add(1)}).stats.reads == 1
    assert store.upsert(JOB, {"stats.reads": add(1)}).stats.reads == 2


def test_a_value_that_cannot_be_known_before_is_refused_in_a_key(store: Ensured) -> None:
    class Ranked(Entity, table=table, pk="RANKED#{id}", sk="RANKED"):
        by_score = Index("GSI1", pk="RANKED", sk="{score:05d}")
        id: str
        score: int = 0

    store.upsert(Ranked.key(id="1"), score=3)
    with pytest.raises(UnknownKeyParts, match=r"made from score, .* cannot be known before"):
        store.upsert(Ranked.key(id="1"), score=add(1))


def test_a_condition_is_asked_of_an_item_that_is_there(store: Ensured) -> None:
    allowed = F("hits") < 2
    for hits in (1, 2):
        assert store.upsert(LIMIT, hits=add(1), only_if=allowed).hits == hits
    with pytest.raises(ConditionFailed, match="upsert Limit"):
        store.upsert(LIMIT, hits=add(1), only_if=allowed)
    store.upsert(JOB, only_if=F("tries") == 7)
    with pytest.raises(ConditionFailed):
        store.upsert(JOB, tries=1, only_if=F("tries") == 7)


def test_an_entity_can_have_a_condition_too(store: Ensured) -> None:
    day = Day(page="p", day="d", hits=1)
    store.upsert(day, only_if=F("hits") == 0)
    with pytest.raises(ConditionFailed):
        store.upsert(day, only_if=F("hits") == 0)
    with pytest.raises(UsageError, match="upsert Day: an entity has all its values"):
        store.upsert(day, hits=2)


def test_what_has_expired_is_begun_anew(store: Ensured, events: list[RequestEvent]) -> None:
    store.upsert(LIMIT, hits=add(5), note="old")
    store.now += timedelta(hours=2)
    events.clear()
    again = store.upsert(LIMIT, hits=add(1))
    assert (again.hits, again.note) == (1, None)
    assert operations(events) == ["UpdateItem", "GetItem", "PutItem"]
    assert store.upsert(LIMIT, hits=add(1)).hits == 2


def test_a_field_without_default_has_to_be_given(store: Ensured) -> None:
    with pytest.raises(UsageError, match=r"upsert Named\(id='1'\): size has no default"):
        store.upsert(Named.key(id="1"), name="ann")


def test_what_is_unique_counted_and_numbered_is_kept_so(store: Ensured) -> None:
    one = store.upsert(Named.key(id="1"), name="ann", size=1)
    two = store.upsert(Named.key(id="2"), name="ben", size=1)
    again = store.upsert(Named.key(id="1"), name="ann", size=add(1))
    assert (one.number, two.number, again.number, again.size) == (1, 2, 1, 2)
    with pytest.raises(UniqueViolation):
        store.upsert(Named.key(id="2"), name="ann", size=1)
    store.upsert(Shelf.key(shelf="s"))
    store.upsert(Book.key(shelf="s", book="b"), title="x")
    store.upsert(Book.key(shelf="s", book="b"), title="y")
    assert store.upsert(Shelf.key(shelf="s")).books == 1


def test_large_content_is_stored_and_replaced(store: Ensured) -> None:
    for text in ("a" * 5000, "b" * 5000):
        shelf = store.upsert(Shelf.key(shelf="s"), text=text)
        assert shelf.text is not None
        assert store.load(shelf.text) == text
    assert store.sweep(timedelta(0), dry_run=True).parts == 0


def test_a_set_that_was_emptied_does_not_get_its_default_back(store: Ensured) -> None:
    key = Tagged.key(id="1")
    assert store.upsert(key, size=1).tags == {"new"}
    store.update(key, tags=set())
    assert store.upsert(key, size=2).tags == set()


def test_an_attribute_of_an_older_name_is_not_shadowed(store: Ensured) -> None:
    item = {"PK": {"S": "RENAMED#1"}, "SK": {"S": "RENAMED"}, "id": {"S": "1"}}
    item |= {"heading": {"S": "old"}, "Type": {"S": "Renamed"}}
    store.backend.call("PutItem", {"TableName": "ensured", "Item": item})
    assert store.upsert(Renamed.key(id="1"), size=1).title == "old"


def test_an_item_of_an_older_schema_is_upgraded_first(store: Ensured) -> None:
    item = {"PK": {"S": "GROWN#1"}, "SK": {"S": "GROWN"}, "id": {"S": "1"}}
    item |= {"centimetres": {"N": "500"}, "Type": {"S": "Grown"}}
    store.backend.call("PutItem", {"TableName": "ensured", "Item": item})
    made = store.upsert(Grown.key(id="1"), seen=add(1))
    assert (made.metres, made.seen) == (5, 1)
    assert store.bind(Grown.get(id="1")).one() == made
    assert store.upsert(Grown.key(id="2"), seen=add(1)).metres == 0


def test_an_item_of_a_newer_schema_stays_as_it_is(store: Ensured) -> None:
    item = {"PK": {"S": "GROWN#1"}, "SK": {"S": "GROWN"}, "id": {"S": "1"}}
    item |= {"SchemaVersion": {"N": "3"}, "Type": {"S": "Grown"}}
    store.backend.call("PutItem", {"TableName": "ensured", "Item": item})
    with pytest.raises(ConditionFailed, match="schema 3 is newer than the 2"):
        store.upsert(Grown.key(id="1"), seen=add(1))
    assert store.backend.call("Scan", {"TableName": "ensured"})["Items"] == [item]


def test_wrong_values_are_refused(store: Ensured) -> None:
    with pytest.raises(UsageError, match=r"Day\.hits cannot be 'many'"):
        store.upsert(DAY, hits="many")
    with pytest.raises(UsageError, match=r"Day\.label cannot be changed by .* not a list"):
        store.upsert(DAY, label=append(["x"]))
    with pytest.raises(UsageError, match=r"Day\.page is part of the key"):
        store.upsert(DAY, page="q")


def test_two_that_begin_at_once_are_one(store: Ensured) -> None:
    """The second finds that the first was faster, and counts on."""
    reads = 0
    call = store.backend.call

    def meanwhile(operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        nonlocal reads
        answer = call(operation, request)
        if operation == "GetItem" and not reads:
            reads += 1
            store.upsert(JOB, tries=add(1))
        return answer

    store.backend.call = meanwhile  # type: ignore[method-assign]  # to write in between
    assert store.upsert(JOB, tries=add(1)).tries == 2


def test_a_transaction_does_it_and_so_does_async(store: Ensured) -> None:
    with store.transaction() as tx:
        tx.upsert(DAY, hits=add(1))
        tx.upsert(JOB, {"stats.reads": add(1)}, tries=1)
        tx.upsert(Day(page="q", day="d"))
    with store.transaction() as tx:
        tx.upsert(DAY, {"hits": add(1)}, only_if=F("hits") == 1)
        tx.upsert(LIMIT, hits=add(1))
    store.now += timedelta(hours=2)
    with store.transaction() as tx:
        tx.upsert(LIMIT, hits=add(1))
    assert store.upsert(LIMIT).hits == 1
    assert store.upsert(DAY).hits == 2
    assert asyncio.run(store.aupsert(DAY, hits=add(1))).hits == 3
