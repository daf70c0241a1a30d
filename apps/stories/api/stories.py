"""Stories: their covers, which of them are public, and the list of those."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Request, Response
from pydantic import Field

from apps.service import (
    After,
    Caller,
    Idempotent,
    IfMatch,
    Limit,
    Listing,
    Problem,
    Sent,
    documented,
    tagged,
)
from apps.stories.design import WARNINGS_MAX, Story
from singletable import Transaction

from .common import Connected, StoryId, Title, Url, own_story, profile_of, seen_story

router = APIRouter(
    prefix="/stories", tags=["stories"], responses=documented(400, 401, 422, 429, 503)
)


class Cover(Sent):
    """Says what stands on the cover of a story."""

    title: Title
    synopsis: str = Field(max_length=2000)
    genre: str = Field(min_length=1, max_length=50)
    age_rating: str = Field(min_length=1, max_length=20)
    content_warnings: list[Annotated[str, Field(max_length=100)]] = Field(
        [], max_length=WARNINGS_MAX
    )
    cover_image_url: Url | None = None


class Step(Sent):
    """Says what a story becomes: never a draft again, for others may have added to it."""

    status: Literal["PUBLISHED", "COMPLETED"]


@router.get("")
def discover(
    store: Connected,
    request: Request,
    since: date | None = None,
    until: date | None = None,
    after: After = None,
    limit: Limit = 20,
) -> Listing[Story]:
    """List the public stories of a time, the newest first."""
    last, cursor = _place(until, after)
    launch = request.app.state.service.settings.launch
    first = max(since or launch, launch)
    if first > last:
        return Listing(items=[])
    page = store.discover(first, last).limit(limit).page(cursor)
    return Listing(items=page.items, next=page.next and f"{last}~{page.next}")


def _place(until: date | None, after: str | None) -> tuple[date, str | None]:
    """Tell the last day of a list and the place in it.

    A cursor is good for the days that the list began with: it names the last one itself, since
    what stands for "until now" moves on at midnight.
    """
    today = datetime.now(UTC).date()
    if not after:
        return min(until or today, today), None
    day, _, cursor = after.partition("~")
    try:
        last = date.fromisoformat(day)
    except ValueError:
        last = None
    if last is None or last > today or not cursor:
        raise Problem(400, "after is not a cursor that was given here")
    return last, cursor


@router.post("", status_code=201, responses=documented(403, 409, 413))
def begin(
    body: Cover, caller: Caller, once: Idempotent, store: Connected, response: Response
) -> Story:
    """Begin a story, as a draft that nobody else sees."""

    def work(tx: Transaction) -> dict[str, str]:
        author = profile_of(store, caller)
        story = Story(
            author_id=author.user_id, author_name=author.display_name, **body.model_dump()
        )
        tx.create(story)
        return {"story_id": story.story_id}

    return tagged(response, store.story(**once.write(store, work)).one())


@router.get("/{story_id}", responses=documented(404))
def cover(story_id: StoryId, caller: Caller, store: Connected, response: Response) -> Story:
    """Show a story's cover."""
    return tagged(response, seen_story(store, story_id, caller))


@router.put("/{story_id}", responses=documented(403, 404, 409, 412, 413, 428))
def change(
    story_id: StoryId,
    body: Cover,
    caller: Caller,
    version: IfMatch,
    store: Connected,
    response: Response,
) -> Story:
    """Change what stands on the cover."""
    story = own_story(store, story_id, caller)
    based_on = story.model_copy(update={"version": version})
    return tagged(response, store.update(based_on, body.model_dump()))


@router.put("/{story_id}/status", responses=documented(403, 404, 409, 412, 413, 428))
def step(
    story_id: StoryId,
    body: Step,
    caller: Caller,
    version: IfMatch,
    store: Connected,
    response: Response,
) -> Story:
    """Publish a story, complete it, or open it again."""
    story = own_story(store, story_id, caller)
    if story.first_node_id is None:
        raise Problem(409, "A story without a chapter stays a draft")
    based_on = story.model_copy(update={"version": version})
    published_at = story.published_at or datetime.now(UTC)
    changed = store.update(based_on, status=body.status, published_at=published_at)
    return tagged(response, changed)
