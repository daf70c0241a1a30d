"""An index that nobody reads, and a place in one."""

from singletable import Entity, Index, Query, Store, Table, pattern, ulid

table = Table("notes", indexes=["GSI1", "GSI2"])


class Note(Entity, table=table, pk="USER#{user_id}", sk="NOTE#{note_id}"):
    """A note."""

    by_tag = Index("GSI1", pk="USER#{user_id}#{tag}", sk="{note_id}")
    by_id = Index("GSI2", pk="NOTE#{note_id}", sk="NOTE")

    user_id: str
    note_id: str = ulid()
    tag: str


class Photo(Entity, table=table, pk="USER#{user_id}", sk="PHOTO#{photo_id}"):
    """A photo."""

    by_tag = Index("GSI1", pk="USER#{user_id}#PHOTO#{tag}", sk="{photo_id}")

    user_id: str
    photo_id: str = ulid()
    tag: str


class Notes(Store, table=table):
    """The patterns of the notes."""

    @pattern(page=20)
    def tagged(self, user_id: str, tag: str) -> Query[Note]:
        """The notes with a tag."""
        return Note.by_tag.query(user_id=user_id, tag=tag)

    @pattern(page=20)
    def photos(self, user_id: str) -> Query[Photo]:
        """The photos of a user."""
        return Photo.query(user_id=user_id)
