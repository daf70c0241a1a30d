"""What the tests of the apps share: a store full of data, and cases of its access patterns."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, is_dataclass
from datetime import UTC, datetime
from typing import Any, Generic, TypeVar

from singletable import BatchGet, Collection, Entity, Get, Page, Query, Store
from singletable.model.running import Read
from singletable.store.observing.events import RequestEvent

S = TypeVar("S", bound=Store)


def at(month: int, day: int, hour: int = 12, minute: int = 0) -> datetime:
    """Give a moment of the year in which all data is made."""
    return datetime(2026, month, day, hour, minute, tzinfo=UTC)


NOW = at(12, 31)


@dataclass(frozen=True)
class Case(Generic[S]):
    """Says what an access pattern gives, and in how many requests."""

    says: str
    read: Callable[[S], Read[Any]]
    gives: list[Any]
    """The labels of what it gives, in order."""
    requests: int = 1


class World(Generic[S]):
    """A store in memory with some data, whose clock stands still and whose requests count."""

    def __init__(self, kind: type[S], items: Iterable[Entity], cases: list[Case[S]]) -> None:
        self.now = NOW
        self.events: list[RequestEvent] = []
        self.cases = cases
        self.store = kind.connect(
            ":memory:", clock=lambda: self.now, observers=[self.events.append]
        )
        self.written = [self._write(item) for item in items]
        self.now = NOW

    def _write(self, item: Entity) -> Entity:
        """Write an item at the time at which it says that it was written."""
        self.now = getattr(item, "updated_at", NOW)
        return self.store.create(item)

    def run(self, read: Read[Any]) -> tuple[list[Any], int]:
        """Run a read in its plainest way; give the labels of what it gives and its requests."""
        del self.events[:]
        if isinstance(read, Get):
            found = [each for each in [read.first()] if each is not None]
        else:
            assert isinstance(read, Query | Collection | BatchGet)
            page: Page[Any] = read.page()
            assert (page.skipped, page.next) == ([], None)
            found = page.items
        assert {event.pattern for event in self.events} == {read.pattern}
        return label(found), len(self.events)


def label(found: Any) -> Any:
    """Name what was read: an entity by its type and the last field of its key, views by field."""
    if isinstance(found, list):
        return [label(each) for each in found]
    if isinstance(found, Entity):
        last = getattr(found, found.__schema__.key_fields[-1])
        shown = f"{last:%d}" if isinstance(last, datetime) else last
        return f"{type(found).__name__} {shown}"
    if is_dataclass(found):
        return {each.name: label(getattr(found, each.name)) for each in fields(found)}
    return found
