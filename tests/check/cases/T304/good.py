"""The store compares the version, or versions are items of their own."""

from singletable import Entity, Get, Query, Store, Table, pattern, version

table = Table("documents")


class Document(Entity, table=table, pk="DOCUMENT#{document_id}", sk="DOCUMENT"):
    """A document that several people edit."""

    document_id: str
    text: str
    version: int = version()


class Edition(Entity, table=table, pk="DOCUMENT#{document_id}", sk="EDITION#{version:05d}"):
    """A printed edition, which is never changed."""

    document_id: str
    version: int


class Documents(Store, table=table):
    """The patterns of the documents."""

    @pattern()
    def document(self, document_id: str) -> Get[Document]:
        """A document."""
        return Document.get(document_id=document_id)

    @pattern()
    def editions(self, document_id: str) -> Query[Edition]:
        """The editions of a document."""
        return Edition.query(document_id=document_id)
