"""The same attribute is a lock in one entity, and an ordinary number in another."""

from typing import Annotated

from singletable import Attribute, Entity, Get, Store, Table, pattern, version

table = Table("documents")


class Document(Entity, table=table, pk="DOCUMENT#{document_id}", sk="DOCUMENT"):
    """A document that several people edit."""

    document_id: str
    text: str
    edit: int = version()


class Outline(Entity, table=table, pk="DOCUMENT#{document_id}", sk="OUTLINE"):
    """The outline of a document, which several people edit too."""

    document_id: str
    headings: str
    number: Annotated[int, Attribute("edit")] = 1


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
