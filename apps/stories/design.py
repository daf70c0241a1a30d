"""The design of the story platform: its table, its entities, every access pattern.

A story lies in a partition with its chapters; a chapter may have many followers, so that readers
choose how the story goes on. What a reader does lies in the reader's partition. The public list
is cut into months and each month into shards: every vote changes the cover of its story, and one
partition for all stories would have to take all of these writes.
"""

from datetime import date, datetime
from typing import Annotated, Literal

from pydantic import Field

from apps.receipts import Receipt
from singletable import (
    BatchGet,
    Copied,
    Entity,
    F,
    Get,
    Index,
    Inline,
    InParts,
    Large,
    Query,
    Store,
    Table,
    Unique,
    between,
    camel_case,
    count_of,
    created,
    get_many,
    ksuid,
    pattern,
    sum_of,
    updated,
    version,
)

table = Table(
    "story_hub",
    indexes=["GSI1", "GSI2"],
    attribute_names=camel_case,
    ttl="ttl",
    stream="NEW_AND_OLD_IMAGES",
)

Status = Literal["DRAFT", "PUBLISHED", "COMPLETED"]
VoteType = Literal["UPVOTE", "DOWNVOTE"]
DEPTH_MAX = 999
ORDER_MAX = 99_999
WARNINGS_MAX = 20


class User(Entity, table=table, pk="USER#{user_id}", sk="PROFILE#{user_id}"):
    """A reader or author. The id is the subject of the user's token."""

    user_id: str
    email: Annotated[str, Unique()]
    display_name: str
    bio: str | None = None
    profile_picture_url: str | None = None
    stories_created: int = count_of("Story", user_id="author_id")
    branches_contributed: int = count_of("Chapter", user_id="author_id")
    reads_received: int = sum_of("Chapter", "read_count", user_id="author_id", kept_by="stream")
    upvotes_received: int = sum_of("Chapter", "upvote_count", user_id="author_id", kept_by="stream")
    created_at: datetime = created()
    last_login_at: datetime | None = None


