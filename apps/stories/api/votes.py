"""What a reader thinks of a chapter, and that it was read: each counts once, however it is sent."""

from __future__ import annotations

from fastapi import APIRouter

from apps.service import Caller, Problem, Sent, documented
from apps.stories.design import Reading, Vote, VoteType

from .common import Connected, NodeId, StoryId, seen_chapter

router = APIRouter(
    prefix="/stories/{story_id}/chapters/{node_id}",
    tags=["readers"],
    responses=documented(400, 401, 404, 422, 429, 503),
)


class Opinion(Sent):
    """Says which way a reader votes."""

    vote_type: VoteType


@router.put("/vote", responses=documented(409, 413))
def vote(
    story_id: StoryId, node_id: NodeId, body: Opinion, caller: Caller, store: Connected
) -> Vote:
    """Vote on a chapter, or change one's vote."""
    seen_chapter(store, story_id, node_id, caller)
    key = Vote.key(user_id=caller.subject, node_id=node_id)
    return store.upsert(key, story_id=story_id, vote_type=body.vote_type)


@router.get("/vote")
def read_vote(story_id: StoryId, node_id: NodeId, caller: Caller, store: Connected) -> Vote:
    """Show one's vote."""
    seen_chapter(store, story_id, node_id, caller)
    found = store.vote(caller.subject, node_id).first()
    if found is None:
        raise Problem(404, "You have not voted on this chapter")
    return found


@router.delete("/vote", status_code=204)
def withdraw(story_id: StoryId, node_id: NodeId, caller: Caller, store: Connected) -> None:
    """Take one's vote back; it is no error if there is none."""
    seen_chapter(store, story_id, node_id, caller)
    store.delete(Vote.key(user_id=caller.subject, node_id=node_id))


@router.get("/reading")
def read_reading(story_id: StoryId, node_id: NodeId, caller: Caller, store: Connected) -> Reading:
    """Show that one has read a chapter."""
    seen_chapter(store, story_id, node_id, caller)
    found = store.reading(caller.subject, node_id).first()
    if found is None:
        raise Problem(404, "You have not read this chapter")
    return found


@router.put("/reading", status_code=204)
def have_read(story_id: StoryId, node_id: NodeId, caller: Caller, store: Connected) -> None:
    """Say that one has read a chapter."""
    seen_chapter(store, story_id, node_id, caller)
    store.upsert(Reading.key(user_id=caller.subject, node_id=node_id), story_id=story_id)
