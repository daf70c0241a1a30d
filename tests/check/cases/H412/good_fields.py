"""Each topic, which is itself the key of an index, has a page of its own."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from singletable import Entity, GlobalIndex, Index, Query, Store, Table, created, pattern

table = Table("news", indexes=[GlobalIndex("BY_TOPIC", pk="topic", sk="TopicSK")])


class Article(Entity, table=table, pk="ARTICLE#{article_id}", sk="ARTICLE"):
    """An article with its text."""

    of_topic = Index("BY_TOPIC", pk=["topic"], sk="{at}#{article_id}")

    article_id: str
    topic: str
    at: datetime = created()
    text: Annotated[str, Field(max_length=2000)]


class News(Store, table=table):
    """The patterns of the news."""

    @pattern(page=20, rate_per_s=2000)
    def of_topic(self, topic: str) -> Query[Article]:
        """The newest articles of a topic."""
        return Article.of_topic.query(topic=topic).newest_first()
