"""Comments are items; tags are few."""

from dataclasses import dataclass

from pydantic import Field

from singletable import Collection, Entity, Store, Table, collect, pattern, ulid

table = Table("posts")


class Post(Entity, table=table, pk="POST#{post_id}", sk="POST"):
    """A post."""

    post_id: str
    tags: list[str] = Field(default_factory=list, max_length=20)


class Comment(Entity, table=table, pk="POST#{post_id}", sk="POST#{comment_id}"):
    """A comment on a post."""

    post_id: str
    comment_id: str = ulid()
    text: str


@dataclass
class Thread:
    """A post with its comments."""

    post: Post
    comments: list[Comment]


class Posts(Store, table=table):
    """The patterns of the posts."""

    @pattern()
    def thread(self, post_id: str) -> Collection[Thread]:
        """A post with its comments, in one request."""
        return collect(Thread, post_id=post_id)
