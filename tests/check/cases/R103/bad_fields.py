"""The notes on survey 1 in an index of fields, found by a prefix that survey 10 has too."""

from singletable import Entity, GlobalIndex, Index, Query, Store, Table, pattern

table = Table("surveys", indexes=[GlobalIndex("BY_SURVEY", pk="tenant_id", sk="survey_id")])


class Note(Entity, table=table, pk="TENANT#{tenant_id}", sk="NOTE#{survey_id}#{note_id}"):
    """A note on a survey."""

    by_survey = Index("BY_SURVEY", pk=["tenant_id"], sk=["survey_id"])

    tenant_id: str
    survey_id: str
    note_id: str


class Notes(Store, table=table):
    """The patterns of the notes."""

    @pattern(page=20)
    def notes(self, tenant_id: str, survey_id: str) -> Query[Note]:
        """The notes on a survey, and on those whose ids begin alike."""
        return Note.by_survey.query(tenant_id=tenant_id).begins_with(survey_id)
