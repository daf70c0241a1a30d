"""The index holds what its list shows; whole posts are fetched."""

from dataclasses import dataclass

from singletable import Entity, GlobalIndex, Index, Query, Store, Table, pattern

table = Table("posts", indexes=[GlobalIndex("GSI1", projection=["post_id", "author_id", "title"])])


class Post(Entity, table=table, pk="POST#{post_id}", sk="POST"):
    """A post of an author."""

    by_author = Index("GSI1", pk="AUTHOR#{author_id}", sk="{post_id}")

    post_id: str
    author_id: str
    title: str
    text: str


@dataclass
class Line:
    """A post in a list."""

    post_id: str
    title: str


class Posts(Store, table=table):
    """The patterns of the posts."""

    @pattern(page=20)
    def posts(self, author_id: str) -> Query[Line]:
        """The titles of an author's posts."""
        return Post.by_author.query(author_id=author_id).only(Line)

    @pattern(page=20)
    def whole_posts(self, author_id: str) -> Query[Post]:
        """The posts of an author."""
        return Post.by_author.query(author_id=author_id).fetch(Post)