class Story(Entity, table=table, pk="STORY#{story_id}", sk="METADATA"):
    """A story: what its cover says."""

    published = Index(
        "GSI1",
        pk="STORIES#{published_at:%Y-%m}#{story_id:shard 4}",
        sk="{published_at}#{story_id}",
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
    content_warnings: Annotated[list[str], Field(max_length=WARNINGS_MAX)] = []
    cover_image_url: str | None = None
    status: Status = "DRAFT"
    first_node_id: str | None = None
    chapter_count: int = count_of("Chapter")
    read_count: int = count_of("Reading", kept_by="stream")
    upvote_count: int = count_of("Vote", when={"vote_type": "UPVOTE"}, kept_by="stream")
    created_at: datetime = created()
    updated_at: datetime = updated()
    published_at: datetime | None = None
    version: int = version()


class Chapter(Entity, table=table, pk="STORY#{story_id}", sk="CHAPTER#{node_id}"):
    """A chapter: a node of the story's tree. The first one has no parent."""

    by_author = Index("GSI1", pk="USER#{author_id}", sk="BRANCH#{created_at}#{node_id}")
    by_level = Index(
        "GSI2",
        pk="STORY#{story_id}",
        sk="LEVEL#{depth:03d}#{parent_node_id}#{order:05d}#{node_id}",
    )

    node_id: str = ksuid()
    story_id: str
    parent_node_id: str | None = None
    author_id: str
    author_name: Annotated[str, Copied(User, "display_name", user_id="author_id")]
    title: str
    content: Annotated[Large[str], InParts(), Inline(500)]
    matches_vision: bool = False
    author_approved: bool = False
    depth: Annotated[int, Field(ge=0, le=DEPTH_MAX)] = 0
    order: Annotated[int, Field(ge=0, le=ORDER_MAX)] = 0
    branch_count: int = count_of("Chapter", node_id="parent_node_id", kept_by="stream")
    read_count: int = count_of("Reading", kept_by="stream")
    upvote_count: int = count_of("Vote", when={"vote_type": "UPVOTE"})
    downvote_count: int = count_of("Vote", when={"vote_type": "DOWNVOTE"})
    created_at: datetime = created()
    updated_at: datetime = updated()
    version: int = version()


class Bookmark(Entity, table=table, pk="USER#{user_id}", sk="BOOKMARK#{story_id}"):
    """Where a reader is in a story."""

    by_story = Index("GSI1", pk="READERS#{story_id}", sk="USER#{user_id}")

    user_id: str
    story_id: str
    current_node_id: str
    created_at: datetime = created()
    updated_at: datetime = updated()


class Reading(Entity, table=table, pk="USER#{user_id}", sk="READING#{node_id}"):
    """That a reader has read a chapter: the key counts it once, however often it is opened."""

    user_id: str
    node_id: str
    story_id: str
    created_at: datetime = created()


class Vote(Entity, table=table, pk="USER#{user_id}", sk="VOTE#{node_id}"):
    """A reader's vote on a chapter: the key allows one."""

    user_id: str
    node_id: str
    story_id: str
    vote_type: VoteType
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
    cause: Annotated[str | None, Unique()] = None
    """What it tells of, where that is told once, however often it happens."""
    read: bool = False
    created_at: datetime = created()


class Request(Receipt, Entity, table=table, pk="REQUEST#{request_id}", sk="REQUEST"):
    """That a request was carried out, for whoever sends it again."""


class Stories(Store, table=table):
    """Every access pattern of the story platform.

    What is asked for by its key is read strongly: who has just written it sees it.
    """

    ignored = {
        "R104": {"level": "the first chapter has no parent, and the cover of its story names it"},
    }

    @pattern(rate_per_s=50)
    def story(self, story_id: str) -> Get[Story]:
        """A story's cover page."""
        return Story.get(story_id=story_id).strong()

    @pattern()
    def covers(self, story_ids: list[str]) -> BatchGet[Story]:
        """The covers of some stories, for a list that is of something else."""
        return get_many(Story.get(story_id=story_id) for story_id in story_ids)

    @pattern(rate_per_s=50)
    def chapter(self, story_id: str, node_id: str) -> Get[Chapter]:
        """One chapter, to read."""
        return Chapter.get(story_id=story_id, node_id=node_id).strong()

    @pattern(page=25)
    def chapters(self, story_id: str) -> Query[Chapter]:
        """All chapters of a story."""
        return Chapter.query(story_id=story_id)

    @pattern(page=100)
    def level(self, story_id: str, depth: int) -> Query[Chapter]:
        """The chapters that are so many steps from the first, those of one parent together."""
        return Chapter.by_level.query(story_id=story_id, depth=depth)

    @pattern(rate_per_s=50, page=20)
    def branches_after(self, story_id: str, depth: int, node_id: str) -> Query[Chapter]:
        """How the story goes on after a chapter, one step deeper, in the author's order."""
        return Chapter.by_level.query(story_id=story_id, depth=depth, parent_node_id=node_id)

    @pattern()
    def profile(self, user_id: str) -> Get[User]:
        """A user's profile."""
        return User.get(user_id=user_id).strong()

    @pattern(page=20)
    def stories_of(self, user_id: str) -> Query[Story]:
        """The stories that a user has begun, newest first, for the author."""
        return Story.by_author.query(author_id=user_id).newest_first()

    @pattern(page=20)
    def public_stories_of(self, user_id: str) -> Query[Story]:
        """The stories that a user has begun, newest first, for readers."""
        stories = Story.by_author.query(author_id=user_id).newest_first()
        return stories.filter(F("status") != "DRAFT")

    @pattern(page=20)
    def branches_of(self, user_id: str) -> Query[Chapter]:
        """The chapters that a user has contributed, newest first."""
        return Chapter.by_author.query(author_id=user_id).newest_first()

    @pattern(rate_per_s=20)
    def bookmark(self, user_id: str, story_id: str) -> Get[Bookmark]:
        """Where a reader left a story."""
        return Bookmark.get(user_id=user_id, story_id=story_id).strong()

    @pattern(page=20)
    def bookmarks(self, user_id: str) -> Query[Bookmark]:
        """Every story that a reader has begun to read."""
        return Bookmark.query(user_id=user_id)

    @pattern(page=100)
    def readers_of(self, story_id: str) -> Query[Bookmark]:
        """Everybody who reads a story, to tell them of it."""
        return Bookmark.by_story.query(story_id=story_id)

    @pattern()
    def reading(self, user_id: str, node_id: str) -> Get[Reading]:
        """Whether a reader has read a chapter."""
        return Reading.get(user_id=user_id, node_id=node_id).strong()

    @pattern()
    def vote(self, user_id: str, node_id: str) -> Get[Vote]:
        """What a reader thinks of a chapter."""
        return Vote.get(user_id=user_id, node_id=node_id).strong()

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
        return Story.published.query(published_at=between(since, until)).newest_first()

    @pattern()
    def receipt(self, request_id: str) -> Get[Request]:
        """What became of a request."""
        return Request.get(request_id=request_id).strong()
