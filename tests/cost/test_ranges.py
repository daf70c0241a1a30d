"""Whose items stand in the range of a read is told by the templates."""

from datetime import datetime
from typing import Any

import pytest

from apps.campaigns.design import Campaigns
from apps.stories.design import Stories
from apps.surveys.design import Surveys
from singletable import Entity, Index, Query, Store, Table, created, pattern
from singletable.cost.ranges import Range, range_of
from singletable.store.tracing import trace
from tests.cost.designs import Shop

table = Table("blog", indexes=["GSI1"])


class Post(Entity, table=table, pk="BLOG#{blog_id}", sk="POST#{post_id}"):
    """A post."""

    by_time = Index("GSI1", pk="BLOG#{blog_id}", sk="{created_at}#{post_id}")
    blog_id: str
    post_id: str
    created_at: datetime = created()


class Comment(Entity, table=table, pk="BLOG#{blog}", sk="POST#{post_id}#{comment_id}"):
    """A comment, which lies behind its post, and calls the blog by another name."""

    by_time = Index("GSI1", pk="BLOG#{blog}", sk="{created_at}#{comment_id}")
    blog: str
    post_id: str
    comment_id: str
    created_at: datetime = created()


class Author(Entity, table=table, pk="BLOG#{blog_id}", sk="AUTHOR#{author_id}"):
    """An author, in the same partition, but elsewhere in it."""

    blog_id: str
    author_id: str


class Blog(Store, table=table):
    """Reads whose ranges hold more or less."""

    @pattern()
    def posts(self, blog_id: str) -> Query[Post]:
        """Reads the comments too."""
        return Post.query(blog_id=blog_id)

    @pattern()
    def some_posts(self, blog_id: str, first: str, last: str) -> Query[Post]:
        """Reads the comments between."""
        return Post.query(blog_id=blog_id).between(first, last)

    @pattern()
    def post(self, blog_id: str, post_id: str) -> Query[Post]:
        """Reads one item."""
        return Post.query(blog_id=blog_id, post_id=post_id)

    @pattern()
    def latest(self, blog_id: str, since: datetime) -> Query[Post]:
        """Reads the comments too, in the order of time."""
        return Post.by_time.query(blog_id=blog_id).ge(since)

    @pattern()
    def authors(self, blog_id: str) -> Query[Author]:
        """Reads authors alone."""
        return Author.query(blog_id=blog_id)


def _ranges(store: type[Store]) -> dict[str, Range]:
    return {traced.pattern.name: range_of(traced) for traced in trace(store)}


@pytest.mark.parametrize(
    ("name", "others"),
    [
        ("posts", ["Comment"]),
        ("some_posts", ["Comment"]),
        ("post", []),
        ("latest", ["Comment"]),
        ("authors", []),
    ],
)
def test_items_of_others_that_lie_in_the_range_are_found(name: str, others: list[str]) -> None:
    assert [schema.name for schema in _ranges(Blog)[name].others] == others


@pytest.mark.parametrize("store", [Campaigns, Stories, Surveys])
def test_no_pattern_of_the_apps_reads_what_it_does_not_want(store: Any) -> None:
    assert {name: one.others for name, one in _ranges(store).items() if one.others} == {}


def test_shards_lie_side_by_side_and_buckets_follow_each_other() -> None:
    ranges = _ranges(Shop)
    assert (ranges["sent"].shards, len(ranges["sent"].groups)) == (4, 1)
    assert (ranges["placed"].shards, len(ranges["placed"].groups)) == (1, 1)


def test_a_scan_reads_every_entity() -> None:
    everything = _ranges(Shop)["everything"]
    assert [schema.name for schema in everything.wanted] == ["Order"]
    assert len(everything.others) == 4
