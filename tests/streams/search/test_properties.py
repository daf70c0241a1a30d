"""What holds whatever is written, delivered and asked."""

from dataclasses import dataclass
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from singletable.streams.records import Record
from singletable.streams.search import SearchIndex, between
from tests.streams.search.library import (
    BOOKS,
    NOTES,
    Delayed,
    Kept,
    Library,
    Note,
    batch_of,
    contents,
    names,
    records_of,
)

WORDS = st.sampled_from(["dragon", "ale", "gold", "Café", "x", "OR", "realm", "*", '"', ""])
TEXTS = st.one_of(
    st.lists(WORDS, max_size=4).map(" ".join),
    st.text(max_size=12),
    st.text('"* :()^-{}', max_size=9),
)
USERS = st.sampled_from(["a", "ab", 'a"', "a b", "a'", "A", '["a"]', "1"])


@dataclass(frozen=True)
class Write:
    """Something done to one of a few notes."""

    user: str
    number: int
    name: str
    kind: str


WRITES = st.builds(
    Write,
    st.sampled_from(["a", "b"]),
    st.integers(0, 2),
    TEXTS,
    st.sampled_from(["main", "main", "main", "cellar", "delete", "break"]),
)


def carry_out(store: Library, write: Write) -> None:
    key = {"user_id": write.user, "note_id": str(write.number)}
    if write.kind == "delete":
        store.delete(Note.key(**key))
    elif write.kind == "break":
        item = {**Note.key(**key).item_key, "Type": {"S": "Note"}}
        store.send("PutItem", {"TableName": "library", "Item": item})
    else:
        store.put(
            Note(user_id=write.user, note_id=key["note_id"], name=write.name, shelf=write.kind)
        )


@given(
    notes=st.lists(st.tuples(USERS, TEXTS, TEXTS), min_size=1, max_size=8),
    asker=USERS,
    text=TEXTS,
    filters=st.fixed_dictionaries(
        {},
        optional={
            "status": st.lists(st.text(max_size=3), max_size=2),
            "stars": st.just(between(None, None)),
            "tags": TEXTS,
        },
    ),
)
def test_no_search_gives_anything_of_another_user(
    notes: list[tuple[str, str, str]], asker: str, text: str, filters: dict[str, Any]
) -> None:
    with Library.connect(":memory:") as store, SearchIndex(":memory:", NOTES, BOOKS) as index:
        for number, (user, name, words) in enumerate(notes):
            store.put(Note(user_id=user, note_id=str(number), name=name, text=f"dragon {words}"))
        index.deliver(batch_of(records_of(store)), Kept())
        for asked in (text, f"dragon {text}", "dragon"):
            page = index.search(asked, scope={"user_id": asker}, entity=Note, limit=3, **filters)
            assert {hit.key.fields["user_id"] for hit in page} <= {asker}
            assert {note.user_id for note in index.fetch(store, page)} <= {asker}
        own = {str(number) for number, (user, *_) in enumerate(notes) if user == asker}
        assert set(names(index.search("dragon", scope={"user_id": asker}, entity=Note))) == own


@given(
    writes=st.lists(WRITES, min_size=1, max_size=20),
    cuts=st.lists(st.integers(1, 4), min_size=1),
    again=st.lists(st.tuples(st.integers(0, 19), st.integers(0, 19)), max_size=6),
    shard=st.sampled_from([None, "2026/shard"]),
)
def test_whatever_is_delivered_however_often_it_equals_a_rebuild(
    writes: list[Write], cuts: list[int], again: list[tuple[int, int]], shard: str | None
) -> None:
    with Library.connect(":memory:") as store, SearchIndex(":memory:", NOTES, BOOKS) as index:
        for write in writes:
            carry_out(store, write)
        records = records_of(store)
        for part in _cut(records, cuts):
            index.deliver(batch_of(part, shard), Kept())
            end = records.index(part[-1]) + 1
            for first, length in again:  # whatever came before, once more
                index.deliver(batch_of(records[:end][first : first + length], shard), Kept())
        followed = contents(index)
        index.rebuild(store)
        assert contents(index) == followed
        assert index.verify(store, settle_s=0).is_right


@given(
    before=st.lists(WRITES, max_size=8),
    during=st.lists(st.lists(WRITES, max_size=4), min_size=1, max_size=4),
    behind=st.integers(0, 6),
)
def test_a_rebuild_while_writes_go_on_ends_where_the_table_is(
    before: list[Write], during: list[list[Write]], behind: int
) -> None:
    """The stream is followed with so many records of delay, at every step of the rebuild."""
    with Library.connect(":memory:") as store, SearchIndex(":memory:", NOTES, BOOKS) as index:
        steps = iter(during)
        delivered = 0

        def go_on(*_: object) -> None:
            nonlocal delivered
            for write in next(steps, ()):
                carry_out(store, write)
            records = records_of(store)
            end = max(delivered, len(records) - behind)
            index.deliver(batch_of(records[max(0, delivered - 1) : end]), Kept())
            delivered = end

        for write in before:
            carry_out(store, write)
        go_on()
        index.keeper = Delayed(index.keeper, go_on)
        index.rebuild(store, segments=2, progress=go_on)
        index.deliver(batch_of(records_of(store)[delivered:]), Kept())
        assert index.verify(store, settle_s=0).is_right


def _cut(records: list[Record], cuts: list[int]) -> list[list[Record]]:
    parts, at, turn = [], 0, 0
    while at < len(records):
        size = cuts[turn % len(cuts)]
        parts.append(records[at : at + size])
        at, turn = at + size, turn + 1
    return parts
