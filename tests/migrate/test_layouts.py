"""A layout is changed within its table, while the old one serves."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from singletable import (
    DesignError,
    Entity,
    Index,
    Query,
    Store,
    Table,
    UniqueViolation,
    UsageError,
    pattern,
)
from singletable.migrate import (
    Cutover,
    DualWrites,
    Job,
    Migration,
    clean,
    entities,
    follow,
    in_place,
    plan,
    run_migration,
    status,
    verify,
)
from singletable.migrate.layouts.proving import faults

from .backfilling_kills import killed
from .layouts import Author, BookNote, ByBook, Note, Notes, fill

INLINE = ThreadPoolExecutor(1)
AUTHORS, NOTES = 4, 60


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "notes.db"
    with Notes.connect(made) as store:
        fill(store, AUTHORS, NOTES)
    return made


@pytest.fixture
def job(path: Path, tmp_path: Path) -> Job:
    (tmp_path / "work").mkdir()
    return in_place(ByBook, str(path), folder=tmp_path / "work")


@pytest.fixture
def store(path: Path) -> Iterator[Notes]:
    with Notes.connect(path) as made:
        yield made


def copied(job: Job) -> None:
    assert run_migration(job, executor=INLINE, follow=True).rejected == 0
    follow(job)


def finish(store: Notes) -> None:
    cutover = Cutover(store, ByBook, refresh_s=0.02)
    cutover.advance("done", by="ann", force=True)


def all_notes(store: Notes) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    old = sorted(
        (dict(one) for one in store.bind(Note.scan())), key=lambda one: str(one["note_id"])
    )
    new = sorted(
        (dict(one) for one in store.bind(BookNote.scan())), key=lambda one: str(one["note_id"])
    )
    return old, new


def test_new_items_stand_beside_the_old_which_are_as_they_were(job: Job, store: Notes) -> None:
    before, none = all_notes(store)
    assert none == []
    copied(job)
    old, new = all_notes(store)
    assert old == before == new
    assert [one.note_id for one in store.book_notes("b1").all()] == [
        one["note_id"] for one in before if one["book_id"] == "b1"
    ]
    assert sum(one.notes for one in store.bind(Author.scan())) == NOTES  # not counted twice


def test_changes_of_old_items_arrive_and_are_not_counted_twice(job: Job, store: Notes) -> None:
    copied(job)
    key = {"author_id": "a1", "note_id": "n00001"}
    store.update(Note.key(**key), status="DONE", slug="another")
    store.delete(Note.key(author_id="a2", note_id="n00002"))
    store.create(Note(author_id="a3", book_id="b9", note_id="x", slug="x"))
    moved = store.bind(Note.get(author_id="a0", note_id="n00000")).one()
    store.put(moved.model_copy(update={"book_id": "b9"}))
    follow(job)
    old, new = all_notes(store)
    assert old == new
    assert [one.note_id for one in store.book_notes("b9").all()] == ["n00000", "x"]
    assert [one.note_id for one in store.books_by_status("DONE").all()] == ["n00001"]
    assert store.author("a2").one().notes == NOTES // AUTHORS - 1
    assert store.author("a3").one().notes == NOTES // AUTHORS + 1
    store.update(Note.key(author_id="a3", note_id="x"), slug="y")
    store.update(Note.key(author_id="a1", note_id="n00005"), slug="x")
    store.delete(Note.key(author_id="a3", note_id="x"))  # whose value another has by then
    follow(job)
    old, new = all_notes(store)
    assert old == new
    finish(store)
    given_up = BookNote(author_id="a", book_id="b", note_id="y", slug="slug-n00001", status="NEW")
    store.create(given_up)  # the value that a note gave up is free, and its new one is not
    with pytest.raises(UniqueViolation):
        store.create(given_up.model_copy(update={"note_id": "z", "slug": "another"}))


def test_verify_compares_both_layouts_and_repairs_the_new(job: Job, store: Notes) -> None:
    copied(job)
    checked = verify(job, settle_s=0.01)
    assert checked.agrees, checked.differences
    store.delete(BookNote.key(book_id="b1", note_id="n00001"))
    assert verify(job, settle_s=0.01).left == 2  # it, and the guard of its slug
    assert verify(job, settle_s=0.01, repair=True).left == 0
    assert store.bind(BookNote.get(book_id="b1", note_id="n00001")).first() is not None
    assert store.author("a1").one().notes == NOTES // AUTHORS


def test_cleaning_is_refused_while_the_old_layout_serves(job: Job, store: Notes) -> None:
    copied(job)
    with pytest.raises(UsageError, match="the old layout is still written to"):
        clean(job, executor=INLINE)
    assert len(all_notes(store)[0]) == NOTES


def test_cleaning_deletes_what_is_known_to_be_there_and_tells_the_rest(
    job: Job, store: Notes
) -> None:
    copied(job)
    finish(store)
    store.update(BookNote.key(book_id="b1", note_id="n00001"), status="DONE")  # moved on
    store.delete(BookNote.key(book_id="b2", note_id="n00002"))
    assert clean(job, executor=INLINE, dry_run=True).deleted == NOTES - 1
    assert len(all_notes(store)[0]) == NOTES
    cleaned = clean(job, executor=INLINE)
    assert (cleaned.deleted, cleaned.kept) == (NOTES - 1, 1)
    assert cleaned.examples == ["Note/AUTHOR#a2/NOTE#n00002: its BookNote is not there"]
    old, new = all_notes(store)
    assert [one["note_id"] for one in old] == ["n00002"]
    assert len(new) == NOTES - 1
    guards = store.send("Scan", {"TableName": "notes"})["Items"]
    owners = [one["OwnerPK"]["S"] for one in guards if one["Type"]["S"] == "Unique"]
    assert sum(owner.startswith("AUTHOR#") for owner in owners) == 1
    assert clean(job, executor=INLINE).deleted == 0
    assert clean(job, executor=INLINE, gone=True).deleted == 1
    assert all_notes(store) == ([], new)


class Some(Migration[Notes], in_place=True):
    """Leaves a note out."""

    @entities(Note)
    def note(self, note: Note) -> Iterator[Entity]:
        if note.note_id != "n00002":
            yield BookNote(**dict(note))


def test_cleaning_keeps_what_the_rules_make_nothing_of(
    path: Path, store: Notes, tmp_path: Path
) -> None:
    job = in_place(Some, str(path), folder=tmp_path / "some")
    copied(job)
    Cutover(store, Some, refresh_s=0.02).advance("done", by="ann", force=True)
    cleaned = clean(job, executor=INLINE)
    assert (cleaned.deleted, cleaned.kept) == (NOTES - 1, 1)
    assert cleaned.examples == ["Note/AUTHOR#a2/NOTE#n00002: nothing is made of it"]
    assert clean(job, executor=INLINE, gone=True).deleted == 1


def test_a_write_to_both_layouts_has_the_new_item_at_once(job: Job, store: Notes) -> None:
    copied(job)
    cutover = Cutover(store, ByBook, refresh_s=0.02)
    cutover.advance("dual", by="ann")
    with DualWrites(job, cutover) as dual:
        with dual.writing("Note", "AUTHOR#a1", "NOTE#n00001"):
            store.update(Note.key(author_id="a1", note_id="n00001"), slug="both", status="DONE")
        with dual.writing("Note", "AUTHOR#a1", "NOTE#x"):
            store.create(Note(author_id="a1", book_id="b1", note_id="x", slug="x"))
        assert not dual.journal()
    old, new = all_notes(store)
    assert old == new
    assert store.author("a1").one().notes == NOTES // AUTHORS + 1


def test_a_plan_and_a_status_tell_of_both_layouts(job: Job, store: Notes) -> None:
    planned = plan(job)
    assert [(one.kind, one.rows, dict(one.entities)) for one in planned.kinds] == [
        ("Note", NOTES, {"BookNote": NOTES})
    ]
    assert planned.is_sound
    copied(job)
    [stands] = status(job).kinds
    assert (stands.kind, stands.makes, stands.rows) == ("Note", ("BookNote",), NOTES)


PAUSE_S = 0.05
FOLLOWED_S = 4.0
PATIENCE_S = 60.0
WRITTEN_MIN = 20


class Writers:
    """Change notes in the old layout all the while, and read what they wrote."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stop = threading.Event()
        self.failed: list[BaseException] = []
        self.written = 0
        self._threads = [threading.Thread(target=self._run, args=(n,)) for n in range(AUTHORS)]

    def _run(self, number: int) -> None:
        chance = random.Random(number)  # noqa: S311 - no secret
        try:
            with Notes.connect(self._path) as store:
                mine = {one.note_id for one in store.notes(f"a{number}").all()}
                while not self._stop.wait(PAUSE_S):
                    self._write(store, f"a{number}", mine, chance)
                    self._read(store, f"a{number}", mine)
        except BaseException as error:  # noqa: BLE001 - told when it ends
            self.failed.append(error)

    def _write(self, store: Notes, author: str, mine: set[str], chance: random.Random) -> None:
        self.written += 1
        name = f"{author}-{self.written}-{chance.randrange(10**9)}"
        match chance.randrange(4) if len(mine) > 1 else 0:
            case 0 | 1:
                book = f"b{chance.randrange(7)}"
                store.create(Note(author_id=author, book_id=book, note_id=name, slug=name))
                mine.add(name)
            case 2:
                one = chance.choice(sorted(mine))
                fields = {"status": chance.choice(["NEW", "DONE"]), "slug": name}
                store.edit(
                    Note.key(author_id=author, note_id=one),
                    lambda note: note.model_copy(
                        update={**fields, "book_id": f"b{chance.randrange(7)}"}
                    ),
                )
            case _:
                gone = chance.choice(sorted(mine))
                store.delete(Note.key(author_id=author, note_id=gone))
                mine.discard(gone)

    def _read(self, store: Notes, author: str, mine: set[str]) -> None:
        page = store.notes(author).page()
        assert {one.note_id for one in page} == mine
        assert not page.skipped
        assert store.author(author).one().notes == len(mine)
        assert not store.by_status("DONE").page().skipped

    def __enter__(self) -> Writers:  # noqa: PYI034 - it is not derived from
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()


