"""Every place in an index is read."""

from singletable import Entity, Index, Query, Store, Table, pattern, ulid

table = Table("notes", indexes=["GSI1"])


class Note(Entity, table=table, pk="USER#{user_id}", sk="NOTE#{note_id}"):
    """A note."""

    by_tag = Index("GSI1", pk="USER#{user_id}#{tag}", sk="{note_id}")

    user_id: str
    note_id: str = ulid()
    tag: str


class Notes(Store, table=table):
    """The patterns of the notes."""

    @pattern(page=20)
    def tagged(self, user_id: str, tag: str) -> Query[Note]:
        """The notes with a tag."""
        return Note.by_tag.query(user_id=user_id, tag=tag)
