"""An id that stands alone elsewhere is no id within another owner."""

from singletable import Entity, Get, Index, Query, Store, Table, pattern

table = Table("stories", indexes=["GSI1"])


class Story(Entity, table=table, pk="STORY#{story_id}", sk="STORY"):
    """A story."""

    story_id: str


class Chapter(Entity, table=table, pk="STORY#{story_id}", sk="CHAPTER#{chapter_id}"):
    """A chapter of a story."""

    story_id: str
    chapter_id: str


class Reader(Entity, table=table, pk="USER#{user_id}", sk="READER"):
    """A reader."""

    user_id: str


class Bookmark(Entity, table=table, pk="USER#{user_id}", sk="BOOKMARK#{story_id}"):
    """Where a reader is in a story."""

    of_story = Index("GSI1", pk="STORY#{story_id}", sk="USER#{user_id}")

    user_id: str
    story_id: str
    chapter_id: str


class Stories(Store, table=table):
    """The patterns of the library."""

    @pattern()
    def story(self, story_id: str) -> Get[Story]:
        """A story."""
        return Story.get(story_id=story_id)

    @pattern()
    def chapters(self, story_id: str) -> Query[Chapter]:
        """The chapters of a story."""
        return Chapter.query(story_id=story_id)

    @pattern()
    def reader(self, user_id: str) -> Get[Reader]:
        """A reader."""
        return Reader.get(user_id=user_id)

    @pattern()
    def bookmarks(self, user_id: str) -> Query[Bookmark]:
        """The bookmarks of a reader."""
        return Bookmark.query(user_id=user_id)

    @pattern()
    def readers(self, story_id: str) -> Query[Bookmark]:
        """Who is reading a story."""
        return Bookmark.of_story.query(story_id=story_id)
