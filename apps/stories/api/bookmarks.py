"""Bookmarks: where a reader is in each story."""

from __future__ import annotations

from fastapi import APIRouter

from apps.service import After, Caller, Limit, Listing, Problem, Sent, documented
from apps.stories.design import Bookmark

from .common import Connected, GivenNodeId, StoryId, seen_chapter

router = APIRouter(
    prefix="/me/bookmarks", tags=["readers"], responses=documented(400, 401, 422, 429, 503)
)


class Place(Sent):
    """Where a reader is: at a chapter."""

    current_node_id: GivenNodeId


@router.get("")
def read_all(
    caller: Caller, store: Connected, after: After = None, limit: Limit = 20
) -> Listing[Bookmark]:
    """List one's bookmarks."""
    return Listing.of(store.bookmarks(caller.subject).limit(limit).page(after))


@router.get("/{story_id}", responses=documented(404))
def read(story_id: StoryId, caller: Caller, store: Connected) -> Bookmark:
    """Show where one left a story."""
    found = store.bookmark(caller.subject, story_id).first()
    if found is None:
        raise Problem(404, "You have no bookmark in this story")
    return found


@router.put("/{story_id}", responses=documented(404, 413))
def move(story_id: StoryId, body: Place, caller: Caller, store: Connected) -> Bookmark:
    """Put one's bookmark at a chapter of a story."""
    seen_chapter(store, story_id, body.current_node_id, caller)
    key = Bookmark.key(user_id=caller.subject, story_id=story_id)
    return store.upsert(key, current_node_id=body.current_node_id)


@router.delete("/{story_id}", status_code=204)
def remove(story_id: StoryId, caller: Caller, store: Connected) -> None:
    """Take one's bookmark out of a story; it is no error if there is none."""
    store.delete(Bookmark.key(user_id=caller.subject, story_id=story_id))
