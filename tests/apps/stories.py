"""Stories of two authors and what two readers did, and what each access pattern gives of them."""

from datetime import date, datetime

from apps.stories.design import (
    Bookmark,
    Chapter,
    Notification,
    Reading,
    Request,
    Status,
    Stories,
    Story,
    User,
    Vote,
)
from singletable import Entity, Large
from tests.apps.worlds import Case, World, at

NAMES = {"u1": "Ann", "u10": "Ben"}
DEPTHS = {None: 0, "n1": 1, "n2": 2, "n10": 1}
"""How deep a chapter is that follows another one."""


def _user(user: str) -> User:
    name = NAMES[user]
    return User(user_id=user, email=f"{name}@example.com", display_name=name)


def _story(story: str, author: str, status: Status, begun: datetime) -> Story:
    return Story(
        story_id=story,
        title=f"Story {story}",
        synopsis="Somebody goes somewhere.",
        author_id=author,
        author_name=NAMES[author],
        genre="fantasy",
        age_rating="12+",
        status=status,
        created_at=begun,
        updated_at=begun,
        published_at=None if status == "DRAFT" else begun,
    )


def _chapter(
    node: str, story: str, parent: str | None, author: str, order: int, written: datetime
) -> Chapter:
    return Chapter(
        node_id=node,
        story_id=story,
        parent_node_id=parent,
        depth=DEPTHS[parent],
        author_id=author,
        author_name=NAMES[author],
        title=f"Chapter {node}",
        content=Large("It goes on."),
        order=order,
        created_at=written,
        updated_at=written,
    )


def _bookmark(user: str, story: str) -> Bookmark:
    return Bookmark(user_id=user, story_id=story, current_node_id="n1", updated_at=at(5, 1))


def _notification(user: str, notification: str, sent: datetime) -> Notification:
    return Notification(
        user_id=user,
        notification_id=notification,
        kind="UPVOTE",
        title="A reader likes your chapter",
        message="Somebody liked it.",
        created_at=sent,
    )


ITEMS: list[Entity] = [
    _user("u1"),
    _user("u10"),
    _story("st1", "u1", "PUBLISHED", at(1, 15)),
    _story("st10", "u1", "COMPLETED", at(2, 10)),
    _story("st2", "u1", "DRAFT", at(2, 20)),
    _story("st3", "u10", "PUBLISHED", at(3, 5, 23)),
    _story("st4", "u10", "PUBLISHED", at(3, 31, 23, 59)),
    _story("st5", "u10", "PUBLISHED", at(4, 1, 0)),
    _chapter("n1", "st1", None, "u1", 0, at(4, 1)),
    _chapter("n2", "st1", "n1", "u10", 10, at(4, 2)),
    _chapter("n3", "st1", "n1", "u10", 2, at(4, 3)),
    _chapter("n4", "st1", "n1", "u1", 1, at(4, 4)),
    _chapter("n5", "st1", "n2", "u10", 0, at(4, 5)),
    _chapter("n10", "st10", None, "u1", 0, at(4, 2)),
    _chapter("n11", "st10", "n10", "u1", 0, at(4, 3)),
    _bookmark("u1", "st3"),
    _bookmark("u1", "st10"),
    _bookmark("u10", "st1"),
    Reading(user_id="u1", story_id="st1", node_id="n2"),
    Vote(user_id="u1", story_id="st1", node_id="n2", vote_type="UPVOTE"),
    Vote(user_id="u1", story_id="st1", node_id="n3", vote_type="DOWNVOTE"),
    Vote(user_id="u10", story_id="st1", node_id="n2", vote_type="UPVOTE"),
    _notification("u1", "z", at(5, 1)),
    _notification("u1", "y", at(5, 3)),
    _notification("u1", "x", at(5, 2)),
    _notification("u10", "w", at(5, 4)),
    Request(request_id="r1", fingerprint="f", made={}, expires_at=at(12, 31, 23)),
]

CASES: list[Case[Stories]] = [
    Case("a story has a cover", lambda store: store.story("st1"), ["Story st1"]),
    Case("there may be no story", lambda store: store.story("st"), []),
    Case(
        "covers are asked for by their ids",
        lambda store: store.covers(["st3", "st", "st1"]),
        ["Story st3", "Story st1"],
    ),
    Case("a chapter is one item", lambda store: store.chapter("st1", "n2"), ["Chapter n2"]),
    Case(
        "chapters are of one story",
        lambda store: store.chapters("st1"),
        ["Chapter n1", "Chapter n2", "Chapter n3", "Chapter n4", "Chapter n5"],
    ),
    Case(
        "branches come in the author's order, 2 before 10",
        lambda store: store.branches_after("st1", 1, "n1"),
        ["Chapter n4", "Chapter n3", "Chapter n2"],
    ),
    Case("a story may end", lambda store: store.branches_after("st1", 3, "n5"), []),
    Case(
        "branches are of the story that is asked for",
        lambda store: store.branches_after("st10", 1, "n1"),
        [],
    ),
    Case(
        "a level has the chapters of each parent together",
        lambda store: store.level("st1", 1),
        ["Chapter n4", "Chapter n3", "Chapter n2"],
    ),
    Case("a level may be a chapter", lambda store: store.level("st1", 2), ["Chapter n5"]),
    Case("a user has a profile", lambda store: store.profile("u10"), ["User u10"]),
    Case(
        "an author's stories come newest first, drafts too",
        lambda store: store.stories_of("u1"),
        ["Story st2", "Story st10", "Story st1"],
    ),
    Case(
        "an author's stories come newest first for readers, without drafts",
        lambda store: store.public_stories_of("u1"),
        ["Story st10", "Story st1"],
    ),
    Case(
        "an author's chapters come newest first",
        lambda store: store.branches_of("u10"),
        ["Chapter n5", "Chapter n3", "Chapter n2"],
    ),
    Case("a bookmark is one item", lambda store: store.bookmark("u1", "st10"), ["Bookmark st10"]),
    Case("a bookmark of others is none", lambda store: store.bookmark("u1", "st1"), []),
    Case(
        "bookmarks are of one reader",
        lambda store: store.bookmarks("u1"),
        ["Bookmark st10", "Bookmark st3"],
    ),
    Case("readers are of one story", lambda store: store.readers_of("st10"), ["Bookmark st10"]),
    Case("a reading is one item", lambda store: store.reading("u1", "n2"), ["Reading n2"]),
    Case("a vote is one item", lambda store: store.vote("u1", "n3"), ["Vote n3"]),
    Case(
        "notifications come newest first",
        lambda store: store.notifications("u1"),
        ["Notification y", "Notification x", "Notification z"],
    ),
    Case(
        "a link leads to a notification",
        lambda store: store.notification("x"),
        ["Notification x"],
    ),
    Case(
        "public stories come newest first, a request for each shard of each month, no drafts",
        lambda store: store.discover(at(1, 1), at(3, 31)),
        ["Story st3", "Story st10", "Story st1"],
        requests=12,
    ),
    Case(
        "public stories until a date, the whole day included",
        lambda store: store.discover(date(2026, 3, 1), date(2026, 3, 31)),
        ["Story st4", "Story st3"],
        requests=4,
    ),
    Case(
        "public stories since a moment within a month",
        lambda store: store.discover(at(2, 10), at(3, 5, 23)),
        ["Story st3", "Story st10"],
        requests=8,
    ),
    Case("a request has a receipt", lambda store: store.receipt("r1"), ["Request r1"]),
]


def world() -> World[Stories]:
    """Write the items into a store."""
    return World(Stories, ITEMS, CASES)
