"""The author's name in every story, and no way to change it there."""

from typing import Annotated

from singletable import Copied, Entity, Get, Store, Table, pattern

table = Table("stories")


class User(Entity, table=table, pk="USER#{user_id}", sk="USER"):
    """An author."""

    user_id: str
    name: str


class Story(Entity, table=table, pk="STORY#{story_id}", sk="STORY"):
    """A story, found by its id alone."""

    story_id: str
    author_id: str
    author_name: Annotated[str, Copied(User, "name", user_id="author_id")]


class Stories(Store, table=table):
    """The patterns of the library."""

    @pattern()
    def user(self, user_id: str) -> Get[User]:
        """An author."""
        return User.get(user_id=user_id)

    @pattern()
    def story(self, story_id: str) -> Get[Story]:
        """A story."""
        return Story.get(story_id=story_id)
