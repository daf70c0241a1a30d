"""Events to a bus of EventBridge.

The bus keeps no order, and gives an event that is sent again another id: receivers that must not
act twice look at ``detail.id``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from .batches import AwsSink, Entry, Refusal
from .clients import THROTTLED
from .envelope import envelope
from .event import Event

SIZE_BYTES_MAX: Final = 1_000_000
"""Of all events in a request: less than "1 MB", which is not said to be more than this."""
_TIME_BYTES: Final = 14
_PASSING: Final = THROTTLED | {"InternalFailure", "InternalException"}


class EventBridge(AwsSink):
    """Sends events to a bus, which is named by its name or ARN.

    An event's name becomes the detail type, and its envelope the detail: a rule on a field of the
    detail that a handler gave has the pattern ``{"detail": {"data": {"story_id": […]}}}``.
    """

    service = "events"
    size_bytes_max = SIZE_BYTES_MAX

    def _entry(self, number: int, event: Event) -> Entry:
        written = envelope(event, self.source)
        content: dict[str, Any] = {
            "EventBusName": self.address,
            "Source": self.source,
            "DetailType": event.name,
            "Detail": written,
        }
        if event.at is not None:
            content["Time"] = event.at
        counted = (self.source, event.name, written)
        size = sum(len(text.encode()) for text in counted) + _TIME_BYTES
        return Entry(number, event, content, size)

    def _request(self, entries: Sequence[Entry]) -> Iterator[Refusal]:
        answer = self._client.call("put_events", Entries=[entry.content for entry in entries])
        if answer["FailedEntryCount"]:
            for entry, result in zip(entries, answer["Entries"], strict=True):
                code = result.get("ErrorCode")
                if code:
                    reason = f"{code}: {result.get('ErrorMessage', '')}"
                    yield Refusal(entry, reason, code in _PASSING)
