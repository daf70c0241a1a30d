"""The tree of a story's chapters: how it goes on after one, and level by level."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path

from apps.service import After, Caller, Limit, Listing, documented
from apps.stories.design import DEPTH_MAX

from .common import Connected, NodeId, StoryId, seen_chapter, seen_story
from .shapes import Card, listed

router = APIRouter(
    prefix="/stories/{story_id}",
    tags=["chapters"],
    responses=documented(400, 401, 404, 422, 429, 503),
)


@router.get("/chapters/{node_id}/branches")
def branches(
    story_id: StoryId,
    node_id: NodeId,
    caller: Caller,
    store: Connected,
    after: After = None,
    limit: Limit = 20,
) -> Listing[Card]:
    """List how a story can go on after a chapter, in the author's order."""
    depth = seen_chapter(store, story_id, node_id, caller).depth + 1
    return listed(store.branches_after(story_id, depth, node_id).limit(limit).page(after))


@router.get("/levels/{depth}")
def level(
    story_id: StoryId,
    depth: Annotated[int, Path(ge=1, le=DEPTH_MAX)],
    caller: Caller,
    store: Connected,
    after: After = None,
    limit: Limit = 100,
) -> Listing[Card]:
    """List the chapters that are so many steps from the first, which the cover names."""
    seen_story(store, story_id, caller)
    return listed(store.level(story_id, depth).limit(limit).page(after))
