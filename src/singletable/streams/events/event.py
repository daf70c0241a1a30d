"""An event that goes out, and the seam to where it goes.

An event is made by a handler, numbered and dated by what calls the handler, and sent by a sink. It
is checked when it is made, so that a mistake shows where it stands and not where it is sent.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NoReturn, Protocol, Self

from pydantic_core import to_json

from singletable.errors import SingletableError, Unreachable, UsageError

NAME_CHARACTERS_MAX = 128
"""As many as EventBridge takes."""
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened, as others are told of it.

    ``detail`` may be whatever pydantic writes as JSON, an entity too, and is kept as plain JSON
    values. Of the others, handlers fill in those that are not given.
    """

    name: str
    detail: Any = None
    id: str = ""
    """Tells it from all others, however often it is sent: receivers drop what they have seen."""
    at: datetime | None = None
    subject: str = ""
    """What it is about: the item's key."""
    group: str = ""
    """Within what order is kept by FIFO topics and queues; the subject, unless it is given."""

    def __post_init__(self) -> None:
        if not (self.name.isprintable() and 0 < len(self.name) <= NAME_CHARACTERS_MAX):
            raise UsageError(
                f"{self.name!r} cannot name an event: a name has 1 to {NAME_CHARACTERS_MAX} "
                'printable characters, as "ChapterPublished" has'
            )
        if self.at is not None and self.at.tzinfo is None:
            raise UsageError(f"The time of event {self.name!r} lacks a time zone: {self.at}")
        object.__setattr__(self, "detail", self._plain())

    def _plain(self) -> Any:
        try:
            return json.loads(to_json(self.detail), parse_constant=_refuse)
        except (ValueError, RecursionError) as error:  # what pydantic raises is a ValueError, too
            raise UsageError(
                f"The detail of event {self.name!r} cannot be written as JSON: {error}"
            ) from error


class Sink(Protocol):
    """Where events go."""

    def send(self, events: Sequence[Event], /) -> None:
        """Send events, in order; raise ``NotSent`` after the others were sent.

        Threads may share a sink. An event may arrive more than once, with the same id.
        """
        ...


class NotSent(SingletableError):
    """Says which events were not sent, and why; all others were."""

    def __init__(self, message: str, failed: Sequence[tuple[Event, str]]) -> None:
        super().__init__(message)
        self.failed = list(failed)

    @classmethod
    def to(cls, sink: Sink, failed: Sequence[tuple[Event, str]]) -> Self:
        """Make the error of a sink, which names the first few events."""
        named = [f"{event.name!r} ({event.id}): {reason}" for event, reason in failed[:_SHOWN]]
        more = [f"and {len(failed) - _SHOWN} more"] if len(failed) > _SHOWN else []
        return cls(f"{sink!r} was not sent {'; '.join([*named, *more])}", failed)


class SinkUnreachable(NotSent, Unreachable):
    """Events were not sent through no fault of theirs: it may go well later."""

    def __init__(self, message: str, failed: Sequence[tuple[Event, str]]) -> None:
        super().__init__(message, failed)
        self.perhaps_done = True


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number of JSON")
