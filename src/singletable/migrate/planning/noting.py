"""Rows that note which of their columns are looked at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from singletable.migrate.sources.source import Row


@dataclass(slots=True)
class Columns:
    """Notes columns: those that there are, and those that were read, by the kind of row."""

    known: dict[str, dict[str, None]] = field(default_factory=dict)
    read: dict[str, set[str]] = field(default_factory=dict)

    def expect(self, kind: str, columns: tuple[str, ...]) -> None:
        """Note columns that there are."""
        self.known.setdefault(kind, {}).update(dict.fromkeys(columns))

    def noting(self, row: Row) -> Row:
        """Give a row that notes here what is read of it, and of those that come along."""
        self.expect(row.kind, tuple(row.data))
        read = self.read.setdefault(row.kind, set())
        related = {kind: [self.noting(one) for one in rows] for kind, rows in row.related.items()}
        return replace(row, data=_Noting(row.data, read), related=related)

    def unread(self, kind: str) -> tuple[str, ...]:
        """Name the columns of a kind that were not read."""
        read = self.read.get(kind, set())
        return tuple(name for name in self.known.get(kind, ()) if name not in read)


@dataclass(frozen=True, slots=True)
class _Noting(Mapping[str, Any]):
    data: Mapping[str, Any]
    read: set[str]

    def __getitem__(self, name: str) -> Any:
        self.read.add(name)
        return self.data[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.data)

    def __len__(self) -> int:
        return len(self.data)
