"""Comments and likes, kept in the post itself."""

from pydantic import BaseModel, Field

from singletable import Entity, Get, Store, Table, pattern

table = Table("posts")


class Comment(BaseModel):
    """A comment."""

    user_id: str
    text: str


class Post(Entity, table=table, pk="POST#{post_id}", sk="POST"):
    """A post with all its comments."""

    post_id: str
    comments: list[Comment] = Field(default_factory=list)
    liked_by: list[str] = Field(default_factory=list)


class Album(Entity, table=table, pk="ALBUM#{album_id}", sk="ALBUM"):
    """An album with its tags."""

    album_id: str
    tags: set[str] | None = None


class Posts(Store, table=table):
    """The patterns of the posts."""

    @pattern()
    def post(self, post_id: str) -> Get[Post]:
        """A post with its comments."""
        return Post.get(post_id=post_id)

    @pattern()
    def album(self, album_id: str) -> Get[Album]:
        """An album."""
        return Album.get(album_id=album_id)
