"""The one shape in which events travel: CloudEvents 1.0, in its JSON format.

EventBridge has names of its own for most of it, and is given the envelope as the detail all the
same: a receiver reads one shape, whichever way an event came, and the id in it stays the same when
an event is sent again, as EventBridge's own does not.
"""

from __future__ import annotations

import json
import re
from datetime import UTC
from hashlib import sha256
from typing import Any, Final

from singletable.errors import UsageError

from .event import Event

_SOURCE: Final = re.compile(r"[!-~]{1,256}")
# A "." would end the id of a webhook in what is signed.
_TOKEN: Final = re.compile(r"[!-\-/-~]{1,128}")
# Noncharacters, which JSON allows in a string and SQS in no message.
_REFUSED: Final = str.maketrans({"\ufffe": "\\ufffe", "\uffff": "\\uffff"})


def envelope(event: Event, source: str) -> str:
    """Write an event as JSON."""
    if not event.id:
        raise UsageError(
            f"Event {event.name!r} has no id, by which receivers tell that they have it already: "
            "return it from a handler, or give it one: Event(…, id=…)"
        )
    content: dict[str, Any] = {
        "specversion": "1.0",
        "id": event.id,
        "source": source,
        "type": event.name,
    }
    if event.at is not None:
        content["time"] = event.at.astimezone(UTC).isoformat().replace("+00:00", "Z")
    if event.subject:
        content["subject"] = event.subject
    content["data"] = event.detail
    written = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    return written.translate(_REFUSED)


def checked_source(source: str) -> str:
    """Give the source of events, or refuse it."""
    if not _SOURCE.fullmatch(source) or source.startswith("aws."):
        raise UsageError(
            f"{source!r} cannot be the source of events: it has 1 to 256 ASCII characters and no "
            'spaces, and does not begin with "aws.", as "stories.app" and "/stories" do'
        )
    return source


def token(text: str) -> str:
    """Give a text where short ones of printable ASCII without "." may stand: it, or its hash."""
    return text if _TOKEN.fullmatch(text) else sha256(text.encode()).hexdigest()
