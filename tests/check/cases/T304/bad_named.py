"""A number that is raised, and that nobody compares."""

from singletable import Entity, Get, Store, Table, pattern

table = Table("documents")


class Document(Entity, table=table, pk="DOCUMENT#{document_id}", sk="DOCUMENT"):
    """A document that several people edit."""

    document_id: str
    text: str
    version: int = 1


class Documents(Store, table=table):
    """The patterns of the documents."""

    @pattern()
    def document(self, document_id: str) -> Get[Document]:
        """A document."""
        return Document.get(document_id=document_id)
