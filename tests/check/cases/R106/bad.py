"""Titles, from an index that holds keys alone."""

from singletable import Entity, GlobalIndex, Index, Query, Store, Table, pattern

table = Table("posts", indexes=[GlobalIndex("GSI1", projection="KEYS_ONLY")])


class Post(Entity, table=table, pk="POST#{post_id}", sk="POST"):
    """A post of an author."""

    by_author = Index("GSI1", pk="AUTHOR#{author_id}", sk="{post_id}")

    post_id: str
    author_id: str
    title: str


class Posts(Store, table=table):
    """The patterns of the posts."""

    @pattern(page=20)
    def posts(self, author_id: str) -> Query[Post]:
        """The posts of an author."""
        return Post.by_author.query(author_id=author_id)
