"""Every access pattern, asked of the data to begin with."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any, Final

from .design import Stories
from .seeding import BEGIN

USER = "user-0000"
CLAIMS: Final[dict[str, Any]] = {"email": "user-0000@example.com", "email_verified": True}


def tour(store: Stories) -> Iterator[Any]:
    """Give a read of each access pattern."""
    first, last = BEGIN.date(), BEGIN.date() + timedelta(days=80)
    story = store.discover(first, last).page()[0]
    chapter = story.first_node_id or ""
    reader = store.readers_of(story.story_id).page()[0].user_id
    yield store.discover(first, last)
    yield store.story(story.story_id)
    yield store.covers([story.story_id])
    yield store.chapters(story.story_id)
    yield store.chapter(story.story_id, chapter)
    yield store.level(story.story_id, 1)
    yield store.branches_after(story.story_id, 1, chapter)
    yield store.profile(USER)
    yield store.stories_of(story.author_id)
    yield store.public_stories_of(story.author_id)
    yield store.branches_of(story.author_id)
    yield store.bookmark(reader, story.story_id)
    yield store.bookmarks(reader)
    yield store.readers_of(story.story_id)
    yield store.reading(reader, chapter)
    yield store.vote(reader, chapter)
    yield store.notifications(USER)
    yield store.notification("none")
    yield store.receipt("none")
