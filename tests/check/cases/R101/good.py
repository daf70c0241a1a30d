"""Stories by author, from an index by author."""

from singletable import Entity, Index, Query, Store, Table, pattern

table = Table("stories", indexes=["GSI1"])


class Story(Entity, table=table, pk="STORY#{story_id}", sk="METADATA"):
    """A story, found by its id and by its author."""

    by_author = Index("GSI1", pk="USER#{author_id}", sk="{story_id}")

    story_id: str
    author_id: str
    genre: str


class Stories(Store, table=table):
    """The patterns of the library."""

    @pattern()
    def of_author(self, author_id: str) -> Query[Story]:
        """The stories of an author."""
        return Story.by_author.query(author_id=author_id)
