"""Stories by author, asked of an index that stories are not in."""

from singletable import Entity, Index, Query, Store, Table, pattern

table = Table("stories", indexes=["GSI1"])


class Story(Entity, table=table, pk="STORY#{story_id}", sk="METADATA"):
    """A story, found by its id alone."""

    by_genre = Index("GSI1", pk="GENRE#{genre}", sk="{story_id}")

    story_id: str
    author_id: str
    genre: str


class Stories(Store, table=table):
    """The patterns of the library."""

    @pattern()
    def of_author(self, author_id: str) -> Query[Story]:
        """The stories of an author."""
        return Story.by_genre.query(author_id=author_id)
