"""An index on attributes of the items themselves holds every item that has them."""

from singletable import Entity, GlobalIndex, Index, Query, Store, Table, pattern

table = Table("works", indexes=[GlobalIndex("ByAuthor", pk=["author"], sk=["title"])])


class Book(Entity, table=table, pk="BOOK#{book_id}", sk="BOOK"):
    """A book, found by its author."""

    by_author = Index("ByAuthor", pk=["author"], sk=["title"])

    book_id: str
    author: str
    title: str


class Review(Entity, table=table, pk="BOOK#{book_id}", sk="REVIEW#{review_id}"):
    """A review, which has an author and a title as well."""

    book_id: str
    review_id: str
    author: str
    title: str


class Works(Store, table=table):
    """The patterns of the library."""

    @pattern(page=20)
    def books(self, author: str) -> Query[Book]:
        """The books of an author, and the reviews that the author wrote."""
        return Book.by_author.query(author=author)

    @pattern(page=20)
    def reviews(self, book_id: str) -> Query[Review]:
        """The reviews of a book."""
        return Review.query(book_id=book_id)
