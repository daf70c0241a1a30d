"""Numbers that are no versions: one entity's own, one that is looked at, one beside a lock."""

from singletable import Entity, F, Get, Index, Query, Store, Table, pattern, version

table = Table("documents", indexes=["GSI1"])


class Kept(Entity, table=table, pk="DOCUMENT#{document_id}"):
    """What every item of a document has."""

    by_place = Index("GSI1", pk="DOCUMENT#{document_id}", sk="PLACE#{place:05d}")

    document_id: str
    place: int = 0
    rating: int = 0


class Document(Kept, sk="DOCUMENT"):
    """A document that several people edit."""

    text: str
    pages: int = 1


class Outline(Kept, sk="OUTLINE"):
    """Its outline."""

    headings: str


class Note(Entity, table=table, pk="NOTE#{note_id}", sk="NOTE"):
    """A note with a lock, and with a number that has another meaning."""

    note_id: str
    revision: int = 1
    lock: int = version()


class Documents(Store, table=table):
    """The patterns of the documents."""

    @pattern(page=20)
    def rated(self, document_id: str, least: int) -> Query[Kept]:
        """The parts of a document that are liked."""
        return Kept.by_place.query(document_id=document_id).filter(F("rating") >= least)

    @pattern()
    def note(self, note_id: str) -> Get[Note]:
        """A note."""
        return Note.get(note_id=note_id)
