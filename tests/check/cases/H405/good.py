"""The list reads an index that holds titles."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from singletable import Entity, GlobalIndex, Index, Query, Store, Table, pattern

table = Table("articles", indexes=[GlobalIndex("GSI1", projection=["article_id", "title"])])


class Article(Entity, table=table, pk="AUTHOR#{author_id}", sk="ARTICLE#{article_id}"):
    """An article with its text."""

    listed = Index("GSI1", pk="AUTHOR#{author_id}", sk="{article_id}")

    author_id: str
    article_id: str
    title: str
    text: Annotated[str, Field(max_length=20_000)]


@dataclass
class Title:
    """An article in a list."""

    article_id: str
    title: str


class Articles(Store, table=table):
    """The patterns of the articles."""

    @pattern(page=20)
    def titles(self, author_id: str) -> Query[Title]:
        """The titles of an author."""
        return Article.listed.query(author_id=author_id).only(Title)
