"""An index made anew while writes go on, compared with the table, and put right."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from singletable import OutOfScope, Store, Table, UsageError
from singletable.backends import Backend
from singletable.streams.search import SearchIndex
from singletable.streams.search.keeping import Entry, NotRebuilt
from tests.streams.search.library import (
    Delayed,
    Kept,
    Library,
    Make,
    Note,
    batch_of,
    contents,
    follow,
    names,
    records_of,
)

ANN = {"user_id": "ann"}


def note(number: int, name: str = "dragon") -> Note:
    return Note(user_id="ann", note_id=str(number), name=name)


def found(index: SearchIndex, text: str = "dragon") -> list[str]:
    return sorted(names(index.search(text, scope=ANN, entity=Note)))


@dataclass
class Spy:
    """A backend that tells what was asked of it."""

    backend: Backend
    calls: list[tuple[str, Any]] = field(default_factory=list)

    def call(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        self.calls.append((operation, request))
        return self.backend.call(operation, request)

    async def acall(self, operation: str, request: dict[str, Any], /) -> dict[str, Any]:
        return self.call(operation, request)

    def close(self) -> None: ...
    async def aclose(self) -> None: ...


def test_it_makes_what_the_stream_made(make: Make, store: Library) -> None:
    for number in range(30):
        store.put(note(number))
    index = make()
    follow(index, store)
    followed = contents(index)
    seen: list[tuple[int, int | None]] = []
    rebuilt = index.rebuild(store, progress=lambda done, total: seen.append((done, total)))
    assert contents(index) == followed
    assert (rebuilt.items, rebuilt.documents, rebuilt.unreadable) == (30, 30, [])
    assert seen[-1] == (30, 30)
    assert len(found(index)) == 20


def test_it_tells_of_items_that_are_broken(index: SearchIndex, store: Library) -> None:
    item = {"PK": {"S": "USER#ann"}, "SK": {"S": "NOTE#1"}, "Type": {"S": "Note"}}
    store.send("PutItem", {"TableName": "library", "Item": item})
    (skipped,) = index.rebuild(store).unreadable
    assert skipped.key["SK"] == {"S": "NOTE#1"}


def test_what_changes_between_reading_and_writing_stays_changed(
    index: SearchIndex, store: Library
) -> None:
    for number in range(3):
        store.put(note(number))
    follow(index, store)

    def meanwhile() -> None:
        store.put(note(0, "beast"))
        store.delete(Note.key(user_id="ann", note_id="1"))
        store.put(note(9))
        follow(index, store)

    index.keeper = Delayed(index.keeper, meanwhile)
    index.rebuild(store)
    assert found(index) == ["2", "9"]
    assert found(index, "beast") == ["0"]
    assert index.verify(store, settle_s=0).is_right


def test_changes_that_come_after_the_scan_saw_them_end_where_the_table_is(
    index: SearchIndex, store: Library
) -> None:
    for turn in range(4):
        store.put(note(1, f"dragon {turn}"))
    records = records_of(store)
    index.deliver(batch_of(records[:1]), Kept())

    def meanwhile() -> None:
        index.deliver(batch_of(records[1:2]), Kept())

    index.keeper = Delayed(index.keeper, meanwhile)
    index.rebuild(store)
    index.deliver(batch_of(records[:1]), Kept())  # again, and too late
    index.deliver(batch_of(records[2:]), Kept())
    assert found(index, "dragon 3") == ["1"]


def test_a_change_that_was_applied_before_it_began_and_comes_late_is_not_applied(
    index: SearchIndex, store: Library
) -> None:
    store.put(note(1, "old"))
    store.put(note(1, "new"))
    old, new = records_of(store)
    index.deliver(batch_of([old, new]), Kept())
    index.keeper = Delayed(index.keeper, lambda: index.deliver(batch_of([old]), Kept()))
    index.rebuild(store)
    assert found(index, "new") == ["1"]


def test_searches_see_the_index_as_it_was_until_it_is_complete(
    index: SearchIndex, store: Library
) -> None:
    store.put(note(1))
    follow(index, store)
    seen: list[list[str]] = []
    index.keeper = Delayed(index.keeper, lambda: seen.append(found(index)))
    index.rebuild(store)
    assert seen
    assert all(one == ["1"] for one in seen)


def test_one_that_is_stopped_leaves_the_index_as_it_was(make: Make, store: Library) -> None:
    store.put(note(1))
    index = make()
    follow(index, store)

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        index.rebuild(store, progress=stop)
    store.put(note(2))
    follow(index, store)
    assert found(index) == ["1", "2"]
    index.close()
    again = make()
    again.rebuild(store)
    assert found(again) == ["1", "2"]
    assert again.verify(store).is_right


def test_of_two_at_a_time_the_later_one_is_completed(index: SearchIndex, store: Library) -> None:
    store.put(note(1))
    plain = index.keeper
    other: list[int] = []

    def begin() -> None:
        other[:] = other or [plain.begin()]

    index.keeper = Delayed(plain, begin)
    with pytest.raises(NotRebuilt):
        index.rebuild(store)
    plain.finish(other[0])
    assert found(index) == []


def test_it_reads_strongly_and_in_segments(index: SearchIndex, store: Library) -> None:
    """What was applied before it began, the scan has to see."""
    spy = Spy(store.backend)
    for number in range(5):
        store.put(Note(user_id=str(number), note_id="1", name="dragon"))
    assert index.rebuild(store.through(spy), segments=3).documents == 5
    scans = [request for operation, request in spy.calls if operation == "Scan"]
    assert all(request["ConsistentRead"] for request in scans)
    assert {request["Segment"] for request in scans} == {0, 1, 2}


def test_a_confined_store_cannot_rebuild(index: SearchIndex, store: Library) -> None:
    with pytest.raises(OutOfScope):
        index.rebuild(store.confined(user_id="ann"))


class TestVerifying:
    """What differs is found and put right; what is under way is left alone."""

    def test_what_differs_is_named_and_repaired(self, index: SearchIndex, store: Library) -> None:
        for number in range(4):
            store.put(note(number))
        follow(index, store)
        records = records_of(store)
        store.put(note(5))
        store.put(note(0, "beast"))
        store.delete(Note.key(user_id="ann", note_id="1"))
        report = index.verify(store, settle_s=0)
        assert report.missing == [Note.key(user_id="ann", note_id="5")]
        assert report.stale == [Note.key(user_id="ann", note_id="0")]
        assert report.extra == [Note.key(user_id="ann", note_id="1")]
        assert (report.items, report.documents, report.is_right) == (4, 4, False)
        assert index.repair(store, report) == 3
        assert index.verify(store, settle_s=0).is_right
        index.deliver(batch_of(records), Kept())
        follow(index, store)
        assert index.verify(store, settle_s=0).is_right

    def test_an_empty_index_of_an_empty_table_is_right(
        self, index: SearchIndex, store: Library
    ) -> None:
        assert index.verify(store).is_right

    def test_a_change_that_comes_while_repairing_goes_first(
        self, index: SearchIndex, store: Library
    ) -> None:
        store.put(note(1))
        report = index.verify(store, settle_s=0)
        plain = index.keeper

        class Late(Delayed):
            def mend(self, entries: Sequence[Entry]) -> None:
                store.put(note(1, "beast"))
                follow(index, store)
                plain.mend(entries)

        index.keeper = Late(plain, lambda: None)
        index.repair(store, report)
        assert found(index, "beast") == ["1"]

    def test_what_catches_up_meanwhile_is_not_reported(
        self, index: SearchIndex, store: Library, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        store.put(note(1))
        monkeypatch.setattr("time.sleep", lambda _: follow(index, store))
        assert index.verify(store).is_right

    def test_what_changes_meanwhile_is_not_reported(
        self, index: SearchIndex, store: Library, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        store.put(note(1))
        monkeypatch.setattr("time.sleep", lambda _: store.put(note(1, "beast")))
        assert index.verify(store).is_right
        monkeypatch.undo()
        assert not index.verify(store, settle_s=0).is_right


def test_an_index_is_not_emptied_by_the_store_of_another_table(make: Make) -> None:
    class Elsewhere(Store, table=Table("elsewhere")):
        """Has nothing to be found."""

    other = Elsewhere.connect(":memory:")
    with make() as index:
        for work in (index.rebuild, index.verify):
            with pytest.raises(UsageError, match=r"index is of Table\('library'\), and the store"):
                work(other)
