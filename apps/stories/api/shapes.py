"""What is shown of chapters: in a list how they begin, by themselves the whole text."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Self

from fastapi import Response
from pydantic import BaseModel

from apps.service import Listing, tagged
from apps.stories.design import Chapter, Stories
from singletable import Page


class Card(BaseModel):
    """What a list shows of a chapter."""

    node_id: str
    story_id: str
    parent_node_id: str | None
    author_id: str
    author_name: str
    title: str
    preview: str
    length: int
    matches_vision: bool
    author_approved: bool
    depth: int
    order: int
    branch_count: int
    read_count: int
    upvote_count: int
    downvote_count: int
    created_at: datetime
    updated_at: datetime
    version: int

    @classmethod
    def of(cls, chapter: Chapter, **more: Any) -> Self:
        """Show a chapter."""
        text = chapter.content
        return cls(**dict(chapter), preview=text.preview, length=text.length, **more)


class Whole(Card):
    """A chapter with its text."""

    text: str


def listed(page: Page[Chapter]) -> Listing[Card]:
    """Show a page of chapters."""
    return Listing(items=[Card.of(chapter) for chapter in page], next=page.next)


def whole(store: Stories, chapter: Chapter, response: Response) -> Whole:
    """Show a chapter with its text, which is read now unless it is short."""
    return tagged(response, Whole.of(chapter, text=store.load(chapter.content)))
