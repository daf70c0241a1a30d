"""Padded, or few enough to sort."""

from typing import Literal

from singletable import Entity, Query, Store, Table, pattern

table = Table("surveys")


class Section(Entity, table=table, pk="SURVEY#{survey_id}", sk="SECTION#{order:05d}#{section_id}"):
    """A section, in the order that its author gave it."""

    survey_id: str
    order: int
    section_id: str


class Grade(Entity, table=table, pk="SURVEY#{survey_id}", sk="GRADE#{grade}"):
    """A grade from 1 to 3, which sort as they are."""

    survey_id: str
    grade: Literal[1, 2, 3]


class Surveys(Store, table=table):
    """The patterns of the surveyor."""

    @pattern()
    def sections(self, survey_id: str) -> Query[Section]:
        """The sections in their order."""
        return Section.query(survey_id=survey_id)

    @pattern()
    def grades(self, survey_id: str) -> Query[Grade]:
        """The grades, best first."""
        return Grade.query(survey_id=survey_id)
