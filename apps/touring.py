"""A tour of a design: every access pattern run once, with what it read and what that cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, get_args, get_type_hints

from singletable import Get, RequestEvent, Store


@dataclass(frozen=True, slots=True)
class Step:
    """An access pattern that was run."""

    pattern: str
    gives: str
    """The entity, or the view of several."""
    index: str
    requests: int
    items: int
    units: float
    milliseconds: float


def take(
    kind: type[Store],
    address: str,
    seed: Callable[[Any], object],
    tour: Callable[[Any], Iterable[Any]],
) -> Iterator[Step]:
    """Fill a store, and run every access pattern of it."""
    events: list[RequestEvent] = []
    with kind.connect(address, observers=[events.append]) as store:
        seed(store)
        for read in tour(store):
            del events[:]
            _run(read)
            yield _step(kind, read.pattern, events)


def _run(read: Any) -> None:
    """Run a read in its plainest way."""
    if isinstance(read, Get):
        read.first()
    else:
        read.page()


def _step(kind: type[Store], pattern: str, events: list[RequestEvent]) -> Step:
    (given,) = get_args(get_type_hints(getattr(kind, pattern))["return"])
    return Step(
        pattern=pattern,
        gives=given.__name__,
        index=", ".join(dict.fromkeys(event.index or "table" for event in events)),
        requests=len(events),
        items=sum(event.items or 0 for event in events),
        units=sum(event.consumed or 0.0 for event in events),
        milliseconds=sum(event.latency_s for event in events) * 1000,
    )
