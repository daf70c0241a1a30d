"""How an index follows the stream: once, whatever is delivered how often, and in every kind."""

import random
from datetime import UTC, datetime, timedelta

import pytest

from singletable import UsageError
from singletable.streams import DeliveryFailed, Worker
from singletable.streams.search import Document, SearchIndex
from singletable.streams.search.keeping import FORGET_S
from tests.streams.search.library import (
    BOOKS,
    NOTES,
    Book,
    Kept,
    Library,
    Make,
    Note,
    Secret,
    batch_of,
    contents,
    follow,
    names,
    records_of,
)

ANN = {"user_id": "ann"}


def note(number: int, name: str = "dragon", **fields: object) -> Note:
    return Note(user_id="ann", note_id=str(number), name=name, **fields)  # type: ignore[arg-type] # any


def found(index: SearchIndex, text: str = "dragon") -> list[str]:
    return sorted(names(index.search(text, scope=ANN, entity=Note)))


def test_a_worker_keeps_it(index: SearchIndex, store: Library) -> None:
    store.put(note(1))
    store.put(Secret(user_id="ann", secret_id="1", name="dragon"))
    Worker(store, index).drain()
    assert found(index) == ["1"]
    store.put(note(1, "beast"))
    store.put(note(2))
    Worker(store, index).drain()
    assert found(index) == ["2"]
    store.delete(Note.key(user_id="ann", note_id="2"))
    Worker(store, index).drain()
    assert found(index) == []


def test_it_is_there_when_it_is_opened_again(make: Make, store: Library) -> None:
    store.put(note(1))
    first = make()
    follow(first, store)
    first.close()
    assert found(make()) == ["1"]


def test_what_no_longer_belongs_leaves_and_may_come_back(
    index: SearchIndex, store: Library
) -> None:
    for shelf, there in [("main", ["1"]), ("cellar", []), ("side", ["1"])]:
        store.put(note(1, shelf=shelf))
        follow(index, store)
        assert found(index) == there


def test_an_item_of_another_entity_in_the_same_place_takes_it(
    index: SearchIndex, store: Library
) -> None:
    store.put(Book(book_id="b", title="dragon"))
    follow(index, store)
    store.send(
        "PutItem",
        {
            "TableName": "library",
            "Item": {"PK": {"S": "BOOK#b"}, "SK": {"S": "BOOK"}, "Type": {"S": "Pamphlet"}},
        },
    )
    follow(index, store)
    assert not contents(index)


def test_what_is_over_is_not_found_before_dynamodb_deletes_it(make: Make, store: Library) -> None:
    begin = datetime(2026, 1, 1, tzinfo=UTC)
    now = [begin.timestamp()]
    index = make(clock=lambda: now[0])
    store.put(note(1, expires_at=begin + timedelta(hours=1)))
    store.put(note(2))
    follow(index, store)
    assert found(index) == ["1", "2"]
    now[0] += 7200
    assert found(index) == ["2"]


def test_every_record_may_come_twice_and_late(make: Make, store: Library) -> None:
    """Batches of single records, each twice, in order for an item but not across items."""
    chance = random.Random(5)  # noqa: S311 - no secret
    for turn in range(12):
        key = chance.randrange(4)
        if turn % 5 == 4:
            store.delete(Note.key(user_id="ann", note_id=str(key)))
        else:
            store.put(note(key, f"dragon {turn}"))
    records = records_of(store)
    index = make()
    for number, record in enumerate(records):
        index.deliver(batch_of([record]), Kept())
        index.deliver(batch_of(records[: number + 1]), Kept())
        index.deliver(batch_of([records[chance.randrange(number + 1)]]), Kept())
    once = contents(index)
    index.rebuild(store)
    assert contents(index) == once


def test_a_late_change_brings_back_nothing_that_was_deleted(
    index: SearchIndex, store: Library
) -> None:
    store.put(note(1))
    store.delete(Note.key(user_id="ann", note_id="1"))
    created, deleted = records_of(store)
    for batch in ([created], [deleted], [created], [created, deleted], [created]):
        index.deliver(batch_of(batch), Kept())
    assert found(index) == []


def test_what_is_gone_is_forgotten_when_the_stream_has_forgotten_it(
    make: Make, store: Library
) -> None:
    now = [1e9]
    index = make(clock=lambda: now[0])
    store.put(note(1))
    store.delete(Note.key(user_id="ann", note_id="1"))
    follow(index, store)
    (name,) = [NOTES.id_of(record.keys) for record in records_of(store)[:1]]
    now[0] += FORGET_S - 60
    store.put(note(2))
    follow(index, store)
    assert name in index.keeper.places([name])
    now[0] += 3700
    store.put(note(3))
    follow(index, store)
    assert name not in index.keeper.places([name])


def test_a_table_that_is_made_anew_is_followed(make: Make) -> None:
    """Its stream is a later one, and its positions begin anew."""
    index = make()
    with Library.connect(":memory:") as before:
        for text in ("one", "two", "three"):
            before.put(note(1, f"dragon {text}"))
        index.deliver(batch_of(records_of(before), "2026-01-01/shard"), Kept())
    with Library.connect(":memory:") as after:
        after.put(note(1, "dragon anew"))
        index.deliver(batch_of(records_of(after), "2026-01-02/shard"), Kept())
    assert found(index, "anew") == ["1"]


def _break(store: Library, number: int) -> None:
    item = {"PK": {"S": "USER#ann"}, "SK": {"S": f"NOTE#{number}"}, "Type": {"S": "Note"}}
    store.send("PutItem", {"TableName": "library", "Item": item | {"stars": {"S": "many"}}})


def test_a_broken_item_is_put_aside_and_has_no_document(index: SearchIndex, store: Library) -> None:
    store.put(note(1))
    follow(index, store)
    _break(store, 1)
    store.put(note(2))
    kept = Kept()
    follow(index, store, kept)
    ((change, label, error),) = kept.aside
    assert (change.key, label) == (Note.key(user_id="ann", note_id="1"), "search")
    assert "stars" in str(error)
    assert found(index) == ["2"]


def test_where_a_delivery_ends_what_came_before_is_applied(
    index: SearchIndex, store: Library
) -> None:
    store.put(note(1))
    _break(store, 2)
    store.put(note(3))
    with pytest.raises(DeliveryFailed):
        follow(index, store, Kept(strict=True))
    assert found(index) == ["1"]


def test_a_stream_without_images_is_refused(index: SearchIndex, store: Library) -> None:
    store.put(note(1))
    (record,) = records_of(store)
    blind = type(record)(record.event, record.sequence_number, record.at, record.keys)
    with pytest.raises(UsageError, match="NEW_AND_OLD_IMAGES"):
        index.deliver(batch_of([blind]), Kept())


def test_documents_that_are_declared_otherwise_need_a_rebuild(make: Make, store: Library) -> None:
    store.put(note(1))
    follow(make(), store)
    other = Document(Note, text=["shout"], scope="user_id")
    index = make(other, BOOKS)
    with pytest.raises(UsageError, match=r"declared otherwise: make it anew with rebuild\(store\)"):
        found(index)
    store.put(note(2))
    with pytest.raises(UsageError, match="declared otherwise"):
        follow(index, store)
    index.rebuild(store)
    assert found(index) == ["1", "2"]
    with pytest.raises(UsageError, match="declared otherwise"):
        follow(make(), store)
    assert index.search("dragon", scope=ANN, entity=Note)[0].highlights == {
        "shout": "<mark>DRAGON</mark>"
    }
