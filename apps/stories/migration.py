"""The story platform leaves its first layout: another table, with most keys as they are here.

What the two have in common comes over row by row. The counters stay behind: they were raised by
whoever remembered, and are counted anew. So do the items that list a chapter's children, which the
chapters themselves tell. A story takes its chapters along, since its cover names the first one.

The first layout told its items apart by their keys alone, and a migration by an attribute: have
the old application write ``entityType``, and ``tell_types`` note it in what was there before.
"""

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from singletable import Entity, Large, Scan, ServiceError, get_many
from singletable.migrate import Migration, Row, rows

from .after import upvote_of
from .design import Bookmark, Chapter, Notification, Reading, Stories, Story, User, Vote

E = TypeVar("E", Bookmark, Vote)

TYPE = "entityType"
TYPES = {
    "PROFILE": "User",
    "METADATA": "Story",
    "CHAPTER": "Chapter",
    "CHILD": "Child",
    "BOOKMARK": "Bookmark",
    "VOTE": "Vote",
    "NOTIFICATION": "Notification",
}
"""What an item is, by how its sort key begins."""


class LeaveFirstLayout(Migration[Stories]):
    """From the table of the first layout to story_hub."""

    queries = {
        "PK = STORY#…, SK = METADATA": "story",
        "PK = STORY#…, SK begins with CHAPTER#": "chapters",
        "PK = USER#…, SK = PROFILE#…": "profile",
        "GSI1PK = USER#…, GSI1SK begins with STORY#": "stories_of",
        "GSI1PK = USER#…, GSI1SK begins with BRANCH#": "branches_of",
        "PK = USER#…, SK = BOOKMARK#…": "bookmark",
        "PK = USER#…, SK begins with NOTIFICATION#": "notifications",
        "GSI1PK = NOTIFICATION#…": "notification",
        "PK = CHAPTER#…, SK begins with CHILD#": "branches_after",
        "GSI1PK = STORY_LIST": "discover",
    }

    @rows("User")
    def users(self, row: Row) -> Iterator[Entity]:
        """A user."""
        yield User(
            user_id=row["userId"],
            email=row["email"],
            display_name=row["displayName"],
            bio=row.get("bio"),
            profile_picture_url=row.get("profilePictureUrl"),
            created_at=row["createdAt"],
            last_login_at=row.get("lastLoginAt"),
        )

    @rows("Story", related={"Chapter": "PK"})
    def stories(self, row: Row) -> Iterator[Entity]:
        """A story; in the list it keeps its place, which was that of its beginning."""
        yield Story(
            story_id=row["storyId"],
            title=row["title"],
            synopsis=row["synopsis"],
            author_id=row["authorId"],
            author_name=row["authorName"],
            genre=row["genre"],
            age_rating=row["ageRating"],
            content_warnings=list(row.get("contentWarnings") or ()),
            cover_image_url=row.get("coverImageUrl"),
            status=row["status"],
            first_node_id=first_of(row),
            created_at=row["createdAt"],
            updated_at=row["updatedAt"],
            published_at=None if row["status"] == "DRAFT" else row["createdAt"],
        )

    @rows("Chapter")
    def chapters(self, row: Row) -> Iterator[Entity]:
        """A chapter; a long text goes beside it."""
        yield Chapter(
            node_id=row["nodeId"],
            story_id=row["storyId"],
            parent_node_id=row.get("parentNodeId") or None,
            author_id=row["authorId"],
            author_name=row["authorName"],
            title=row["title"],
            content=Large(row["content"]),
            matches_vision=row.get("matchesVision", False),
            author_approved=row.get("authorApproved", False),
            depth=row["depth"],
            order=row["order"],
            created_at=row["createdAt"],
            updated_at=row["updatedAt"],
        )

    @rows("Child")
    def children(self, row: Row) -> Iterator[Entity]:
        """Nothing: the chapter that it is a copy of tells as much."""
        yield from ()

    @rows("Bookmark")
    def bookmarks(self, row: Row) -> Iterator[Entity]:
        """A bookmark; whoever is at a chapter has read it, which is all that is known of that."""
        ids = {"user_id": row["userId"], "story_id": row["storyId"]}
        node = row["currentNodeId"]
        yield Bookmark(
            **ids, current_node_id=node, created_at=row["createdAt"], updated_at=row["updatedAt"]
        )
        yield Reading(**ids, node_id=node, created_at=row["updatedAt"])

    @rows("Vote")
    def votes(self, row: Row) -> Iterator[Entity]:
        """A vote: one for each reader and chapter, so that of two the second is refused."""
        yield Vote(
            user_id=row["userId"],
            node_id=row["nodeId"],
            story_id=row["storyId"],
            vote_type=row["voteType"],
            created_at=row["createdAt"],
        )

    @rows("Notification")
    def notifications(self, row: Row) -> Iterator[Entity]:
        """A notification; of a vote that was told several times, the first."""
        yield Notification(
            user_id=row["userId"],
            notification_id=row["notificationId"],
            kind=row["type"],
            title=row["title"],
            message=row["message"],
            related_story_id=row.get("relatedStoryId"),
            related_node_id=row.get("relatedNodeId"),
            related_user_id=row.get("relatedUserId"),
            cause=cause_of(row),
            read=row["read"],
            created_at=row["createdAt"],
        )


