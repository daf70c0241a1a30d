"""What the routes share: the store, the ids in paths, and who may see and change what.

A draft is its author's alone: for anybody else it is not there, nor is what belongs to it.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Path, Request
from pydantic import Field, StringConstraints

from apps.service import AnyCaller, Caller, Problem
from apps.stories.design import Chapter, Stories, Story, User

# No control characters, and not the delimiter of keys.
ID = StringConstraints(min_length=1, max_length=100, pattern=r"^[^\x00-\x1f\x7f#]+$")

StoryId = Annotated[str, ID, Path(description="A story's id.")]
NodeId = Annotated[str, ID, Path(description="A chapter's id.")]
UserId = Annotated[str, ID, Path(description="A user's id.")]
GivenNodeId = Annotated[str, ID]
Url = Annotated[str, StringConstraints(max_length=2000, pattern=r"^https://\S+$")]
Title = Annotated[str, Field(min_length=1, max_length=200)]


async def _connected(request: Request, _: Caller) -> Stories:
    """Give the store, to whoever has a token that counts: no route has it without."""
    store: Stories = request.app.state.service.store
    return store


Connected = Annotated[Stories, Depends(_connected)]


def seen_story(store: Stories, story_id: str, caller: AnyCaller) -> Story:
    """Give a story that the caller may see."""
    found = store.story(story_id).first()
    if found is None or (found.status == "DRAFT" and found.author_id != caller.subject):
        raise Problem(404, f"There is no story {story_id}")
    return found


def own_story(store: Stories, story_id: str, caller: AnyCaller) -> Story:
    """Give a story that the caller may change."""
    found = seen_story(store, story_id, caller)
    if found.author_id != caller.subject:
        raise Problem(403, "Only its author changes a story")
    return found


def seen_chapter(store: Stories, story_id: str, node_id: str, caller: AnyCaller) -> Chapter:
    """Give a chapter of a story that the caller may see."""
    seen_story(store, story_id, caller)
    return chapter_of(store, story_id, node_id)


def chapter_of(store: Stories, story_id: str, node_id: str) -> Chapter:
    """Give a chapter of a story."""
    found = store.chapter(story_id, node_id).first()
    if found is None:
        raise Problem(404, f"There is no chapter {node_id} in the story {story_id}")
    return found


def profile_of(store: Stories, caller: AnyCaller) -> User:
    """Give the caller's profile, which whoever writes needs."""
    found = store.profile(caller.subject).first()
    if found is None:
        raise Problem(403, "Say first who you are: PUT /me")
    return found
