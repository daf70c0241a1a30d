"""Realistic data, the same whenever it is made: authors, trees of chapters, what readers did."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Final, Literal

from singletable import Entity, Large

from .design import Bookmark, Chapter, Reading, Status, Stories, Story, User, Vote, VoteType

Size = Literal["small", "medium", "large"]

USERS: Final[dict[Size, int]] = {"small": 8, "medium": 60, "large": 1000}
BEGIN = datetime(2026, 1, 5, 19, tzinfo=UTC)
DAYS = 300
CHAPTERS_MAX = 16
READERS_MAX = 8
STATES: Final[tuple[Status, ...]] = ("DRAFT", "PUBLISHED", "PUBLISHED", "PUBLISHED", "COMPLETED")
VOTES: Final[tuple[VoteType, ...]] = ("UPVOTE", "UPVOTE", "UPVOTE", "DOWNVOTE")

NAMES = ("Ada", "Bela", "Chidi", "Dora", "Emil", "Farah", "Goran", "Hana", "Ines", "Jun")
KINDS = ("Lighthouse", "Orchard", "Border", "Archive", "Ferry", "Observatory", "Well", "Circus")
MOODS = ("Last", "Hollow", "Borrowed", "Winter", "Paper", "Seventh", "Quiet", "Burning")
GENRES = ("fantasy", "mystery", "romance", "science fiction", "horror")
LINES = (
    "Nobody had been there since the war.",
    "She counted the steps, and there was one too many.",
    "The letter was addressed to somebody with his name.",
    "Below, something that was not the sea drew breath.",
    "They agreed never to speak of it, and spoke of it at once.",
    "The dog would not go in.",
)


def seed(store: Stories, size: Size = "small") -> int:
    """Fill a store; count the items."""
    count = USERS[size]
    written = 0
    for items in _users(count), *(_story(number, count) for number in range(count)):
        together = list(items)
        store.put_many(together)
        written += len(together)
    return written


def _users(count: int) -> Iterator[Entity]:
    for number in range(count):
        yield User(
            user_id=_id(number),
            email=f"{_id(number)}@example.com",
            display_name=_name(number),
            created_at=BEGIN,
        )


def _story(number: int, users: int) -> Iterable[Entity]:
    """Make a story with all that belongs to it, in the order in which it can be counted."""
    random = Random(number)  # noqa: S311 - the same every time
    begun = BEGIN + timedelta(days=number * DAYS / users, minutes=random.randrange(600))
    status = random.choice(STATES)
    story = Story(
        story_id=f"story-{number:04d}",
        title=f"The {random.choice(MOODS)} {random.choice(KINDS)}",
        synopsis=random.choice(LINES),
        author_id=_id(number),
        author_name=_name(number),
        genre=random.choice(GENRES),
        age_rating=random.choice(("all", "12+", "16+")),
        status=status,
        first_node_id=_node(number, 0),
        created_at=begun,
        published_at=None if status == "DRAFT" else begun + timedelta(days=1),
    )
    chapters = list(_chapters(story, number, users, random))
    readers = random.sample(range(users), random.randint(1, min(users, READERS_MAX)))
    if status == "DRAFT":
        return [story, *chapters]
    return [
        story,
        *chapters,
        *(one for reader in readers for one in _reads(reader, chapters, random)),
    ]


def _chapters(story: Story, number: int, users: int, random: Random) -> Iterator[Chapter]:
    """Make a tree: each chapter follows one that was written before it."""
    depths = [0]
    for place in range(random.randint(3, CHAPTERS_MAX)):
        parent = random.randrange(place) if place else None
        depths.append(0 if parent is None else depths[parent + 1] + 1)
        own = story.status == "DRAFT" or parent is None
        author = number if own else random.randrange(users)
        yield Chapter(
            node_id=_node(number, place),
            story_id=story.story_id,
            parent_node_id=None if parent is None else _node(number, parent),
            author_id=_id(author),
            author_name=_name(author),
            title=f"{random.choice(MOODS)} {random.choice(KINDS)}",
            content=Large(" ".join(random.choices(LINES, k=random.randint(5, 120)))),
            author_approved=not own and random.random() < 1 / 2,
            depth=depths[-1],
            order=place,
            created_at=story.created_at + timedelta(days=2, hours=place),
        )


def _reads(reader: int, chapters: list[Chapter], random: Random) -> Iterator[Entity]:
    """Have a reader read some chapters, vote on some of them, and stop at one."""
    read = random.sample(chapters, random.randint(1, len(chapters)))
    for chapter in read:
        ids = {"user_id": _id(reader), "story_id": chapter.story_id, "node_id": chapter.node_id}
        at = chapter.created_at + timedelta(hours=random.randint(1, 90))
        yield Reading(**ids, created_at=at)
        if random.random() < 1 / 3:
            yield Vote(**ids, vote_type=random.choice(VOTES), created_at=at)
    stopped = read[-1]
    yield Bookmark(
        user_id=_id(reader),
        story_id=stopped.story_id,
        current_node_id=stopped.node_id,
        created_at=stopped.created_at,
    )


def _id(user: int) -> str:
    return f"user-{user:04d}"


def _name(user: int) -> str:
    return NAMES[user % len(NAMES)]


def _node(story: int, place: int) -> str:
    return f"chapter-{story:04d}-{place:02d}"
