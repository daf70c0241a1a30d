"""The id is given as what it is; a prefix is what a caller types in."""

from singletable import Entity, Query, Store, Table, pattern

table = Table("surveys")


class Note(Entity, table=table, pk="TENANT#{tenant_id}", sk="NOTE#{survey_id}#{note_id}"):
    """A note on a survey."""

    tenant_id: str
    survey_id: str
    note_id: str


class Place(Entity, table=table, pk="TENANT#{tenant_id}", sk="PLACE#{name:escaped}"):
    """A place, found by its name."""

    tenant_id: str
    name: str


class Notes(Store, table=table):
    """The patterns of the notes."""

    @pattern(page=20)
    def notes(self, tenant_id: str, survey_id: str) -> Query[Note]:
        """The notes on a survey."""
        return Note.query(tenant_id=tenant_id, survey_id=survey_id)

    @pattern(page=20)
    def places(self, tenant_id: str, typed: str) -> Query[Place]:
        """The places whose names begin as the user typed."""
        return Place.query(tenant_id=tenant_id).begins_with(typed)
