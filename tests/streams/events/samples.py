"""Events as handlers leave them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from singletable.store.retries import Retries
from singletable.streams.events import Event

AT = datetime(2026, 3, 14, 15, 9, 26, tzinfo=UTC)
SOURCE = "stories.app"
AT_ONCE = Retries(attempts=3, base_s=0.0)
"""Retries that do not wait."""


def event(number: int = 1, *, subject: str = "", **detail: Any) -> Event:
    """Make an event of which only the number matters."""
    return Event(
        "ChapterPublished",
        detail or {"number": number},
        id=f"published-Chapter-modified-{number}",
        at=AT,
        subject=subject or f"Chapter {number}",
    )


def enveloped(sent: Event) -> dict[str, Any]:
    """Give what receivers are to see of an event that ``event`` made."""
    return {
        "specversion": "1.0",
        "id": sent.id,
        "source": SOURCE,
        "type": sent.name,
        "time": "2026-03-14T15:09:26Z",
        "subject": sent.subject,
        "data": sent.detail,
    }
