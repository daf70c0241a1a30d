"""Everything of survey 1, found by a prefix that survey 10 has too."""

from singletable import Entity, Query, Store, Table, pattern

table = Table("surveys")


class Note(Entity, table=table, pk="TENANT#{tenant_id}", sk="NOTE#{survey_id}#{note_id}"):
    """A note on a survey."""

    tenant_id: str
    survey_id: str
    note_id: str


class Notes(Store, table=table):
    """The patterns of the notes."""

    @pattern(page=20)
    def notes(self, tenant_id: str, survey_id: str) -> Query[Note]:
        """The notes on a survey, and on those whose ids begin alike."""
        return Note.query(tenant_id=tenant_id).begins_with(survey_id)
