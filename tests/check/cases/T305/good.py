"""Copies are counted, all of them and those that are out."""

from typing import Literal

from singletable import Entity, Get, Query, Store, Table, count_of, pattern

table = Table("library")


class Book(Entity, table=table, pk="BOOK#{isbn}", sk="BOOK"):
    """A book, of which there are copies."""

    isbn: str
    copies: int = count_of("Copy")
    copies_out: int = count_of("Copy", when={"state": "OUT"})


class Copy(Entity, table=table, pk="BOOK#{isbn}", sk="COPY#{number:04d}"):
    """A copy of a book."""

    isbn: str
    number: int
    state: Literal["IN", "OUT"] = "IN"


class Library(Store, table=table):
    """The patterns of the library."""

    @pattern()
    def book(self, isbn: str) -> Get[Book]:
        """A book."""
        return Book.get(isbn=isbn)

    @pattern(page=20)
    def copies(self, isbn: str) -> Query[Copy]:
        """The copies of a book."""
        return Copy.query(isbn=isbn)
