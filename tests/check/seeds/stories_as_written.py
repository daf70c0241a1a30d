"""The story platform as it was first written down: keys, index and patterns, faults and all.

The fourth pattern asks GSI1 for a user's stories; no story has such a key there, so it is written
as a query of the one place that stories have in GSI1.
"""

from typing import Annotated, Literal

from pydantic import BaseModel

from singletable import Copied, Entity, Get, Index, Query, Store, Table, camel_case, pattern

table = Table(
    "nlmonorepo-tsh-datatable",
    indexes=["GSI1"],
    attribute_names=camel_case,
    stream="NEW_AND_OLD_IMAGES",
)


class StoryStats(BaseModel):
    """What readers did with a story."""

    total_reads: int
    total_upvotes: int
    total_branches: int
    total_chapters: int


class ChapterStats(BaseModel):
    """What readers did with a chapter."""

    reads: int
    upvotes: int
    child_count: int


class UserStats(BaseModel):
    """What a user did."""

    stories_created: int
    branches_contributed: int
    total_reads: int
    total_upvotes: int


class User(Entity, table=table, pk="USER#{user_id}", sk="PROFILE#{user_id}"):
    """A user, synchronised from Cognito."""

    user_id: str
    email: str
    display_name: str
    bio: str | None = None
    profile_picture_url: str | None = None
    created_at: str
    last_login_at: str
    stats: UserStats


class Story(Entity, table=table, pk="STORY#{story_id}", sk="METADATA"):
    """A story."""

    listed = Index("GSI1", pk="STORY_LIST", sk="{created_at}#{story_id}")

    story_id: str
    title: str
    synopsis: str
    author_id: str
    author_name: Annotated[str, Copied(User, "display_name", user_id="author_id")]
    genre: str
    age_rating: str
    content_warnings: list[str]
    cover_image_url: str | None = None
    status: Literal["DRAFT", "PUBLISHED", "COMPLETED"]
    created_at: str
    updated_at: str
    stats: StoryStats


class Chapter(Entity, table=table, pk="STORY#{story_id}", sk="CHAPTER#{node_id}"):
    """A chapter, a node of the story's tree."""

    by_author = Index("GSI1", pk="USER#{author_id}", sk="BRANCH#{created_at}#{node_id}")

    node_id: str
    story_id: str
    parent_node_id: str | None = None
    author_id: str
    author_name: Annotated[str, Copied(User, "display_name", user_id="author_id")]
    title: str
    content: str
    matches_vision: bool
    author_approved: bool
    depth: int
    order: int
    created_at: str
    updated_at: str
    stats: ChapterStats


class Bookmark(Entity, table=table, pk="USER#{user_id}", sk="BOOKMARK#{story_id}"):
    """Where a reader is in a story."""

    user_id: str
    story_id: str
    current_node_id: str
    created_at: str
    updated_at: str


class Vote(Entity, table=table, pk="USER#{user_id}", sk="VOTE#{node_id}"):
    """A vote on a chapter."""

    user_id: str
    node_id: str
    story_id: str
    vote_type: Literal["UPVOTE", "DOWNVOTE"]
    created_at: str


class Notification(
    Entity, table=table, pk="USER#{user_id}", sk="NOTIFICATION#{created_at}#{notification_id}"
):
    """Something that a user should know."""

    by_id = Index("GSI1", pk="NOTIFICATION#{notification_id}", sk="USER#{user_id}")

    notification_id: str
    user_id: str
    kind: Literal["NEW_BRANCH", "UPVOTE", "AUTHOR_APPROVED", "STORY_COMPLETED"]
    title: str
    message: str
    related_story_id: str | None = None
    related_node_id: str | None = None
    related_user_id: str | None = None
    read: bool
    created_at: str


class Child(Entity, table=table, pk="CHAPTER#{parent_node_id}", sk="CHILD#{order}#{node_id}"):
    """A chapter in the list of its parent's children."""

    node_id: str
    parent_node_id: str
    story_id: str
    order: int
    author_id: str
    created_at: str


class Stories(Store, table=table):
    """The document's access patterns 1 to 9."""

    @pattern()
    def story(self, story_id: str) -> Get[Story]:
        """Pattern 1: a story by its id."""
        return Story.get(story_id=story_id)

    @pattern()
    def chapters(self, story_id: str) -> Query[Chapter]:
        """Pattern 2: all chapters of a story."""
        return Chapter.query(story_id=story_id)

    @pattern()
    def user_profile(self, user_id: str) -> Get[User]:
        """Pattern 3: a user's profile."""
        return User.get(user_id=user_id)

    @pattern()
    def stories_of(self, user_id: str) -> Query[Story]:
        """Pattern 4: GSI1PK = USER#<id> and begins_with(GSI1SK, "STORY#")."""
        return Story.listed.query(author_id=user_id)

    @pattern()
    def branches_of(self, user_id: str) -> Query[Chapter]:
        """Pattern 5: the branches that a user has contributed."""
        return Chapter.by_author.query(author_id=user_id)

    @pattern()
    def bookmark(self, user_id: str, story_id: str) -> Get[Bookmark]:
        """Pattern 6: a bookmark."""
        return Bookmark.get(user_id=user_id, story_id=story_id)

    @pattern(page=20)
    def notifications(self, user_id: str) -> Query[Notification]:
        """Pattern 7: a user's notifications, latest first."""
        return Notification.query(user_id=user_id).newest_first()

    @pattern()
    def child_branches(self, parent_node_id: str) -> Query[Child]:
        """Pattern 8: the child branches of a chapter."""
        return Child.query(parent_node_id=parent_node_id)

    @pattern(page=20)
    def discover(self) -> Query[Story]:
        """Pattern 9: the latest stories."""
        return Story.listed.query().newest_first()
