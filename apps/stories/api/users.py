"""Users: one's own profile, what others see of it, and what a user has written."""

from __future__ import annotations

from datetime import UTC, datetime

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from apps.service import After, Caller, Limit, Listing, Problem, Sent, documented
from apps.stories.design import Stories, Story, User

from .common import Connected, Url, UserId
from .sealing import Place
from .shapes import Card

router = APIRouter(tags=["users"], responses=documented(400, 401, 422, 429, 503))


class About(Sent):
    """What a user says of themselves."""

    display_name: str = Field(min_length=1, max_length=100)
    bio: str | None = Field(None, max_length=2000)
    profile_picture_url: Url | None = None


class Profile(BaseModel):
    """What others see of a user: no address, no habits."""

    model_config = ConfigDict(from_attributes=True)

    user_id: str
    display_name: str
    bio: str | None
    profile_picture_url: str | None
    stories_created: int
    branches_contributed: int
    reads_received: int
    upvotes_received: int
    created_at: datetime


@router.get("/me", responses=documented(404))
def me(caller: Caller, store: Connected) -> User:
    """Show one's own profile."""
    return _user(store, caller.subject)


@router.put("/me", responses=documented(403, 409, 413))
def sign_in(body: About, caller: Caller, store: Connected) -> User:
    """Say who one is: at first, and whenever it changes. The address is that of the token."""
    return store.upsert(
        User.key(user_id=caller.subject),
        body.model_dump(),
        email=caller.email,
        last_login_at=datetime.now(UTC),
    )


@router.get("/me/stories")
def my_stories(
    caller: Caller, store: Connected, after: After = None, limit: Limit = 20
) -> Listing[Story]:
    """List the stories that one has begun, drafts too, the newest first."""
    return Listing.of(store.stories_of(caller.subject).limit(limit).page(after))


@router.get("/users/{user_id}", responses=documented(404))
def profile(user_id: UserId, store: Connected) -> Profile:
    """Show what others see of a user."""
    return Profile.model_validate(_user(store, user_id))


def _user(store: Stories, user_id: str) -> User:
    found = store.profile(user_id).first()
    if found is None:
        raise Problem(404, f"There is no user {user_id}")
    return found


@router.get("/users/{user_id}/stories")
def stories(user_id: UserId, store: Connected, place: Place, limit: Limit = 20) -> Listing[Story]:
    """List the public stories that a user has begun, the newest first."""
    page = store.public_stories_of(user_id).limit(limit).page(place.after)
    return Listing(items=page.items, next=place.next(page.next))


@router.get("/users/{user_id}/branches")
def branches(
    user_id: UserId, caller: Caller, store: Connected, place: Place, limit: Limit = 20
) -> Listing[Card]:
    """List the chapters that a user has written, the newest first; not those of others' drafts."""
    page = store.branches_of(user_id).limit(limit).page(place.after)
    covers = store.covers(sorted({chapter.story_id for chapter in page}))
    seen = {
        story.story_id
        for story in covers.all()
        if story.status != "DRAFT" or story.author_id == caller.subject
    }
    shown = [Card.of(chapter) for chapter in page if chapter.story_id in seen]
    return Listing(items=shown, next=place.next(page.next))
