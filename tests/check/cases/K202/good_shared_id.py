"""What tells two items of one moment apart is an id that elsewhere names a partition."""

from datetime import datetime

from singletable import Entity, Get, Query, Store, Table, created, pattern

table = Table("library")


class Member(Entity, table=table, pk="MEMBER#{member_id}", sk="MEMBER"):
    """A member."""

    member_id: str


class Loan(Entity, table=table, pk="MEMBER#{member_id}", sk="LOAN#{book_id}"):
    """A book that a member has."""

    member_id: str
    book_id: str


class Book(Entity, table=table, pk="BOOK#{book_id}", sk="BOOK"):
    """A book."""

    book_id: str


class Hold(Entity, table=table, pk="BOOK#{book_id}", sk="HOLD#{placed_at}#{member_id}"):
    """A member's place in the queue for a book."""

    book_id: str
    member_id: str
    placed_at: datetime = created()


class Library(Store, table=table):
    """The patterns of the desk."""

    @pattern()
    def member(self, member_id: str) -> Get[Member]:
        """A member."""
        return Member.get(member_id=member_id)

    @pattern(page=20)
    def loans(self, member_id: str) -> Query[Loan]:
        """What a member has."""
        return Loan.query(member_id=member_id)

    @pattern()
    def book(self, book_id: str) -> Get[Book]:
        """A book."""
        return Book.get(book_id=book_id)

    @pattern(page=20)
    def holds(self, book_id: str) -> Query[Hold]:
        """Who waits for a book, the first first."""
        return Hold.query(book_id=book_id)