def test_with_writers_at_work_nothing_is_lost_and_no_reader_is_misled(
    job: Job, path: Path, store: Notes
) -> None:
    with Writers(path) as writers:
        run_migration(job, executor=INLINE, follow=True)
        began = time.monotonic()

        def ends() -> bool:  # those who write may be faster than who follows, or slow to begin
            seconds = time.monotonic() - began
            enough = writers.written > WRITTEN_MIN or seconds > PATIENCE_S
            return bool(writers.failed) or (seconds > FOLLOWED_S and enough)

        follow(job, live=True, stop=ends)
        assert verify(job, settle_s=0.1, patience_s=1).differing >= 0  # it comes to an end
    assert not writers.failed, writers.failed
    follow(job)
    checked = verify(job, settle_s=0.01)
    assert checked.agrees, checked.differences
    old, new = all_notes(store)
    assert writers.written > WRITTEN_MIN
    assert old == new
    assert sum(one.notes for one in store.bind(Author.scan())) == len(old)
    finish(store)
    assert clean(job, executor=INLINE).kept == 0
    assert all_notes(store) == ([], new)


def test_kills_at_random_moments_with_writers_at_work_lose_nothing(
    job: Job, path: Path, store: Notes
) -> None:
    with Writers(path) as writers:
        ends = Counter(killed("layout", path, job.folder, 8))
    assert not writers.failed, writers.failed
    assert ends["killed"] >= 3
    run_migration(job, executor=INLINE, follow=True)
    follow(job)
    old, new = all_notes(store)
    assert old == new
    assert verify(job, settle_s=0.01).agrees
    finish(store)
    assert "killed" in set(killed("clean", path, job.folder, 5))
    clean(job, executor=INLINE)
    assert all_notes(store) == ([], new)
    kinds = Counter(one["Type"]["S"] for one in store.send("Scan", {"TableName": "notes"})["Items"])
    assert kinds == {"Author": AUTHORS, "BookNote": len(new), "Unique": len(new)}


