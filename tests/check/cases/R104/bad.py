"""Drafts, asked of an index that holds what is published."""

from typing import Literal

from singletable import Entity, Index, Query, Store, Table, pattern

table = Table("posts", indexes=["GSI1"])


class Post(Entity, table=table, pk="POST#{post_id}", sk="POST"):
    """A post of an author."""

    listed = Index(
        "GSI1",
        pk="AUTHOR#{author_id}#{status}",
        sk="{post_id}",
        when={"status": "PUBLISHED"},
    )

    post_id: str
    author_id: str
    status: Literal["DRAFT", "PUBLISHED"] = "DRAFT"


class Posts(Store, table=table):
    """The patterns of the posts."""

    @pattern(page=20)
    def drafts(self, author_id: str) -> Query[Post]:
        """The drafts of an author: always none."""
        return Post.listed.query(author_id=author_id, status="DRAFT")
