"""Chapters: written by anybody where a story is open, approved by the story's author."""

from __future__ import annotations

from fastapi import APIRouter, Response
from pydantic import Field

from apps.service import (
    After,
    AnyCaller,
    Caller,
    Idempotent,
    IfMatch,
    Limit,
    Listing,
    Problem,
    Sent,
    documented,
)
from apps.stories.design import DEPTH_MAX, ORDER_MAX, Chapter, Stories, Story, User
from singletable import F, Large, Transaction

from .common import (
    Connected,
    GivenNodeId,
    NodeId,
    StoryId,
    Title,
    chapter_of,
    own_story,
    profile_of,
    seen_chapter,
    seen_story,
)
from .shapes import Card, Whole, listed, whole

router = APIRouter(
    prefix="/stories/{story_id}/chapters",
    tags=["chapters"],
    responses=documented(400, 401, 404, 422, 429, 503),
)


class Text(Sent):
    """What a chapter says."""

    title: Title
    text: str = Field(min_length=1, max_length=200_000)


class NewChapter(Text):
    """A chapter that follows another one; the first of a story follows none."""

    parent_node_id: GivenNodeId | None = None


class Approval(Sent):
    """What the author of a story thinks of a branch, and its place among the others."""

    author_approved: bool
    matches_vision: bool = False
    order: int = Field(0, ge=0, le=ORDER_MAX)


@router.get("")
def read_all(
    story_id: StoryId, caller: Caller, store: Connected, after: After = None, limit: Limit = 25
) -> Listing[Card]:
    """List all chapters of a story."""
    seen_story(store, story_id, caller)
    return listed(store.chapters(story_id).limit(limit).page(after))


@router.post("", status_code=201, responses=documented(403, 409, 413))
def write(
    story_id: StoryId,
    body: NewChapter,
    caller: Caller,
    once: Idempotent,
    store: Connected,
    response: Response,
) -> Whole:
    """Write a chapter: the first one of a story, or a way to go on after another one."""

    def work(tx: Transaction) -> dict[str, str]:
        story, author = seen_story(store, story_id, caller), profile_of(store, caller)
        depth = _depth_after(store, story, body.parent_node_id, caller)
        chapter = _chapter(story, author, body, depth)
        tx.create(chapter)
        _open_story(tx, story, chapter)
        return {"node_id": chapter.node_id}

    made = once.write(store, work)
    return whole(store, store.chapter(story_id, **made).one(), response)


def _depth_after(store: Stories, story: Story, parent: str | None, caller: AnyCaller) -> int:
    """Tell how deep a chapter is that follows another one, or none."""
    if story.status == "COMPLETED":
        raise Problem(409, "The story is complete")
    if parent is None:
        if story.author_id != caller.subject:
            raise Problem(403, "Only its author writes the first chapter of a story")
        if story.first_node_id is not None:
            raise Problem(409, "The story has a first chapter: name the parent of this one")
        return 0
    depth = chapter_of(store, story.story_id, parent).depth + 1
    if depth > DEPTH_MAX:
        raise Problem(409, f"A story goes on for {DEPTH_MAX} chapters after the first")
    return depth


def _chapter(story: Story, author: User, body: NewChapter, depth: int) -> Chapter:
    return Chapter(
        story_id=story.story_id,
        parent_node_id=body.parent_node_id,
        author_id=author.user_id,
        author_name=author.display_name,
        title=body.title,
        content=Large(body.text),
        depth=depth,
    )


def _open_story(tx: Transaction, story: Story, chapter: Chapter) -> None:
    """Let a transaction fail unless the story takes the chapter: it may be complete by now."""
    key = Story.key(story_id=story.story_id)
    goes_on = F("status") != "COMPLETED"
    if chapter.parent_node_id is None:
        only_one = goes_on & F("first_node_id").missing()
        tx.update(key, first_node_id=chapter.node_id, only_if=only_one)
    else:
        tx.check(key, goes_on)


@router.get("/{node_id}")
def read(
    story_id: StoryId, node_id: NodeId, caller: Caller, store: Connected, response: Response
) -> Whole:
    """Show a chapter with its text."""
    return whole(store, seen_chapter(store, story_id, node_id, caller), response)


@router.put("/{node_id}", responses=documented(403, 409, 412, 413, 428))
def change(
    story_id: StoryId,
    node_id: NodeId,
    body: Text,
    caller: Caller,
    version: IfMatch,
    store: Connected,
    response: Response,
) -> Whole:
    """Change what a chapter says."""
    chapter = seen_chapter(store, story_id, node_id, caller)
    if chapter.author_id != caller.subject:
        raise Problem(403, "Only its author changes a chapter")
    based_on = chapter.model_copy(update={"version": version})
    changed = store.update(based_on, title=body.title, content=Large(body.text))
    return whole(store, changed, response)


@router.put("/{node_id}/approval", responses=documented(403, 413))
def approve(
    story_id: StoryId, node_id: NodeId, body: Approval, caller: Caller, store: Connected
) -> Card:
    """Say what the author of the story thinks of a chapter."""
    own_story(store, story_id, caller)
    key = Chapter.key(story_id=story_id, node_id=node_id)
    return Card.of(store.edit(key, lambda one: one.model_copy(update=body.model_dump())))