# What a design has that cannot be done in place, and what is said of it.

unsound = Table("unsound", indexes=["GSI1"])


class Old(Entity, table=unsound, pk="A#{a}", sk="N#{n}"):
    by_status = Index("GSI1", pk="S#{n}", sk="{a}")
    a: str
    n: str


class SameKey(Entity, table=unsound, pk="A#{a}", sk="N#{n}"):
    a: str
    n: str


class Derived(Old, table=unsound, pk="D#{a}", sk="N#{n}"):
    """An Old, too."""


class SameIndex(Entity, table=unsound, pk="I#{a}", sk="N#{n}"):
    by_status = Index("GSI1", pk="S#{n}", sk="{a}")
    a: str
    n: str


class Unsound(Store, table=unsound):
    """Reads the old layout by its index."""

    @pattern()
    def by_status(self, n: str) -> Query[Old]:
        """Those of a status."""
        return Old.by_status.query(n=n)


class ToSameKey(Migration[Unsound], in_place=True):
    @entities(Old)
    def old(self, old: Old) -> Iterator[Entity]:
        yield SameKey(**dict(old))


class ToDerived(Migration[Unsound], in_place=True):
    @entities(Old)
    def old(self, old: Old) -> Iterator[Entity]:
        yield Derived(**dict(old))


class ToSameIndex(Migration[Unsound], in_place=True):
    @entities(Old)
    def old(self, old: Old) -> Iterator[Entity]:
        yield SameIndex(**dict(old))


UNSOUND = {
    ToSameKey: "SameKey and Old can both have the key 'A#1 / N#1'",
    ToDerived: "Derived is derived from Old",
    ToSameIndex: "by_status() also reads SameIndex, such as 'S#1 / 1', in GSI1",
}


@pytest.mark.parametrize("migration", UNSOUND, ids=lambda one: one.__name__)
def test_layouts_that_could_meet_are_refused(
    migration: type[Migration[Unsound]], tmp_path: Path
) -> None:
    assert any(UNSOUND[migration] in fault for fault in faults(migration))
    with pytest.raises(DesignError, match="cannot be done in place"):
        in_place(migration, str(tmp_path / "x.db"))


def test_layouts_that_never_meet_are_proved() -> None:
    assert list(faults(ByBook)) == []


def test_a_migration_that_is_not_declared_in_place_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="in_place=True"):
        in_place(Migration[Notes], str(tmp_path / "x.db"))
