"""The design of the story platform: its table, its entities, every access pattern.

A story lies in a partition with its chapters; a chapter may have many followers, so that readers
choose how the story goes on. What a reader does lies in the reader's partition. The public list
is cut into months: one partition for all stories would have to take all writes and all reads.
"""

from datetime import date, datetime
from typing import Annotated, Literal

from pydantic import BaseModel

from singletable import (
    Copied,
    Entity,
    Get,
    Index,
    Query,
    Store,
    Table,
    Unique,
    between,
    camel_case,
    count_of,
    created,
    ksuid,
    pattern,
    updated,
    version,
)

table = Table(
    "story_hub",
    indexes=["GSI1", "GSI2"],
    attribute_names=camel_case,
    stream="NEW_AND_OLD_IMAGES",
)


class ReadingStats(BaseModel):
    """What readers did, counted as it happens."""

    reads: int = 0
    upvotes: int = 0


class User(Entity, table=table, pk="USER#{user_id}", sk="PROFILE#{user_id}"):
    """A reader or author. The id is the subject of the user's token."""

    user_id: str
    email: Annotated[str, Unique()]
    display_name: str
    bio: str | None = None
    profile_picture_url: str | None = None
    stories_created: int = count_of("Story", user_id="author_id")
    branches_contributed: int = count_of("Chapter", user_id="author_id")
    created_at: datetime = created()
    last_login_at: datetime | None = None


class Story(Entity, table=table, pk="STORY#{story_id}", sk="METADATA"):
    """A story: what its cover says."""

    published = Index(
        "GSI1",
        pk="STORIES#{created_at:%Y-%m}",
        sk="{created_at}#{story_id}",
        when={"status": ("PUBLISHED", "COMPLETED")},
    )
    by_author = Index("GSI2", pk="USER#{author_id}", sk="STORY#{created_at}#{story_id}")

    story_id: str = ksuid()
    title: str
    synopsis: str
    author_id: str
    author_name: Annotated[str, Copied(User, "display_name", user_id="author_id")]
    genre: str
    age_rating: str
    content_warnings: list[str] = []
    cover_image_url: str | None = None
    status: Literal["DRAFT", "PUBLISHED", "COMPLETED"] = "DRAFT"
    chapter_count: int = count_of("Chapter")
    stats: ReadingStats = ReadingStats()
    created_at: datetime = created()
    updated_at: datetime = updated()
    version: int = version()


class Chapter(Entity, table=table, pk="STORY#{story_id}", sk="CHAPTER#{node_id}"):
    """A chapter: a node of the story's tree. The first one has no parent."""

    by_author = Index("GSI1", pk="USER#{author_id}", sk="BRANCH#{created_at}#{node_id}")
    by_parent = Index("GSI2", pk="CHAPTER#{parent_node_id}", sk="CHILD#{order:05d}#{node_id}")

    node_id: str = ksuid()
    story_id: str
    parent_node_id: str | None = None
    author_id: str
    author_name: Annotated[str, Copied(User, "display_name", user_id="author_id")]
    title: str
    content: str
    matches_vision: bool = False
    author_approved: bool = False
    depth: int = 0
    order: int = 0
    stats: ReadingStats = ReadingStats()
    upvote_count: int = count_of("Vote", when={"vote_type": "UPVOTE"})
    created_at: datetime = created()
    updated_at: datetime = updated()


class Bookmark(Entity, table=table, pk="USER#{user_id}", sk="BOOKMARK#{story_id}"):
    """Where a reader is in a story."""

    user_id: str
    story_id: str
    current_node_id: str
    created_at: datetime = created()
    updated_at: datetime = updated()


class Vote(Entity, table=table, pk="USER#{user_id}", sk="VOTE#{node_id}"):
    """A reader's vote on a chapter: the key allows one."""

    user_id: str
    node_id: str
    story_id: str
    vote_type: Literal["UPVOTE", "DOWNVOTE"]
    created_at: datetime = created()


class Notification(
    Entity, table=table, pk="USER#{user_id}", sk="NOTIFICATION#{created_at}#{notification_id}"
):
    """Something that a user should know."""

    by_id = Index("GSI1", pk="NOTIFICATION#{notification_id}", sk="USER#{user_id}")

    user_id: str
    notification_id: str = ksuid()
    kind: Literal["NEW_BRANCH", "UPVOTE", "AUTHOR_APPROVED", "STORY_COMPLETED"]
    title: str
    message: str
    related_story_id: str | None = None
    related_node_id: str | None = None
    related_user_id: str | None = None
    read: bool = False
    created_at: datetime = created()


class Stories(Store, table=table):
    """Every access pattern of the story platform."""

    ignored = {
        "H403": {"Story.published": "stories are begun and changed some dozen times a minute"},
    }

    @pattern(rate_per_s=50)
    def story(self, story_id: str) -> Get[Story]:
        """A story's cover page."""
        return Story.get(story_id=story_id)

    @pattern(rate_per_s=50)
    def chapter(self, story_id: str, node_id: str) -> Get[Chapter]:
        """One chapter, to read."""
        return Chapter.get(story_id=story_id, node_id=node_id)

    @pattern(page=25)
    def chapters(self, story_id: str) -> Query[Chapter]:
        """All chapters of a story."""
        return Chapter.query(story_id=story_id)

    @pattern(rate_per_s=50, page=20)
    def branches_after(self, node_id: str) -> Query[Chapter]:
        """How the story can go on after a chapter, in the author's order."""
        return Chapter.by_parent.query(parent_node_id=node_id)

    @pattern()
    def profile(self, user_id: str) -> Get[User]:
        """A user's profile."""
        return User.get(user_id=user_id)

    @pattern(page=20)
    def stories_of(self, user_id: str) -> Query[Story]:
        """The stories that a user has begun, newest first."""
        return Story.by_author.query(author_id=user_id).newest_first()

    @pattern(page=20)
    def branches_of(self, user_id: str) -> Query[Chapter]:
        """The chapters that a user has contributed, newest first."""
        return Chapter.by_author.query(author_id=user_id).newest_first()

    @pattern(rate_per_s=20)
    def bookmark(self, user_id: str, story_id: str) -> Get[Bookmark]:
        """Where a reader left a story."""
        return Bookmark.get(user_id=user_id, story_id=story_id)

    @pattern(page=20)
    def bookmarks(self, user_id: str) -> Query[Bookmark]:
        """Every story that a reader has begun to read."""
        return Bookmark.query(user_id=user_id)

    @pattern()
    def vote(self, user_id: str, node_id: str) -> Get[Vote]:
        """What a reader thinks of a chapter."""
        return Vote.get(user_id=user_id, node_id=node_id)

    @pattern(rate_per_s=20, page=20)
    def notifications(self, user_id: str) -> Query[Notification]:
        """A user's notifications, newest first."""
        return Notification.query(user_id=user_id).newest_first()

    @pattern()
    def notification(self, notification_id: str) -> Query[Notification]:
        """The notification behind a link in a mail."""
        return Notification.by_id.query(notification_id=notification_id)

    @pattern(rate_per_s=100, page=20)
    def discover(self, since: date, until: date) -> Query[Story]:
        """The public stories between two dates or moments, newest first."""
        return Story.published.query(created_at=between(since, until)).newest_first()