def first_of(story: Row) -> str | None:
    """Find the chapter that a story begins with; of several without a parent, the oldest."""
    first = [one for one in story.related["Chapter"] if not one.get("parentNodeId")]
    oldest = min(first, key=lambda one: (one["createdAt"], one["nodeId"]), default=None)
    return None if oldest is None else oldest["nodeId"]


def cause_of(row: Row) -> str | None:
    """Name what a notification tells of, if that is told once."""
    user, node = row.get("relatedUserId"), row.get("relatedNodeId")
    return upvote_of(user, node) if row["type"] == "UPVOTE" and user and node else None


def tell_types(old: Stories) -> int:
    """Note in each item of the old table what it is, where it is not noted; count those.

    ``Stories.connect(address, table_name=…, create=False)`` connects to it, whatever its layout.
    """
    count, last = 0, dict[str, Any]()
    while True:
        page = old.send("Scan", {"TableName": old.table_name, **last})
        count += sum(_told(old, item) for item in page["Items"])
        if "LastEvaluatedKey" not in page:
            return count
        last = {"ExclusiveStartKey": page["LastEvaluatedKey"]}


def _told(old: Stories, item: Mapping[str, Any]) -> bool:
    kind = TYPES.get(item["SK"]["S"].partition("#")[0])
    if kind is None or TYPE in item:
        return False
    request = {
        "TableName": old.table_name,
        "Key": {"PK": item["PK"], "SK": item["SK"]},
        "UpdateExpression": f"SET {TYPE} = :type",
        "ConditionExpression": "attribute_exists(PK)",
        "ExpressionAttributeValues": {":type": {"S": kind}},
    }
    try:
        old.send("UpdateItem", request)
    except ServiceError as error:
        if error.code != "ConditionalCheckFailedException":
            raise
        return False  # it was deleted meanwhile
    return True


def dangling(store: Stories) -> Iterator[Bookmark | Vote]:
    """Find what points at chapters that are not there: the old layout let it be written."""
    yield from _dangling(store, Bookmark.scan(), "current_node_id")
    yield from _dangling(store, Vote.scan(), "node_id")


def _dangling(store: Stories, scan: Scan[E], node: str) -> Iterator[E]:
    after: str | None = None
    while True:
        page = store.bind(scan).page(after)
        places: list[tuple[str, str]] = [(one.story_id, getattr(one, node)) for one in page]
        gets = [Chapter.get(story_id=story, node_id=node_id) for story, node_id in {*places}]
        there = {(one.story_id, one.node_id) for one in store.bind(get_many(gets)).all()}
        yield from (one for one, at in zip(page, places, strict=True) if at not in there)
        after = page.next
        if after is None:
            return
