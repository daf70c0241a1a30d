"""The collection has a limit, and the list of the chapters has pages."""

from dataclasses import dataclass

from singletable import Collection, Entity, Query, Store, Table, collect, pattern

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

    @pattern
    def whole(self, story_id: str) -> Collection[Whole]:
        """A story with its first chapters."""
        return collect(Whole, story_id=story_id).limit(21)

    @pattern(page=20)
    def chapters(self, story_id: str) -> Query[Chapter]:
        """The chapters of a story."""
        return Chapter.query(story_id=story_id)
