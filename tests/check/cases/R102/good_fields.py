"""Entities that share an index of attributes, told apart by a constant among them."""

from typing import Literal

from singletable import Entity, GlobalIndex, Index, Query, Store, Table, pattern

table = Table("works", indexes=[GlobalIndex("ByAuthor", pk=["kind", "author"], sk=["title"])])


class Book(Entity, table=table, pk="BOOK#{book_id}", sk="BOOK"):
    """A book, found by its author."""

    by_author = Index("ByAuthor", pk=["kind", "author"], sk=["title"])

    book_id: str
    kind: Literal["book"] = "book"
    author: str
    title: str


class Film(Entity, table=table, pk="FILM#{film_id}", sk="FILM"):
    """A film, found by its author."""

    by_author = Index("ByAuthor", pk=["kind", "author"], sk=["title"])

    film_id: str
    kind: Literal["film"] = "film"
    author: str
    title: str


class Works(Store, table=table):
    """The patterns of the library."""

    @pattern(page=20)
    def books(self, author: str) -> Query[Book]:
        """The books of an author."""
        return Book.by_author.query(kind="book", author=author)

    @pattern(page=20)
    def films(self, author: str) -> Query[Film]:
        """The films of an author whose titles come after one."""
        return Film.by_author.query(kind="film", author=author).gt("M")
