"""What data comes from: the seam between a migration and the database that it leaves.

A source has kinds of rows (tables), each with a key that orders them. Rows are read in spans of
that order, so that work can be divided, stopped anywhere, and gone on with.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

Id = tuple[Any, ...]
"""The values of a row's key: texts, numbers, or what JSON can hold otherwise."""


@dataclass(frozen=True, slots=True)
class Row(Mapping[str, Any]):
    """A row, or an item, by the names of its columns."""

    kind: str
    id: Id
    data: Mapping[str, Any]
    related: Mapping[str, Sequence[Row]] = field(default_factory=dict)
    """Rows of other kinds that belong to it, as the migration asked for them."""

    def __getitem__(self, name: str) -> Any:
        return self.data[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.data)

    def __len__(self) -> int:
        return len(self.data)


@dataclass(frozen=True, slots=True)
class Broken:
    """What stands in the place of a row, but cannot be read as one: it goes to the rejects."""

    kind: str
    id: Id
    """Where it is in the source, as it has no key."""
    text: str
    """As it stands there, or how it begins; bytes that are no text are written as ``\\xff``."""
    reason: str


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a kind's rows: those after one key and up to another, in the key's order.

    None is the beginning, or the end. A source without order in its keys, such as a scan in
    segments, may put whatever it needs into them: they are kept as JSON.
    """

    after: Id | None = None
    upto: Id | None = None


@dataclass(frozen=True, slots=True)
class Kind:
    """A table of a source: its columns, and those of its key."""

    name: str
    key: tuple[str, ...]
    columns: tuple[str, ...]
    """All that is known of; empty where rows need not be alike."""


Related = Mapping[str, str]
"""Other kinds whose rows come along, each with its column that holds the key of the row."""

Parents = Mapping[str, str]
"""Kinds that rows come along with, each with the rows' own column that holds its key."""


@runtime_checkable
class Source(Protocol):
    """Gives rows; never changes them. Threads do not share one: each opens its own."""

    @property
    def address(self) -> str:
        """Tell how to open the same source in another process; it may hold a password."""
        ...

    def kinds(self) -> Mapping[str, Kind]:
        """Name what there is to read."""
        ...

    def count(self, kind: str) -> int:
        """Count rows, exactly or nearly."""
        ...

    def split(self, kind: str, parts: int) -> list[Span]:
        """Divide the rows of a kind into spans of about the same length, at most so many."""
        ...

    def read(
        self, kind: str, span: Span, limit: int, related: Related | None = None
    ) -> tuple[Sequence[Row | Broken], Span | None]:
        """Read the first rows of a span, in order; give what is left of it, or None.

        Raises no error for a row that cannot be read, which comes as ``Broken``.
        """
        ...

    def fetch(
        self, kind: str, ids: Sequence[Id], related: Related | None = None
    ) -> list[Row | None]:
        """Read rows by their keys, as they are now; None for one that is not there."""
        ...

    def read_orphans(
        self, kind: str, parents: Parents, span: Span, limit: int
    ) -> tuple[Sequence[Row | Broken], Span | None]:
        """Read rows of a span that no parent has, some at a time; give what is left, or None.

        There may be none of them, and something left. One that cannot be read is among them.
        """
        ...

    def fetch_orphans(self, kind: str, parents: Parents, ids: Sequence[Id]) -> list[Row | None]:
        """Read rows by their keys; None for one that is not there, or that a parent has."""
        ...

    def close(self) -> None:
        """Close what was opened."""
        ...


@dataclass(frozen=True, slots=True)
class Changed:
    """A row came, changed or went; how it is now has to be read."""

    kind: str
    id: Id
    old: Mapping[str, Any] | None = None
    """As it was before, where the source tells."""


@runtime_checkable
class Followed(Source, Protocol):
    """A source that tells which rows change, from a moment on."""

    @property
    def lag_s(self) -> float:
        """Tell how long after a change it may be told; 0 where what is told is all there is."""
        ...

    def begin(self, kinds: Collection[str] | None = None) -> str:
        """Have changes noted from now on, of some kinds or of all; give where they begin.

        Once begun, it gives the same position again.
        """
        ...

    def changes(self, position: str, limit: int) -> tuple[list[Changed], str]:
        """Give changes after a position, and the position after them; none if there are none yet.

        Raises ``ChangesLost`` where some may be missing.
        """
        ...

    def backlog(self, position: str) -> int:
        """Count the changes after a position, exactly or nearly."""
        ...

    def end(self) -> None:
        """Have no more changes noted, and leave no trace."""
        ...


@runtime_checkable
class Writable(Source, Protocol):
    """A source that can be written to, so that a migration can be reverted."""

    def put(self, kind: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Write rows in the place of those with their keys."""
        ...

    def delete(self, kind: str, ids: Sequence[Id]) -> None:
        """Delete rows; those that are not there are no error."""
        ...
