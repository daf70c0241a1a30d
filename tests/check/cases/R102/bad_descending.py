"""A range over falling numbers reaches below them, to what sorts before every digit."""

from singletable import Entity, Get, Query, Store, Table, pattern

table = Table("documents")


class Edition(Entity, table=table, pk="DOCUMENT#{document_id}", sk="{number:05d desc}"):
    """An edition; the newest sorts first."""

    document_id: str
    number: int


class Document(Entity, table=table, pk="DOCUMENT#{document_id}", sk="+LATEST"):
    """The document as it is."""

    document_id: str


class Documents(Store, table=table):
    """The patterns of the documents."""

    @pattern(page=20)
    def editions_from(self, document_id: str, number: int) -> Query[Edition]:
        """The editions from one on, newest first: and the document."""
        return Edition.query(document_id=document_id).ge(number)

    @pattern(page=20)
    def editions_up_to(self, document_id: str, number: int) -> Query[Edition]:
        """The editions up to one, newest first."""
        return Edition.query(document_id=document_id).le(number)

    @pattern()
    def document(self, document_id: str) -> Get[Document]:
        """The document."""
        return Document.get(document_id=document_id)
