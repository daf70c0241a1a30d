"""What a user should know; the stream writes it, its reader marks it as read."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path

from apps.service import After, AnyCaller, Caller, Limit, Listing, Problem, documented
from apps.stories.design import Notification, Stories

from .common import ID, Connected

router = APIRouter(tags=["notifications"], responses=documented(400, 401, 422, 429, 503))

NotificationId = Annotated[str, ID, Path(description="A notification's id.")]


@router.get("/me/notifications")
def read_all(
    caller: Caller, store: Connected, after: After = None, limit: Limit = 20
) -> Listing[Notification]:
    """List what one should know, the newest first."""
    return Listing.of(store.notifications(caller.subject).limit(limit).page(after))


@router.get("/notifications/{notification_id}", responses=documented(404))
def read(notification_id: NotificationId, caller: Caller, store: Connected) -> Notification:
    """Show the notification that a link leads to."""
    return _own(store, notification_id, caller)


@router.put("/notifications/{notification_id}/read", responses=documented(404, 409))
def mark(notification_id: NotificationId, caller: Caller, store: Connected) -> Notification:
    """Mark a notification as read."""
    return store.update(_own(store, notification_id, caller), read=True)


def _own(store: Stories, notification_id: str, caller: AnyCaller) -> Notification:
    """Give a notification; one of somebody else is not there."""
    found = store.notification(notification_id).first()
    if found is None or found.user_id != caller.subject:
        raise Problem(404, f"You have no notification {notification_id}")
    return found
