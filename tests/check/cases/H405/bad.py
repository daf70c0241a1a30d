"""A list of titles that pays for whole articles."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from singletable import Entity, Query, Store, Table, pattern

table = Table("articles")


class Article(Entity, table=table, pk="AUTHOR#{author_id}", sk="ARTICLE#{article_id}"):
    """An article with its text."""

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
        return Article.query(author_id=author_id).only(Title)
