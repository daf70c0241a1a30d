"""A front page of so few articles that one partition gives them."""

from datetime import date, datetime
from typing import Annotated

from pydantic import Field

from singletable import Entity, Index, Query, Store, Table, between, created, pattern

table = Table("news", indexes=["GSI1"])


class Article(Entity, table=table, pk="ARTICLE#{article_id}", sk="ARTICLE"):
    """An article with its text."""

    listed = Index("GSI1", pk="NEWS#{at:%Y-%m}", sk="{at}#{article_id}")

    article_id: str
    at: datetime = created()
    text: Annotated[str, Field(max_length=2000)]


class News(Store, table=table):
    """The patterns of the news."""

    @pattern(rate_per_s=1000)
    def front_page(self, first: date, last: date) -> Query[Article]:
        """The newest articles of a time."""
        return Article.listed.query(at=between(first, last)).newest_first().limit(3)
