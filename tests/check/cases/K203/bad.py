"""Sections sorted as text: 1, 10, 2."""

from singletable import Entity, Get, Query, Store, Table, pattern

table = Table("surveys")


class Section(Entity, table=table, pk="SURVEY#{survey_id}", sk="SECTION#{order}#{section_id}"):
    """A section, in the order that its author gave it."""

    survey_id: str
    order: int
    section_id: str


class Page(Entity, table=table, pk="BOOK#{book_id}", sk="PAGE#{number}"):
    """A page, read one at a time."""

    book_id: str
    number: int


class Surveys(Store, table=table):
    """The patterns of the surveyor."""

    @pattern()
    def sections(self, survey_id: str) -> Query[Section]:
        """The sections in their order."""
        return Section.query(survey_id=survey_id)

    @pattern()
    def page(self, book_id: str, number: int) -> Get[Page]:
        """A page."""
        return Page.get(book_id=book_id, number=number)
