"""What a consumer has done already: how far it came in a shard, or which changes it has marked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from singletable.model.reads import get_many
from singletable.streams.bookkeeping import Books, Done
from singletable.streams.changes import Change
from singletable.streams.marks import done_mark, position_mark
from singletable.streams.once import Action

Group = Sequence[Change[Any]]
"""What one record tells: one change, as a rule."""


class Progress(Protocol):
    """Knows what was done, and gives the actions that note what is done now."""

    def is_done(self, group: Group) -> bool:
        """Tell whether a record was acted on before."""
        ...

    def marks(self, groups: Sequence[Group]) -> list[Action]:
        """Give the actions that note these records, which fail if that was noted before."""
        ...

    def done(self, groups: Sequence[Group]) -> None:
        """Take up that these records are noted."""
        ...

    def look(self, groups: Sequence[Group]) -> None:
        """Find out what somebody may have noted of these records."""
        ...


class InShard:
    """Knows how far a consumer came in a shard."""

    def __init__(self, books: Books, consumer: str, shard: str) -> None:
        self._books = books
        self._consumer = consumer
        self._shard = shard
        self._position: str | None = None
        self.look(())

    def look(self, groups: Sequence[Group]) -> None:
        """Read the position."""
        found = self._books.position(self._consumer, self._shard).first()
        self._position = found.position if found else None

    def is_done(self, group: Group) -> bool:
        """Tell whether a record was acted on before."""
        return self._position is not None and group[0].position <= self._position

    def marks(self, groups: Sequence[Group]) -> list[Action]:
        """Give the action that moves the position on, which fails if it is elsewhere."""
        end = groups[-1][0].position
        return [position_mark(self._books, self._consumer, self._shard, self._position, end)]

    def done(self, groups: Sequence[Group]) -> None:
        """Take up the new position."""
        self._position = groups[-1][0].position


class ByChange:
    """Knows which changes of a batch were acted on, as far as it came upon their marks."""

    def __init__(self, books: Books, consumer: str) -> None:
        self._books = books
        self._consumer = consumer
        self._known: set[str] = set()

    def is_done(self, group: Group) -> bool:
        """Tell whether a record is known to have been acted on before."""
        return group[0].id in self._known

    def marks(self, groups: Sequence[Group]) -> list[Action]:
        """Give the actions that mark each record, and fail if it is marked."""
        return [done_mark(self._books, self._consumer, group[0].id) for group in groups]

    def done(self, groups: Sequence[Group]) -> None:
        """Take up that these are marked."""
        self._known.update(group[0].id for group in groups)

    def look(self, groups: Sequence[Group]) -> None:
        """Read the marks."""
        reads = [Done.get(consumer=self._consumer, change=group[0].id) for group in groups]
        found = self._books.bind(get_many(reads).strong()).all()
        self._known.update(mark.change for mark in found)
