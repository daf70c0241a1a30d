"""A number that entities of every kind begin with, and that nothing looks at."""

from singletable import Entity, Get, Store, Table, pattern

table = Table("documents")


class Kept(Entity, table=table, pk="DOCUMENT#{document_id}"):
    """What every item of a document has."""

    document_id: str
    edit: int = 1


class Document(Kept, sk="DOCUMENT"):
    """A document that several people edit."""

    text: str
    pages: int = 1


class Outline(Kept, sk="OUTLINE"):
    """Its outline."""

    headings: str


class Documents(Store, table=table):
    """The patterns of the documents."""

    @pattern()
    def document(self, document_id: str) -> Get[Document]:
        """A document."""
        return Document.get(document_id=document_id)

    @pattern()
    def outline(self, document_id: str) -> Get[Outline]:
        """The outline of a document."""
        return Outline.get(document_id=document_id)
