"""The row of an entity is made again when a part of it comes, changes, moves to another or goes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from singletable import DesignError, Entity, Store, Table
from singletable.migrate import Both, Cutover, Job, Migration, Row, back, revert, rows
from tests.databases import sqlite_database

from .test_reverting import run

table = Table("library")


class Shelf(Entity, table=table, pk="SHELF#{shelf}", sk="SHELF"):
    shelf: str


class Book(Entity, table=table, pk="BOOK#{title}", sk="BOOK"):
    title: str
    shelf: str | None


class Library(Store, table=table):
    """The library."""


class Leave(Migration[Library]):
    """A shelf has one book at most, in a column."""

    @rows("shelves")
    def shelves(self, row: Row) -> Iterator[Entity]:
        yield Shelf(shelf=row["id"])
        if row["book"]:
            yield Book(title=row["book"], shelf=row["id"])

    @back(Shelf, parts=[Book])
    def shelves_again(self, shelf: Shelf, both: Both[Library]) -> Iterator[Row]:
        found = [one.title for one in both.store.bind(Book.scan()) if one.shelf == shelf.shelf]
        yield Row("shelves", (shelf.shelf,), {"book": next(iter(found), None)})


@pytest.fixture
def job(tmp_path: Path) -> Job:
    with sqlite_database(tmp_path / "old.db") as old:
        old.execute("CREATE TABLE shelves (id TEXT PRIMARY KEY, book TEXT)")
        old.execute("INSERT INTO shelves VALUES ('a', 'Emma'), ('b', NULL), ('c', 'Ulysses')")
    made = Job(
        migration=Leave,
        source=f"sqlite:///{tmp_path / 'old.db'}",
        destination=str(tmp_path / "new.db"),
        folder=tmp_path / "work",
    )
    run(made)
    return made


@pytest.mark.parametrize(
    ("to", "shelves"),
    [
        ("b", [("a", None), ("b", "Emma"), ("c", "Ulysses")]),
        (None, [("a", None), ("b", None), ("c", "Ulysses")]),
    ],
)
def test_a_part_that_moves_leaves_the_row_that_it_was_in(
    job: Job, tmp_path: Path, to: str | None, shelves: list[tuple[str, str | None]]
) -> None:
    with Library.connect(job.destination) as store:
        Cutover(store, Leave, refresh_s=0.02).advance("done", by="ann", force=True)
        store.update(Book.key(title="Emma"), shelf=to)
        made = revert(job, by="ann", settle_s=0, verified=to is not None)
    assert made.is_reverted
    with sqlite_database(tmp_path / "old.db") as old:
        assert old.execute("SELECT id, book FROM shelves ORDER BY id").fetchall() == shelves


class Along(Leave):
    """Makes rows again with others that did not come along."""

    @back(Shelf, parts=[Book])
    def shelves_again(self, shelf: Shelf, both: Both[Library]) -> Iterator[Row]:
        yield Row("shelves", (shelf.shelf,), {}, {"books": []})


def test_rows_that_did_not_come_along_are_named(job: Job) -> None:
    there = replace(job, migration=Along)
    run(there)
    with Library.connect(job.destination) as store:
        Cutover(store, Along, refresh_s=0.02).advance("done", by="ann", force=True)
        store.update(Book.key(title="Emma"), shelf="b")
        with pytest.raises(DesignError, match=r"rows of books, which did not come along"):
            revert(there, by="ann", settle_s=0)
