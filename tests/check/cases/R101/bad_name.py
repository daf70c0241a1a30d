"""Indexes and fields that are named as none is; one index that is really missing."""

from typing import cast

from singletable import Entity, Get, Index, Query, Store, Table, pattern

table = Table("stories", indexes=["GSI1"])


class Story(Entity, table=table, pk="STORY#{story_id}", sk="METADATA"):
    """A story, found by its id and by its author."""

    by_author = Index("GSI1", pk="USER#{author_id}", sk="{year}#{genre}")

    story_id: str
    author_id: str
    year: str
    genre: str
    title: str


class Stories(Store, table=table):
    """The patterns of the library."""

    @pattern()
    def by_unknown_index(self, author_id: str) -> Query[Story]:
        """The index has another name."""
        index = Story.by_autor  # type: ignore[attr-defined] # the fault
        return cast("Query[Story]", index.query(author_id=author_id))

    @pattern()
    def by_missing_index(self, title: str) -> Query[Story]:
        """No index is by this."""
        index = Story.by_title  # type: ignore[attr-defined] # the fault
        return cast("Query[Story]", index.query(title=title))

    @pattern()
    def by_other_field(self, author_id: str) -> Query[Story]:
        """The argument is given for another field."""
        return Story.by_author.query(story_id=author_id)

    @pattern()
    def by_unknown_field(self, author: str) -> Query[Story]:
        """The field has another name, and so has the argument."""
        return Story.by_author.query(autor_id=author)

    @pattern()
    def by_unknown_key(self, story_id: str) -> Get[Story]:
        """The field of the key has another name."""
        return Story.get(id=story_id)

    @pattern()
    def by_genre(self, author_id: str, genre: str) -> Query[Story]:
        """A key is really missing: this one tells the year first."""
        return Story.by_author.query(author_id=author_id, genre=genre)

    @pattern()
    def by_accident(self, author_id: str) -> Query[Story]:
        """The fault is none of keys."""
        return Story.by_author.query(author_id=author_id).limit(int("many"))

    @pattern()
    def by_mistake(self, author_id: str) -> Query[Story]:
        """It returns no read."""
        return cast("Query[Story]", author_id)
