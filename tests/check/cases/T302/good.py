"""A stream tells of the change, and an index finds the copies."""

from typing import Annotated

from singletable import Copied, Entity, Get, Index, Query, Store, Table, pattern

table = Table("stories", indexes=["GSI1"], stream="NEW_AND_OLD_IMAGES")


class User(Entity, table=table, pk="USER#{user_id}", sk="USER"):
    """An author."""

    user_id: str
    name: str


class Story(Entity, table=table, pk="STORY#{story_id}", sk="STORY"):
    """A story, found by its author too."""

    by_author = Index("GSI1", pk="USER#{author_id}", sk="STORY#{story_id}")

    story_id: str
    author_id: str
    author_name: Annotated[str, Copied(User, "name", user_id="author_id")]


class Stories(Store, table=table):
    """The patterns of the library."""

    @pattern()
    def user(self, user_id: str) -> Get[User]:
        """An author."""
        return User.get(user_id=user_id)

    @pattern(page=20)
    def stories(self, author_id: str) -> Query[Story]:
        """The stories of an author."""
        return Story.by_author.query(author_id=author_id)
