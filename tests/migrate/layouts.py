"""Notes move from the partition of their author to that of their book, within one table."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Annotated

from singletable import (
    Entity,
    Get,
    Index,
    Query,
    Store,
    Table,
    Unique,
    count_of,
    created,
    pattern,
    updated,
    version,
)
from singletable.migrate import Migration, entities

table = Table("notes", indexes=["GSI1"], stream="NEW_AND_OLD_IMAGES")


class Author(Entity, table=table, pk="AUTHOR#{author_id}", sk="AUTHOR"):
    author_id: str
    notes: int = count_of("Note")
    joined_at: datetime = created()


class Note(Entity, table=table, pk="AUTHOR#{author_id}", sk="NOTE#{note_id}"):
    """The old layout, as it was."""

    by_status = Index("GSI1", pk="STATUS#{status}", sk="{note_id}")

    author_id: str
    book_id: str
    note_id: str
    slug: Annotated[str, Unique()]
    status: str = "NEW"
    updated_at: datetime = updated()
    version: int = version()


class BookNote(Entity, table=table, pk="BOOK#{book_id}", sk="NOTE#{note_id}"):
    """The new layout."""

    by_status = Index("GSI1", pk="BOOKS#{status}", sk="{note_id}")

    author_id: str
    book_id: str
    note_id: str
    slug: Annotated[str, Unique()]
    status: str
    updated_at: datetime = updated()
    version: int = version()


class Notes(Store, table=table):
    """The access patterns of both layouts."""

    @pattern()
    def author(self, author_id: str) -> Get[Author]:
        """An author."""
        return Author.get(author_id=author_id)

    @pattern(page=1000)
    def notes(self, author_id: str) -> Query[Note]:
        """The notes of an author."""
        return Note.query(author_id=author_id)

    @pattern(page=1000)
    def by_status(self, status: str) -> Query[Note]:
        """All notes of a status, in the old layout."""
        return Note.by_status.query(status=status)

    @pattern(page=1000)
    def book_notes(self, book_id: str) -> Query[BookNote]:
        """The notes of a book."""
        return BookNote.query(book_id=book_id)

    @pattern(page=1000)
    def books_by_status(self, status: str) -> Query[BookNote]:
        """All notes of a status, in the new layout."""
        return BookNote.by_status.query(status=status)


class ByBook(Migration[Notes], in_place=True):
    """From the author's partition to the book's."""

    @entities(Note)
    def note(self, note: Note) -> Iterator[Entity]:
        yield BookNote(**dict(note))


def fill(store: Notes, authors: int, notes: int) -> None:
    """Write as the old layout does."""
    for number in range(authors):
        store.create(Author(author_id=f"a{number}"))
    for number in range(notes):
        author, book = f"a{number % authors}", f"b{number % 7}"
        name = f"n{number:05d}"
        store.create(Note(author_id=author, book_id=book, note_id=name, slug=f"slug-{name}"))
