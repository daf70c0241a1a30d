"""What requests cost, told after the line that sent them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from singletable.cli._showing import counted

if TYPE_CHECKING:
    from singletable.store.observing.events import RequestEvent

LINES_MAX = 10


class Meter:
    """An observer that keeps requests until somebody asks for them."""

    def __init__(self) -> None:
        self.events: list[RequestEvent] = []

    def __call__(self, event: RequestEvent) -> None:
        """Keep one."""
        self.events.append(event)

    def lines(self) -> list[str]:
        """Tell of the requests since the last time: each in a line, and of many their sum."""
        events, self.events = self.events, []
        lines = [_line(event) for event in events[:LINES_MAX]]
        if len(events) > 1:
            units = sum(event.consumed or 0 for event in events)
            took = sum(event.latency_s for event in events)
            told = f"{counted(len(events), 'request')}, {counted(units, 'unit')}"
            lines.append(f"# {told}, {took * 1000:.2f} ms")
        return lines


def _line(event: RequestEvent) -> str:
    operation = f"{event.operation} {event.index}" if event.index else event.operation
    parts = [
        operation,
        "" if event.items is None else counted(event.items, "item"),
        "" if event.consumed is None else counted(event.consumed, "unit"),
        f"{event.latency_s * 1000:.2f} ms",
        counted(event.retries, "retry", "retries") if event.retries else "",
        event.error or "",
    ]
    return f"# {', '.join(part for part in parts if part)}"
