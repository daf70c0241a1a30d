"""A story with "twenty" chapters, and a book with a page."""

from dataclasses import dataclass

from singletable import Collection, Entity, Get, Store, Table, collect, pattern

table = Table("stories")


class Story(Entity, table=table, pk="STORY#{story_id}", sk="STORY"):
    """A story."""

    story_id: str


class Chapter(Entity, table=table, pk="STORY#{story_id}", sk="STORY#CHAPTER#{number:05d}"):
    """A chapter of a story."""

    story_id: str
    number: int


@dataclass(frozen=True)
class Whole:
    """A story with its chapters."""

    story: Story
    chapters: list[Chapter]


class Stories(Store, table=table):
    """The patterns of the stories."""

    @pattern(page=20)
    def whole(self, story_id: str) -> Collection[Whole]:
        """A story with its first chapters."""
        return collect(Whole, story_id=story_id)

    @pattern(page=1)
    def story(self, story_id: str) -> Get[Story]:
        """A story."""
        return Story.get(story_id=story_id)
