"""Events on their way from handlers to sinks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from .changes import Change
from .consumers import Failures
from .declaring import Handler
from .events.event import Event, NotSent, Sink


class Outbox:
    """Holds the events of a batch until its handlers are through, as sinks take several at once."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._events: dict[str, tuple[Sink, list[tuple[Change[Any], Event]]]] = {}

    def take(self, one: Handler, change: Change[Any], events: Iterable[Event]) -> None:
        """Take what a handler returned for a change, and give it the change's own id and time."""
        assert one.sink is not None
        _, waiting = self._events.setdefault(one.name, (one.sink, []))
        for number, event in enumerate(events):
            filled = replace(
                event,
                id=event.id or f"{self._name}.{one.name}-{change.id}-{number}",
                at=event.at or change.at,
                subject=event.subject or "/".join(_subject(change)),
            )
            waiting.append((change, filled))

    def send(self, failures: Failures) -> None:
        """Send what there is; what a sink did not take is tried again by itself."""
        for label, (sink, waiting) in self._events.items():
            while waiting:
                first = waiting[0]
                failures.attempt(partial(_send, sink, waiting), first[0], f"{self._name}.{label}")
                waiting[:] = [pair for pair in waiting if pair is not first]  # it was put aside


def _subject(change: Change[Any]) -> Iterator[str]:
    """Name an item for others, who know nothing of keys: its entity, and what tells it apart."""
    yield change.schema.name
    yield from map(str, change.key.fields.values())


def _send(sink: Sink, waiting: list[tuple[Change[Any], Event]]) -> None:
    try:
        sink.send([event for _, event in waiting])
    except NotSent as error:
        left = {event.id for event, _ in error.failed}
        waiting[:] = [pair for pair in waiting if pair[1].id in left]
        raise
    waiting.clear()
